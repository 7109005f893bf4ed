// The people at a shared table: who is here, the own name, and for who opened it the links and the seats.

import { button, element } from "./elements.js";

export const FRIEND = "friend";
const YOU = "you";
const NAME_KEY = "canasta-name";
const MAX_NAME = 24;
const NEAR = ["localhost", "127.0.0.1", "[::1]"]; // names that lead friends to their own machine
let introduced = null; // the table that was told the stored name and has not taken it yet

// Whether the table is shared, and another opened it.
export const isGuest = (state) => Boolean(state.friends) && state.names[state.own_seat] !== YOU;
export const hasFriends = (state) => state.names.includes(FRIEND);

// Tell a table the name that was chosen earlier in this browser.
export function introduce(state, send) {
  const own = state.friends?.find(({ seat }) => seat === state.own_seat);
  const name = localStorage.getItem(NAME_KEY);
  if (own?.name) introduced = null;
  else if (own && name && introduced !== state.table) {
    introduced = state.table;
    send({ type: "name", table: state.table, name });
  }
}

export function drawFriends(state, { levels, friendsHost }, send) {
  return element(
    "section",
    { class: "sheet friends", "aria-label": "people" },
    element("h2", {}, "At this table"),
    nameField(state, send),
    element("ul", {}, ...state.friends.map((person) => personLine(state, person, { levels, friendsHost }, send))),
    isGuest(state) ? null : element("p", { class: "note" }, "Who has a link plays its seat: send it to one person only."),
  );
}

function nameField(state, send) {
  const own = state.friends.find(({ seat }) => seat === state.own_seat);
  const field = element("input", {
    type: "text", maxlength: MAX_NAME, value: own.name, placeholder: "none yet", "data-key": "own-name", autocomplete: "off",
    onchange: (event) => {
      localStorage.setItem(NAME_KEY, event.target.value);
      send({ type: "name", name: event.target.value });
    },
  });
  return element("label", { class: "choice" }, element("span", {}, "Your name"), field);
}

function personLine(state, { seat, name, here, link }, extra, send) {
  const place = state.seated[seat].name;
  if (seat === state.own_seat) return element("li", {}, element("b", {}, place), " you");
  if (link === null) {
    return element("li", {}, element("b", {}, place), ` ${state.seated[seat].title} `, button(`invite:${seat}`, "Invite a friend", () => send({ type: "seat", seat, player: FRIEND }), { class: "small" }));
  }
  const who = name || state.seated[seat].title;
  const line = element("li", { class: here ? "here" : "" }, element("b", {}, place), ` ${who}, ${here ? "here" : link ? "not here: send this link" : "not here"}`);
  if (link) line.append(linkField(state, seat, place, link, extra.friendsHost), giveAway(seat, place, extra.levels, send));
  return line;
}

function linkField(state, seat, place, link, friendsHost) {
  const host = NEAR.includes(location.hostname) && friendsHost ? bracketed(friendsHost) : location.hostname;
  const port = location.port ? `:${location.port}` : "";
  const address = `${location.protocol}//${host}${port}/#table=${state.table.split(".")[0]}.${link}`;
  return element("div", { class: "buttons" },
    element("input", { type: "text", readonly: true, value: address, "data-key": `link:${seat}`, "aria-label": `link for ${place}`, onfocus: (event) => event.target.select() }),
    button(`copy:${seat}`, "Copy", copied, { class: "small", "aria-label": `copy the link for ${place}` }));
}

const bracketed = (host) => (host.includes(":") ? `[${host}]` : host);

// Browsers have a clipboard for pages of this machine and of https only; the older way does elsewhere.
async function copied({ target }) {
  const field = target.parentElement.querySelector("input");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  target.textContent = "Copied";
}

// A friend who does not come: its seat is given to an agent of a level.
function giveAway(seat, place, levels, send) {
  const select = element("select", { "data-key": `give:${seat}`, "aria-label": `who plays ${place}`, onchange: (event) => send({ type: "seat", seat, player: event.target.value }) },
    element("option", { value: FRIEND, selected: true }, "keep the seat"),
    ...levels.map(({ name, agent }) => element("option", { value: agent }, `give it to: ${name}`)));
  return element("div", { class: "buttons" }, select, button(`renew:${seat}`, "New link", () => send({ type: "seat", seat, player: FRIEND }), { class: "small", title: "the link so far plays no more" }));
}
