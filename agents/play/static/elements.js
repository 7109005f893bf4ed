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

// "you", "West"; "you + North", "West + East"; "West, Watcher (rule-based)".
export const seatName = (state, seat) => (seat === state.own_seat ? "you" : state.seated[seat].name);

export function sideName(state, side) {
  const seats = state.hands.map((_, seat) => seat).filter((seat) => seat % state.sides.length === side);
  return seats.sort((a, b) => (b === state.own_seat) - (a === state.own_seat)).map((seat) => seatName(state, seat)).join(" + ");
}

export const isPartner = (state, seat) =>
  state.own_seat !== null && seat !== state.own_seat && seat % state.sides.length === state.own_seat % state.sides.length;

export function seatAndAgent(state, seat) {
  const { title } = state.seated[seat];
  return title && seat !== state.own_seat ? `${seatName(state, seat)}, ${title},` : seatName(state, seat);
}
