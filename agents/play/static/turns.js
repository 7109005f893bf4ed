// What was played, turn by turn, in words.

import { counted } from "./elements.js";

const SPOKEN = { red3: "red 3", black3: "black 3", joker: "joker", wilds: "the wild cards" };
export const spoken = (kind) => SPOKEN[kind] ?? kind;

// The moves of a deal as turns: [{ seat, moves }, ...]. An answer is a turn of its own.
export function turnsOf(moves) {
  const turns = [];
  for (const move of moves) {
    const begins = move.action === "draw" || move.action.startsWith("take");
    if (!begins && turns.at(-1)?.seat === move.seat) turns.at(-1).moves.push(move);
    else turns.push({ seat: move.seat, moves: [move] });
  }
  return turns;
}

export const lastTurn = (state, seat) => turnsOf(state.moves).findLast((turn) => turn.seat === seat);

// "drew, melded K K 2, discarded 4": additions to one meld are put together.
export function inWords({ moves }) {
  const said = [];
  const added = new Map();
  for (const move of moves) {
    const [word, ...rest] = move.action.split(" ");
    if (word === "add") {
      const meld = rest[2] ?? rest[0];
      if (!added.has(meld)) said.push(added.set(meld, []).get(meld));
      added.get(meld).push(rest[0]);
    } else said.push(phrase(word, rest, move, moves));
  }
  const additions = [...added].map(([meld, kinds]) => [added.get(meld), `added ${kinds.map(spoken).join(" ")}${kinds.every((kind) => kind === meld) ? "" : ` to ${spoken(meld)}`}`]);
  const words = new Map(additions);
  const parts = said.map((part) => words.get(part) ?? part);
  const isFurther = (part, place) => part.startsWith("added ") && parts[place - 1]?.startsWith("added ");
  return parts.map((part, place) => (isFurther(part, place) ? part.slice("added ".length) : part)).join(", ");
}

function phrase(word, rest, move, moves) {
  const kinds = rest.map(spoken).join(" ");
  if (word === "draw") return `drew ${(move.drawn ?? []).map(spoken).join(" ")}`.trim() + (move.threes ? `, laid ${move.threes.map(spoken).join(" ")}` : "");
  if (word === "take") {
    const taken = moves.flatMap((one) => one.taken ?? []);
    const first = move.taken?.at(-1);
    return `took the pile${taken.length ? ` of ${counted(taken.length, "card")}` : ""}${first ? ` with ${spoken(first)} on top` : ""}${rest[1] ? `, using a ${spoken(rest[1])}` : ""}`;
  }
  if (word === "pick") return "picked up the rest";
  if (word === "meld") return `melded ${kinds}`;
  if (word === "discard") return `discarded ${kinds}`;
  if (word === "ask") return "asked to go out";
  return `said ${word}`;
}

// Cards that came into a hand in its last turn: { kind: count }.
export function arrived(state, seat) {
  const counts = {};
  for (const move of lastTurn(state, seat)?.moves ?? []) {
    for (const kind of [...(move.drawn ?? []), ...(move.taken ?? [])]) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

// Cards laid to each meld of a side in the last turns of its seats: { meld: count }.
export function laidLately(state, side) {
  const counts = {};
  const seats = state.hands.map((_, seat) => seat).filter((seat) => seat % state.sides.length === side && seat !== state.own_seat);
  for (const { action } of seats.flatMap((seat) => lastTurn(state, seat)?.moves ?? [])) {
    const [word, ...kinds] = action.split(" ");
    if (word === "add") counts[kinds[2] ?? kinds[0]] = (counts[kinds[2] ?? kinds[0]] ?? 0) + 1;
    if (word === "meld") counts[meldOf(kinds)] = (counts[meldOf(kinds)] ?? 0) + 3;
    if (word === "take") counts.taken = 1;
  }
  delete counts.taken;
  return counts;
}

const meldOf = (kinds) => (["2", "joker"].includes(kinds[0]) ? "wilds" : kinds[0]);

// An action as it is told of: "discard K", "take the pile with a 2".
export function actionInWords(action) {
  if (action === "ask") return "ask to go out";
  if (["yes", "no"].includes(action)) return `say ${action}`;
  return asked(action).replace(/^./, (letter) => letter.toLowerCase());
}

// An action as a button asks for it: "Discard K", "Take the pile with a 2".
export function asked(action) {
  const [word, ...kinds] = action.split(" ");
  if (action === "draw") return "Draw";
  if (action === "ask") return "Ask: may I go out?";
  if (action === "pick up") return "Pick up the rest of the pile";
  if (word === "take") return `Take the pile${kinds[1] ? ` with a ${kinds[1]}` : ""}`;
  return word[0].toUpperCase() + word.slice(1) + kinds.map((kind) => ` ${spoken(kind)}`).join("");
}
