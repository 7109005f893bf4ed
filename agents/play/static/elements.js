// Elements of the page: `element("p", { class: "note", onclick: f }, "text", child)`.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function button(key, label, action, attributes = {}) {
  return element("button", { type: "button", "data-key": key, onclick: action, ...attributes }, label);
}

// Replace what a node holds; the element with the same key keeps the focus.
export function fill(node, ...children) {
  const key = document.activeElement?.dataset?.key;
  node.replaceChildren(...children);
  if (key) node.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

// Make a node look like a fresh one, leaving alone what is the same: an open menu stays open. What a listener
// depends on must therefore show in the attributes of its element or of one around it.
export function patch(node, fresh) {
  if (node.isEqualNode(fresh)) return;
  const isSameShell = node.cloneNode(false).isEqualNode(fresh.cloneNode(false));
  const hasOnlyElements = [...node.childNodes, ...fresh.childNodes].every((child) => child.nodeType === Node.ELEMENT_NODE);
  if (!isSameShell || !hasOnlyElements || node.children.length !== fresh.children.length || !node.children.length) {
    replace(node, fresh);
    return;
  }
  const children = [...fresh.children];
  [...node.children].forEach((child, place) => patch(child, children[place]));
}

function replace(node, fresh) {
  const key = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  node.replaceWith(fresh);
  if (key) (fresh.dataset.key === key ? fresh : fresh.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
}

export const points = (number) => number.toLocaleString("en-US").replace("-", "−");
export const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

// "you", "seat 2"; "you + seat 2", "seats 1 + 3"; "seat 2 (heuristic)".
export const seatName = (state, seat) => (seat === state.own_seat ? "you" : `seat ${seat}`);

export function sideName(state, side) {
  const seats = state.hands.map((_, seat) => seat).filter((seat) => seat % state.sides.length === side);
  if (seats.includes(state.own_seat) || seats.length === 1) return seats.sort((a) => (a === state.own_seat ? -1 : 1)).map((seat) => seatName(state, seat)).join(" + ");
  return `seats ${seats.join(" + ")}`;
}

export const seatAndAgent = (state, seat) =>
  state.names[seat] && seat !== state.own_seat ? `seat ${seat} (${state.names[seat]})` : seatName(state, seat);
