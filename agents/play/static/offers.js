// Under the hand: the line that says what can be done, the buttons that do it, and why something cannot be done.

import { targets } from "./cards.js";
import { button, element, seatAndAgent } from "./elements.js";
import * as selection from "./selection.js";
import { asked, actionInWords } from "./turns.js";

const RANK_KEYS = { 2: "2", 3: "black3", 4: "4", 5: "5", 6: "6", 7: "7", 8: "8", 9: "9", 0: "10", j: "J", q: "Q", k: "K", a: "A", x: "joker" };
const LINES_IN_SIGHT = 2; // of the reasons, which may be long
const OFFER_KEYS = { draw: "1", "pick up": "T", ask: "G", yes: "Y", no: "N" };

// Keys press the button that shows them, or select all cards of a rank.
export function keyPressed(key, main, state, toggleKind) {
  const shown = [...main.querySelectorAll(".own kbd")].find((one) => one.textContent.toLowerCase() === key);
  const pressed = shown?.closest("button");
  if (pressed) {
    if (!pressed.disabled) pressed.click();
  } else if (key === "enter") main.querySelector('.offers [data-key^="lay:"]')?.click();
  else if (key === "t" && state.legal.length) main.querySelector('[data-key="pile"]')?.click();
  else if (RANK_KEYS[key]) toggleKind(RANK_KEYS[key]);
}

const keyed = (key, words) => element("span", {}, key ? element("kbd", {}, key) : null, words);

export function drawOffers(state, side, act) {
  const buttons = [...layings(act), ...singles(state, act), ...ends(state, act)];
  const isAsked = state.phase === "answer" && buttons.length > 0;
  const [words, clauses] = prompt(state, act.answer);
  return element("div", { class: "bar" },
    element("div", { class: `offers${isAsked ? " asked" : ""}`, role: "group", "aria-label": "what can be done" },
      element("p", { role: "status", class: "prompt", title: clauses || null }, words), ...buttons),
    tools(state, act),
    refused(state, side, act.answer));
}

// What the selection means: one button, or one for each of its meanings.
function layings({ answer, lay }) {
  const meanings = answer?.meanings ?? [];
  return meanings.map(({ actions, words }, place) => {
    const label = meanings.length === 1 ? `Lay: ${words}` : upper(words);
    return button(`lay:${actions.join()}`, keyed(meanings.length === 1 ? "L" : String(place + 1), label), () => lay(actions), { class: "lay" });
  });
}

// What can be done with nothing selected, or with the one card selected; to discard it comes last.
function singles(state, { answer, play }) {
  const kind = selection.onlyCard();
  const isFixed = (action) => ["draw", "take", "pick up", "ask", "yes", "no"].some((word) => action.startsWith(word));
  const meant = (answer?.meanings ?? []).filter(({ actions }) => actions.length === 1).map(({ actions }) => actions[0]);
  const fits = (action) => (selection.isEmpty() ? isFixed(action) : kind && targets(action, state.pile).includes(`card:${kind}`) && !meant.includes(action));
  return state.legal.filter(fits).map((action) => button(`offer:${action}`, keyed(OFFER_KEYS[action] ?? (action.startsWith("discard") ? "D" : null), asked(action)), () => play(action)));
}

function ends(state, { next, again }) {
  return [
    state.phase === "over" && !state.is_over ? button("next", "Next deal", next) : null,
    state.fault ? button("again", "Let it try again", again) : null,
  ].filter(Boolean);
}

function tools(state, { undo, propose }) {
  const opens = state.legal.length && !state.sides[state.own_seat % state.sides.length].has_opened;
  const canOpen = opens && (state.phase === "play" || state.legal.includes("take"));
  const undone = state.takes_back?.length ? `takes back: ${state.takes_back.map(actionInWords).join(", ")}` : "what was drawn or discarded stays so";
  return element("div", { class: "tools" },
    button("take-back", keyed("U", "Undo"), undo, { disabled: !state.takes_back?.length, title: undone }),
    canOpen ? button("propose", keyed("P", "Propose an opening"), propose, { title: "selects the cheapest cards that open" }) : null);
}

// Why what was selected cannot be laid, or cannot do more: the reasons of the rules, those that are equal together.
function refused(state, side, answer) {
  const told = side.why;
  const isHere = told && selection.onlyTarget() === told.target && told.at === state.moves.length && told.deal === state.deal;
  const lines = new Map();
  if (answer?.why_not && !(isHere && told.refused.length)) lines.set(answer.why_not.text, { actions: [], clauses: answer.why_not.clauses });
  for (const { action, text, clauses } of isHere ? told.refused : []) {
    const line = lines.get(text) ?? { actions: [], clauses };
    line.actions.push(action);
    lines.set(text, line);
  }
  const scrolls = lines.size > LINES_IN_SIGHT ? { tabindex: "0" } : {};
  return element("ul", { class: "refused", "aria-label": "what cannot be done", ...scrolls },
    ...[...lines].map(([text, { actions, clauses }]) =>
      element("li", { title: clauses || null }, "Not now: ", actions.length ? element("b", {}, `${actions.map(asked).join(", ")} – `) : "", text)));
}

function prompt(state, answer) {
  if (state.fault) return [state.fault];
  if (state.phase === "over") return [state.went_out === null ? "The deal is over, nobody went out." : `The deal is over: ${seatAndAgent(state, state.went_out)} went out${state.concealed ? ", concealed" : ""}.`];
  if (!state.prompt) return [`${seatAndAgent(state, state.to_play)} is to play.`];
  if (selection.isEmpty()) return [state.prompt.text, state.prompt.clauses];
  const points = answer?.needed ? `${answer.points} of ${answer.needed} points. ` : "";
  if (!answer) return ["…"];
  if (answer.meanings?.length > 1) return [`${points}Which do you mean?`];
  if (answer.meanings?.length) return [`${points}Lay this, or select more.`];
  if (!answer.cards) return [state.prompt.text, state.prompt.clauses];
  return [selection.onlyCard() ? "Choose, or select more cards." : `${points}These cards cannot be laid.`];
}

const upper = (words) => words[0].toUpperCase() + words.slice(1);
