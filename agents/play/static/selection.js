// What the person has selected: cards of the hand, the pile, a meld. What that means the server says.

const places = new Map(); // kind -> the places of its selected cards
let hasPile = false;
let meld = null;

export const isSelected = (kind, place) => places.get(kind)?.has(place) ?? false;
export const isPileSelected = () => hasPile;
export const selectedMeld = () => meld;
export const isEmpty = () => !places.size && !hasPile && meld === null;

export function clear() {
  places.clear();
  hasPile = false;
  meld = null;
}

export function setCard(kind, place, isOn) {
  const others = places.get(kind) ?? new Set();
  if (isOn) others.add(place);
  else others.delete(place);
  if (others.size) places.set(kind, others);
  else places.delete(kind);
}

export const toggleCard = (kind, place) => setCard(kind, place, !isSelected(kind, place));

// All cards of a kind, or none if all of them are selected.
export function toggleKind(kind, count) {
  const isOn = (places.get(kind)?.size ?? 0) < count;
  for (let place = 0; place < count; place++) setCard(kind, place, isOn);
}

export function togglePile() {
  hasPile = !hasPile;
}

export function toggleMeld(name) {
  meld = meld === name ? null : name;
}

export const cards = () => Object.fromEntries([...places].map(([kind, chosen]) => [kind, chosen.size]));

// The one card that is selected, and nothing else.
export function onlyCard() {
  const [[kind, chosen] = [null, null]] = places;
  return !hasPile && meld === null && places.size === 1 && chosen.size === 1 ? kind : null;
}

// The one thing that is selected, for the question why it cannot do more: "card:K", "pile", "meld:K".
export function onlyTarget() {
  if (hasPile) return places.size || meld !== null ? null : "pile";
  if (meld !== null) return places.size ? null : `meld:${meld}`;
  return places.size === 1 ? `card:${[...places.keys()][0]}` : null;
}

export const asMessage = () => ({ cards: cards(), pile: hasPile, meld });

// Select what the server proposes.
export function adopt(proposal) {
  clear();
  for (const [kind, count] of Object.entries(proposal.cards)) toggleKind(kind, count);
  hasPile = proposal.pile;
}

// Whether an answer is about what is selected now.
export function isAbout(answer) {
  const own = cards();
  const isSame = Object.keys(own).length === Object.keys(answer.cards).length && Object.entries(own).every(([kind, count]) => answer.cards[kind] === count);
  return isSame && answer.pile === hasPile && answer.meld === meld;
}
