// The end of a deal or a match: who won, the score item by item, its course as a plot, and what can be done next.

import { button, element, points, sideName } from "./elements.js";
import { isGuest } from "./friends.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 130;
const LEFT = 42; // room for the numbers
const RIGHT = 8;
const EDGE = 14;
const SHAPES = ["", "6 4", "2 3"]; // of the lines: colours are not the only sign

const ITEMS = {
  melded_cards: "cards melded",
  canastas: "canastas",
  going_out: "going out",
  threes: "threes",
  cards_in_hand: "cards in hand",
  penalties: "penalties",
  total: "this deal",
};

export function drawEnd(state, { playAgain }, send) {
  const isMatch = state.episode === "match" && state.course.length > 2;
  return element(
    "section",
    { class: "sheet score", "aria-label": "result" },
    element("h2", {}, headline(state)),
    state.kind === "table" ? onward(state, playAgain, send) : null,
    scoreTable(state),
    isMatch ? plot(state) : null,
  );
}

function headline(state) {
  if (!state.is_over) return `Deal ${state.deal}`;
  const what = state.episode === "match" ? "the match" : "the deal";
  if (state.winner === null) return `The end of ${what}`;
  return `${sideName(state, state.winner)} won ${what}`.replace(/^y/, "Y");
}

function scoreTable(state) {
  const line = (label, numbers, className = "") =>
    element("tr", { class: className }, element("th", { scope: "row" }, label), ...numbers.map((number) => element("td", {}, points(number))));
  const lines = Object.entries(ITEMS).map(([item, label]) => line(label, state.score.map((score) => score[item]), item === "total" ? "sum" : ""));
  const sides = state.sides.map((_, side) => element("th", { scope: "col" }, sideName(state, side)));
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, element("td", {}), ...sides)),
    element("tbody", {}, ...lines, line("match score", state.totals)),
  );
}

function onward(state, playAgain, send) {
  const record = element("a", { class: "button", href: `/tables/${encodeURIComponent(state.table)}/record`, download: "", "data-key": "download" }, "Download the record");
  if (!state.is_over) {
    return element("div", { class: "buttons" }, button("onward", "Next deal", () => send({ type: "next" }), { class: "main" }), record);
  }
  const newTable = element("a", { class: "button", href: "#", "data-key": "new" }, "New table");
  if (!isGuest(state)) return element("div", { class: "buttons" }, button("play-again", "Play again", playAgain, { class: "main" }), newTable, record);
  return element("div", {}, element("p", { class: "note" }, "Who opened the table can play again: stay here, and the cards come to you."), element("div", { class: "buttons" }, newTable, record));
}

function drawing(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// The match score of each side after each deal, and the target as a line.
function plot(state) {
  const { course, target, sides } = state;
  const numbers = [...course.flat(), target, 0];
  const low = Math.min(...numbers);
  const high = Math.max(...numbers);
  const x = (deal) => LEFT + (deal * (WIDTH - LEFT - RIGHT)) / (course.length - 1);
  const y = (score) => EDGE + ((high - score) * (HEIGHT - 2 * EDGE)) / (high - low);
  const level = (score, className) => [
    drawing("line", { class: className, x1: LEFT, x2: WIDTH - RIGHT, y1: y(score), y2: y(score) }),
    drawing("text", { x: LEFT - 5, y: y(score) + 3, "text-anchor": "end" }, points(score)),
  ];
  const line = (side) => drawing("polyline", {
    class: `course side${side}`,
    "stroke-dasharray": SHAPES[side],
    points: course.map((scores, deal) => `${x(deal)},${y(scores[side])}`).join(" "),
  });
  const told = sides.map((_, side) => `${sideName(state, side)}: ${course.map((scores) => points(scores[side])).join(", ")}`).join("; ");
  return element(
    "figure",
    { class: "plot" },
    drawing("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `match score after each deal. ${told}` }, ...level(0, "zero"), ...level(target, "target"), ...sides.map((_, side) => line(side))),
    element("figcaption", {}, ...sides.map((_, side) => legend(state, side))),
  );
}

function legend(state, side) {
  const line = drawing("line", { class: `course side${side}`, "stroke-dasharray": SHAPES[side], x1: 0, x2: 24, y1: 5, y2: 5 });
  return element("span", {}, drawing("svg", { viewBox: "0 0 24 10", width: 24, height: 10, "aria-hidden": "true" }, line), ` ${sideName(state, side)} `);
}
