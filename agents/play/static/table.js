// A table: drawn anew from every state; clicks on cards offer what they can do.

import { back, card, groups, kindsOfMeld, meldTitle, row, targets } from "./cards.js";
import { drawAside, keyStep } from "./aside.js";
import { button, counted, element, fill, isPartner, patch, points, seatAndAgent, seatName, sideName } from "./elements.js";
import { arrived, inWords, laidLately, lastTurn, spoken } from "./turns.js";

const MANY_CARDS = 18;
const ASKED = "Your partner asks: may I go out?";
const selected = new Set();
let state = null;
let main = null;
let send = null;
let side = {};
let hasLostFocus = false;

export function drawTable(target, newState, extra, sender) {
  if (!state || state.table !== newState.table || state.moves.length !== newState.moves.length || state.deal !== newState.deal) selected.clear();
  state = newState;
  main = target;
  send = (message) => sender({ ...message, table: state.table });
  side = extra;
  draw();
}

// Digits choose among the offers, Escape lets go of what was chosen.
export function pressed(event) {
  const isShown = state && main?.querySelector(".table");
  if (!isShown || event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
  if (state.kind === "replay") {
    turnPage(event);
    return;
  }
  const offered = main?.querySelectorAll(".offers button") ?? [];
  const place = "123456789".indexOf(event.key);
  if (place >= 0 && event.key !== "" && offered[place]) offered[place].click();
  else if (event.key === "Escape") {
    selected.clear();
    draw();
  }
}

// In a list of moves the arrows scroll; on a button, Space presses it.
function turnPage(event) {
  const step = event.target.classList?.contains("moves") ? null : keyStep(state, event.key);
  if (step !== null) send({ type: "go", step });
  else if (event.key === " " && event.target.tagName !== "BUTTON") side.run();
  else return;
  event.preventDefault();
}

function draw() {
  const felt = element("div", { class: `felt sides${state.sides.length}` }, seats(), ...sidesInOrder(), ownHand());
  const table = element("div", { class: "table", "data-table": state.table }, felt, drawAside(state, side, send));
  if (main.firstElementChild?.classList.contains("table")) patch(main.firstElementChild, table);
  else fill(main, table);
  const moves = main.querySelector(".moves");
  moves.scrollTop = moves.scrollHeight;
  if (hasLostFocus && state.legal.length) focusWhatCanBeDone();
}

// After a move its button is gone: who plays by keyboard goes on where the next move can be made.
function focusWhatCanBeDone() {
  hasLostFocus = false;
  if (document.activeElement === document.body) main.querySelector(".offers button, .hand button.able")?.focus({ preventScroll: true });
}

const sideOf = (seat) => seat % state.sides.length;
const offersFor = (target) => state.legal.filter((action) => targets(action, state.pile).includes(target));

function select(target) {
  if (selected.has(target)) selected.delete(target);
  else selected.add(target);
  if (!offers().length) {
    selected.clear();
    selected.add(target);
  }
  if (selected.has(target) && state.own_seat !== null && !target.startsWith("stock")) send({ type: "why", target });
  draw();
}

function offers() {
  if (!selected.size) return state.legal.filter((action) => ["draw", "take", "pick up", "ask", "yes", "no"].some((word) => action.startsWith(word)));
  return state.legal.filter((action) => [...selected].every((target) => targets(action, state.pile).includes(target)));
}

function play(action) {
  selected.clear();
  hasLostFocus = true;
  send({ type: "play", action, at: state.moves.length });
}

// The other seats, from the next one on; where all is open, every seat.
function seats() {
  const players = state.hands.length;
  const others = Array.from({ length: players - 1 }, (_, place) => (state.seat + 1 + place) % players);
  const isOpen = others.every((seat) => state.hands[seat].cards);
  return element("div", { class: `seats ${isOpen ? "open" : ""}` }, ...others.map(otherSeat));
}

function otherSeat(seat) {
  const { size, cards, known } = state.hands[seat];
  const backs = Array.from({ length: cards ? 0 : size - known.length }, back);
  const hand = element("span", { class: "row small" }, ...(cards ?? known).map((kind) => card(kind)), ...backs);
  return element("div", { class: `seat side${sideOf(seat)}${state.to_play === seat ? " active" : ""}` }, seatTitle(seat, size), hand, whatHappened(seat));
}

function whatHappened(seat) {
  const turn = lastTurn(state, seat);
  const isThinking = state.to_play === seat && seat !== state.own_seat && !state.fault && state.kind === "table";
  const isNow = turn && state.moves.at(-1) === turn.moves.at(-1);
  const words = isThinking && !isNow ? "is to play …" : turn ? inWords(turn) : "";
  return element("p", { class: `last${isNow ? " now" : ""}` }, words);
}

function seatTitle(seat, size) {
  const { name, title, how } = state.seated[seat];
  const words = [seat === state.own_seat ? name : title, isPartner(state, seat) ? "your partner" : null, state.dealer === seat ? "dealer" : null].filter(Boolean);
  return element("p", { class: "name", title: how }, element("span", { class: "count" }, counted(size, "card")), element("b", {}, seatName(state, seat)), ` ${words.join(" · ")}`);
}

// What the laid cards come to so far, apart from the hands: "on the table 345".
function onTable(number) {
  const { melded_cards: melded, canastas, threes } = state.on_table[number];
  const parts = `cards ${points(melded)}, canastas ${points(canastas)}, threes ${points(threes)}`;
  return element("span", { class: "sum", title: parts }, `on the table ${points(melded + canastas + threes)}`);
}

// The other sides' melds, stock and pile, the own melds.
function sidesInOrder() {
  const own = sideOf(state.seat);
  const others = state.sides.map((_, number) => number).filter((number) => number !== own);
  return [element("div", { class: "others" }, ...others.map(melds)), middle(), melds(own)];
}

function melds(number) {
  const { score, minimum, has_opened: hasOpened, melds: laid, threes } = state.sides[number];
  const facts = `score ${points(score)} · ${hasOpened ? "opened" : `opens with ${minimum}`} · `;
  const lately = laidLately(state, number);
  const isOwn = state.own_seat !== null && number === sideOf(state.own_seat);
  return element(
    "div",
    { class: `side side${number}` },
    element("p", { class: "name" }, element("b", {}, sideName(state, number)), ` ${facts}`, onTable(number)),
    element("div", { class: "melds" }, ...laid.map((meld) => drawMeld(meld, isOwn, lately[meld.name])), threes.length ? drawStack(piled(threes), "threes", "") : null),
  );
}

function drawMeld(meld, isOwn, lately) {
  const target = `meld:${meld.name}`;
  const size = meld.naturals + meld.twos + meld.jokers;
  const kinds = kindsOfMeld(meld);
  const cards = size >= 7 ? piled(kinds) : kinds.map((kind) => card(kind));
  const stack = drawStack(cards, meldTitle(meld), size >= 7 ? "canasta" : "", lately);
  if (!isOwn || !offersFor(target).length) return stack;
  return clickable(target, `add to ${meld.name}`, stack, "");
}

// One card of each kind, with how many there are.
const piled = (kinds) => groups(kinds).map(([kind, count]) => card(kind, "", count));

function drawStack(cards, label, className, lately) {
  const fresh = lately ? element("span", { class: "fresh", title: "laid lately" }, `+${lately}`) : null;
  return element("span", { class: `stack ${className}` }, element("span", { class: "row down" }, ...cards), element("small", {}, label, fresh));
}

function clickable(target, label, content, className) {
  const isPressed = selected.has(target);
  return button(target, content, () => select(target), { class: `pick ${className}`, "aria-label": label, "aria-pressed": String(isPressed) });
}

function middle() {
  const { stock, pile, wild_frozen: isFrozen } = state;
  const stockCard = element("span", { class: "stack" }, stock ? back() : element("span", { class: "card none" }), element("small", {}, `stock ${stock}`));
  const pileCards = element("span", { class: "stack wide" }, pile.length ? row(pile, "pile") : element("span", { class: "card none" }),
    element("small", {}, `pile ${pile.length}${isFrozen ? " · wild-frozen" : ""}`));
  return element(
    "div",
    { class: "middle" },
    offersFor("stock").length ? button("stock", stockCard, () => play("draw"), { class: "pick able", "aria-label": "draw from the stock" }) : stockCard,
    state.legal.length ? clickable("pile", "the pile", pileCards, offersFor("pile").length ? "able" : "") : pileCards,
  );
}

function ownHand() {
  const { size, cards } = state.hands[state.seat];
  const seat = state.seat;
  const title = element("div", { class: `seat own side${sideOf(seat)}${state.to_play === seat ? " active" : ""}` }, seatTitle(seat, size));
  if (!cards) return title;
  const fresh = arrived(state, seat);
  const isOwn = state.own_seat !== null;
  const hand = groups(cards).map(([kind, count]) => group(kind, count, Math.min(count, fresh[kind] ?? 0)));
  title.append(whatHappened(seat), element("div", { class: `hand${size > MANY_CARDS ? " many" : ""}` }, ...hand), isOwn ? offerBar() : "");
  return title;
}

function group(kind, count, numNew) {
  const target = `card:${kind}`;
  const shown = row(Array(count).fill(kind));
  [...shown.children].slice(count - numNew).forEach((one) => one.classList.add("new"));
  if (!state.legal.length) return element("span", { class: "pick idle" }, shown);
  const label = `${count} × ${spoken(kind)}${numNew ? `, ${numNew} new` : ""}`;
  return clickable(target, label, shown, offersFor(target).length ? "able" : "");
}

function offerBar() {
  const list = offers();
  const buttons = list.map((action, place) =>
    button(`offer:${action}`, element("span", {}, place < 9 ? element("kbd", {}, String(place + 1)) : null, action), () => play(action)));
  if (state.phase === "over" && !state.is_over) buttons.push(button("next", "Next deal", () => send({ type: "next" })));
  if (state.fault) buttons.push(button("again", "Let it try again", () => send({ type: "again" })));
  return element("div", {},
    element("div", { class: `offers${state.phase === "answer" && list.length ? " asked" : ""}`, role: "group", "aria-label": "what can be done" }, element("p", { role: "status" }, prompt(list)), ...buttons),
    refusedHere());
}

// Why what was chosen cannot do more: the reasons of the rules, the actions with the same reason together.
function refusedHere() {
  const told = side.why;
  const isHere = told && selected.size === 1 && selected.has(told.target) && told.at === state.moves.length && told.deal === state.deal;
  if (!isHere || !told.refused.length) return element("ul", { class: "refused" });
  const byReason = new Map();
  for (const { action, reason } of told.refused) byReason.set(reason, [...(byReason.get(reason) ?? []), action]);
  return element("ul", { class: "refused", "aria-label": "what cannot be done" },
    ...[...byReason].map(([reason, actions]) => element("li", {}, "Not now: ", element("b", {}, actions.join(", ")), ` – ${reason}`)));
}

function prompt(list) {
  if (state.fault) return state.fault;
  if (state.phase === "over") return state.went_out === null ? "The deal is over, nobody went out." : `The deal is over: ${seatAndAgent(state, state.went_out)} went out${state.concealed ? ", concealed" : ""}.`;
  if (state.to_play !== state.own_seat) return `${seatAndAgent(state, state.to_play)} is to play.`;
  if (state.phase === "answer") return ASKED;
  const facts = [];
  if (state.answer) facts.push(`Your partner said ${state.answer}.`);
  if (state.taken) facts.push(`You took the pile with ${state.taken} on top: complete the opening.`);
  if (state.opening_points) facts.push(`Opening at ${state.opening_points} of ${state.sides[sideOf(state.own_seat)].minimum}.`);
  if (!selected.size) facts.push(state.phase === "draw" ? drawPrompt() : "Your turn: click cards to meld or add; a discard ends it.");
  else facts.push(list.length ? "Choose:" : "Nothing can be done with these now.");
  return facts.join(" ");
}

function drawPrompt() {
  if (state.legal.some((action) => action.startsWith("take"))) return "Your turn: draw, or take the pile.";
  if (!state.legal.includes("draw")) return "Your turn:";
  return state.pile.length ? "Your turn: draw. (Click the pile to see why it cannot be taken.)" : "Your turn: draw.";
}
