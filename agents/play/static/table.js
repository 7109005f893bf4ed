// A table: drawn anew from every state; clicks on cards offer what they can do.

import { back, card, groups, kindsOfMeld, meldTitle, row, targets } from "./cards.js";
import { drawAside, keyStep } from "./aside.js";
import { endsDrag, watchDrags } from "./gestures.js";
import { drawOffers, keyPressed } from "./offers.js";
import * as selection from "./selection.js";
import { button, counted, element, fill, isPartner, patch, points, seatName, sideName } from "./elements.js";
import { arrived, inWords, laidLately, lastTurn, spoken } from "./turns.js";

const MANY_CARDS = 18;
const LONG_PILE = 12;
const DOUBLE_CLICK_MS = 400;
let state = null;
let main = null;
let send = null;
let side = {};
let hasLostFocus = false;
let answer = null; // what the server says of the selection
let awaited = null; // the move that was sent and is not on the table yet
let lastClick = { key: "", at: 0 };
let before = null; // the selection when a drag began
let isDropped = false; // on the melds, before the server has said what the selection means

export function drawTable(target, newState, extra, sender) {
  if (!state || state.table !== newState.table || state.moves.length !== newState.moves.length || state.deal !== newState.deal) {
    selection.clear();
    answer = null;
  }
  if (state !== newState) awaited = null;
  state = newState;
  main = target;
  send = (message) => sender({ ...message, table: state.table });
  side = extra;
  draw();
}

