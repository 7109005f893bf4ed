// Cards, rows of them, melds, and which cards an action is about.

import { element } from "./elements.js";
import { spoken } from "./turns.js";

const FACES = { joker: "★", red3: "3", black3: "3" };

// A card, or `count` of them, squared up.
export function card(kind, className = "", count = 1) {
  const sort = { joker: "wild", 2: "wild two", red3: "red" }[kind] ?? "";
  const face = FACES[kind] ?? kind;
  return element("span", { class: `card ${sort} ${className}`, title: spoken(kind), "data-face": face }, element("b", {}, face), count > 1 ? element("i", {}, `×${count}`) : null);
}

export const back = () => element("span", { class: "card back", "aria-hidden": "true" });

export const row = (kinds, className = "") => element("span", { class: `row ${className}` }, ...kinds.map((kind) => card(kind)));

export function kindsOfMeld({ name, naturals, twos, jokers }) {
  return [...Array(naturals).fill(name), ...Array(twos).fill("2"), ...Array(jokers).fill("joker")];
}

export function meldTitle(meld) {
  const size = meld.naturals + meld.twos + meld.jokers;
  if (size < 7) return `${size}`;
  return `${size} ${meld.name === "wilds" ? "wild" : meld.twos + meld.jokers ? "mixed" : "clean"}`;
}

// The kinds in hand grouped: [[kind, count], ...] in the order of the hand.
export function groups(kinds) {
  const counts = new Map();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts];
}

// What can be clicked for an action: "card:K", "meld:K", "stock", "pile".
export function targets(action, pile) {
  const words = action.split(" ");
  const top = pile.at(-1);
  if (action === "draw") return ["stock"];
  if (action === "pick up") return ["pile"];
  if (words[0] === "take") return ["pile", `card:${top}`, ...(words[2] ? [`card:${words[2]}`] : [])];
  if (words[0] === "meld") return words.slice(1).map((kind) => `card:${kind}`);
  if (words[0] === "add") return [`card:${words[1]}`, `meld:${words[3] ?? words[1]}`];
  if (words[0] === "discard") return ["pile", `card:${words[1]}`];
  return [];
}