// Ranks are selected by their keys, Escape lets go of what was selected.
export function pressed(event) {
  const isShown = state && main?.querySelector(".table");
  if (!isShown || event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
  if (state.kind === "replay") turnPage(event);
  else if (event.key === "Escape") letGo();
  else if (event.key !== "Enter" || event.target.tagName !== "BUTTON") keyPressed(event.key.toLowerCase(), main, state, toggleKind);
}

// What the server has answered to `select` or `propose`.
export function selectionTold(message) {
  const isHere = state && message.table === state.table && message.deal === state.deal && message.at === state.moves.length;
  if (!isHere) return;
  if (message.type === "propose" && message.cards) selection.adopt(message);
  if (message.cards ? selection.isAbout(message) : selection.isEmpty() || message.type === "propose") answer = message;
  draw();
  if (isDropped) layDropped();
}

// The move that is not known to have arrived: where the table stood; after that another may be sent.
export function takeAwaited() {
  const sent = awaited;
  awaited = null;
  return sent;
}

watchDrags({
  begin() {
    before = { ...selection.asMessage() };
  },
  select(kind, place) {
    if (!state?.legal.length || selection.isSelected(kind, place)) return;
    selection.setCard(kind, place, true);
    changed();
  },
  discard(kind) {
    selection.adopt(before);
    if (state.legal.includes(`discard ${kind}`)) play(`discard ${kind}`);
    else changed();
  },
  lay() {
    isDropped = true;
    layDropped();
  },
});

function layDropped() {
  if (!answer?.cards || !selection.isAbout(answer)) return;
  isDropped = false;
  if (answer.meanings?.length === 1) lay(answer.meanings[0].actions);
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
  const isPlayed = state.own_seat !== null && state.phase !== "over";
  const own = sideOf(state.seat);
  const others = state.sides.map((_, number) => number).filter((number) => number !== own);
  const felt = element("div", { class: `felt sides${state.sides.length}${isPlayed ? " played" : ""}` },
    seats(), element("div", { class: "others" }, ...others.map(melds)), melds(own), element("div", { class: "front" }, middle(), ownHand()));
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

function letGo() {
  selection.clear();
  answer = null;
  draw();
}

// Ask the server what is selected now.
function changed() {
  answer = null;
  isDropped = false;
  const target = selection.onlyTarget();
  if (state.legal.length && !selection.isEmpty()) {
    send({ type: "select", ...selection.asMessage() });
    if (target) send({ type: "why", target });
  }
  draw();
}

function toggleKind(kind) {
  const count = (state.hands[state.seat].cards ?? []).filter((one) => one === kind).length;
  if (!count || !state.legal.length) return;
  selection.toggleKind(kind, count);
  changed();
}

// A click selects a card, with Shift all of its rank; a double click discards it.
function cardClicked(event, kind, place, count) {
  if (endsDrag()) return;
  const key = `${kind}:${place}`;
  const isDouble = event.detail > 0 && lastClick.key === key && event.timeStamp - lastClick.at < DOUBLE_CLICK_MS;
  lastClick = { key, at: isDouble ? 0 : event.timeStamp };
  if (isDouble && state.legal.includes(`discard ${kind}`)) {
    play(`discard ${kind}`);
    return;
  }
  if (event.shiftKey) selection.toggleKind(kind, count);
  else selection.toggleCard(kind, place);
  changed();
}

// A move is sent once: what is clicked until it is on the table does nothing.
function sendMove(message) {
  if (awaited) return;
  awaited = { table: state.table, deal: state.deal, at: state.moves.length };
  selection.clear();
  answer = null;
  hasLostFocus = true;
  send({ ...message, at: state.moves.length });
}

const play = (action) => sendMove({ type: "play", action });
const lay = (actions) => sendMove({ type: "lay", actions });

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

function melds(number) {
  const { score, minimum, has_opened: hasOpened, melds: laid, threes } = state.sides[number];
  const facts = `score ${points(score)} · ${hasOpened ? "opened" : `opens with ${minimum}`} · `;
  const lately = laidLately(state, number);
  const isOwn = state.own_seat !== null && number === sideOf(state.own_seat);
  return element(
    "div",
    { class: `side side${number}${isOwn ? " own-side" : ""}` },
    element("p", { class: "name" }, element("b", {}, sideName(state, number)), ` ${facts}`, onTable(number)),
    element("div", { class: "melds" }, ...laid.map((meld) => drawMeld(meld, isOwn, lately[meld.name])), threes.length ? drawStack(piled(threes), "threes", "") : null),
  );
}

function drawMeld(meld, isOwn, lately) {
  const target = `meld:${meld.name}`;
  const isPressed = selection.selectedMeld() === meld.name;
  const size = meld.naturals + meld.twos + meld.jokers;
  const kinds = kindsOfMeld(meld);
  const cards = size >= 7 ? piled(kinds) : kinds.map((kind) => card(kind));
  const stack = drawStack(cards, meldTitle(meld), size >= 7 ? "canasta" : "", lately);
  if (!isOwn || !offersFor(target).length) return stack;
  return clickable(target, `add to ${spoken(meld.name)}`, stack, "", isPressed, () => {
    selection.toggleMeld(meld.name);
    changed();
  });
}

// One card of each kind, with how many there are.
const piled = (kinds) => groups(kinds).map(([kind, count]) => card(kind, "", count));

function drawStack(cards, label, className, lately) {
  const fresh = lately ? element("span", { class: "fresh", title: "laid lately" }, `+${lately}`) : null;
  return element("span", { class: `stack ${className}` }, element("span", { class: "row down" }, ...cards), element("small", {}, label, fresh));
}

function clickable(target, label, content, className, isPressed, action) {
  return button(target, content, action, { class: `pick ${className}`, "aria-label": label, "aria-pressed": String(isPressed) });
}

function middle() {
  const { stock, pile, wild_frozen: isFrozen } = state;
  const stockCard = element("span", { class: "stack" }, stock ? back() : element("span", { class: "card none" }), element("small", {}, `stock ${stock}`));
  const pileCards = element("span", { class: "stack wide" }, pile.length ? row(pile, `pile${pile.length > LONG_PILE ? " long" : ""}`) : element("span", { class: "card none" }),
    element("small", {}, `pile ${pile.length}${isFrozen ? " · wild-frozen" : ""}`));
  return element(
    "div",
    { class: "middle" },
    offersFor("stock").length ? button("stock", stockCard, () => play("draw"), { class: "pick able", "aria-label": "draw from the stock" }) : stockCard,
    element("span", { class: "pile-place" }, state.legal.length ? clickable("pile", "the pile", pileCards, offersFor("pile").length ? "able" : "", selection.isPileSelected(), pileClicked) : pileCards),
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

function pileClicked() {
  selection.togglePile();
  changed();
}

// The cards of a kind, each of which can be selected.
function group(kind, count, numNew) {
  if (!state.legal.length) return element("span", { class: "row group" }, ...Array.from({ length: count }, (_, place) => element("span", { class: "pick idle" }, faceOf(kind, place, count, numNew))));
  const isAble = offersFor(`card:${kind}`).length > 0;
  return element("span", { class: "row group", role: "group", "aria-label": `${count} × ${spoken(kind)}${numNew ? `, ${numNew} new` : ""}` },
    ...Array.from({ length: count }, (_, place) =>
      button(`card:${kind}:${place}`, faceOf(kind, place, count, numNew), (event) => cardClicked(event, kind, place, count), {
        class: `pick${isAble ? " able" : ""}`, "data-kind": kind, "data-place": place, "data-count": count,
        "aria-label": `${spoken(kind)}, ${place + 1} of ${count}`, "aria-pressed": String(selection.isSelected(kind, place)),
      })));
}

const faceOf = (kind, place, count, numNew) => card(kind, place >= count - numNew ? "new" : "");

function offerBar() {
  return drawOffers(state, side, {
    answer: answer && (answer.why_not || selection.isAbout(answer)) ? answer : null,
    play,
    lay,
    next: () => send({ type: "next" }),
    again: () => send({ type: "again" }),
    undo: () => sendMove({ type: "take_back" }),
    propose: () => send({ type: "propose", pile: selection.isPileSelected() }),
  });
}
