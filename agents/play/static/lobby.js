// The lobby: a new table, the tables of this browser, and the records.

import { PACES } from "./aside.js";
import { button, element, fill } from "./elements.js";
import { FRIEND } from "./friends.js";

const NAMES = { classic: "Classic", modern_american: "Modern American" };
const YOU = "you";
const CASUAL = 1; // the level at which seats are filled at first
const chosen = { game: 0, episode: "match", targets: {}, seats: {}, pace: 1, seed: "" };

export const gameTitle = ({ game, players }) => `${NAMES[game]}, ${players} players`;

export function drawLobby(main, lobby, tables, { open, upload, isOpening, forget }) {
  const offers = [...lobby.games].reverse();
  const offer = offers[chosen.game];
  const redraw = () => drawLobby(main, lobby, tables, { open, upload, isOpening, forget });
  const seats = (chosen.seats[chosen.game] ??= [YOU, ...Array(offer.players - 1).fill(offer.levels[CASUAL].agent)]);

  const hasFriends = seats.includes(FRIEND);
  const target = (chosen.targets[chosen.game] ??= offer.target);

  function start() {
    const { game, players } = offer;
    const seed = chosen.seed === "" || hasFriends ? null : Number(chosen.seed);
    open({ type: "open", game, players, seats, episode: chosen.episode, target, seed, pace_s: PACES[chosen.pace][1] });
  }

  const unfinished = tables.find((one) => one.isUnfinished);
  fill(
    main,
    ...(unfinished ? [continuation(unfinished)] : []),
    element(
      "section",
      { class: "sheet" },
      element("h1", {}, "A new table"),
      choice("game", "Game", offers.map(gameTitle), chosen.game, (place) => {
        chosen.game = place;
        redraw();
      }),
      choice("episode", "Length", ["a match", "one deal"], chosen.episode === "match" ? 0 : 1, (place) => {
        chosen.episode = place ? "deal" : "match";
        redraw();
      }),
      ...(chosen.episode === "match" ? [targetChoice(offer, target, redraw)] : []),
      choice("part", "You", ["play", "watch"], seats.includes(YOU) ? 0 : 1, (place) => {
        if (place) seats.forEach((seat, number) => [YOU, FRIEND].includes(seat) && (seats[number] = offer.levels[CASUAL].agent));
        else seats[0] = YOU;
        redraw();
      }),
      ...seats.map((seat, number) => seatChoice(offer, seats, number, lobby.friends_host, redraw)),
      howTheyPlay(offer, seats),
      choice("speed", "Others play", PACES.map(([label]) => label), chosen.pace, (place) => {
        chosen.pace = place;
      }),
      hasFriends ? null : seedChoice(),
      element("p", { class: "note" }, hasFriends ? "Each of you sees what the own seat sees. The table shows a link for each friend; the cards are drawn by chance." : seats.includes(YOU) ? "You see what your seat sees." : "Nobody plays: you watch, with all hands open or from any seat."),
      button("start", seats.includes(YOU) ? "Sit down" : "Watch", start, { class: "main", disabled: isOpening }),
    ),
    ...(tables.length ? [tableList(tables, forget)] : []),
    recordList(lobby.records, open, upload),
  );
}

function choice(key, label, options, current, changed) {
  const select = element(
    "select",
    { "data-key": key, onchange: (event) => changed(event.target.selectedIndex) },
    ...options.map((option, place) => element("option", { selected: place === current }, option)),
  );
  return element("label", { class: "choice" }, element("span", {}, label), select);
}

// The table of this browser that was played at last and is not over.
function continuation({ table, title }) {
  return element("section", { class: "sheet continue" },
    button("continue", "Continue", () => (location.hash = `table=${table}`), { class: "main" }),
    element("span", {}, title));
}

function seedChoice() {
  const field = element("input", {
    type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, value: chosen.seed, placeholder: "any", "data-key": "seed",
    onchange: (event) => {
      chosen.seed = event.target.validity.valid ? event.target.value : "";
      event.target.value = chosen.seed;
    },
  });
  return element("label", { class: "choice", title: "The same number deals the same cards." }, element("span", {}, "Cards number"), field);
}

function targetChoice(offer, current, redraw) {
  const texts = offer.targets.map((target) => `${target.toLocaleString("en-US")}${target === offer.target ? ", as usual" : ""}`);
  return choice("target", "To", texts, offer.targets.indexOf(current), (place) => {
    chosen.targets[chosen.game] = offer.targets[place];
    redraw();
  });
}

// The agents of a game: [{ spec, title, how }, ...], the levels first under their names.
export const agentsOf = (offer) => [
  ...offer.levels.map(({ name, agent }) => ({ spec: agent, title: `${name}: ${offer.portraits[agent].title}`, how: offer.portraits[agent].how })),
  ...namedAgents(offer),
];

const namedAgents = (offer) =>
  offer.agents.filter((spec) => spec !== "heuristic" && !offer.levels.some(({ agent }) => agent === spec)).map((spec) => ({ spec, ...offer.portraits[spec] }));

// Who sits there: you, an agent by its level, or any other by its name.
function seatChoice(offer, seats, number, canInvite, redraw) {
  const option = ({ spec, title }) => element("option", { value: spec, title: spec, selected: spec === seats[number] }, title);
  const byLevel = agentsOf(offer).slice(0, offer.levels.length);
  const select = element(
    "select",
    { "data-key": `seat${number}`, onchange: (event) => seatSomebody(seats, number, event.target.value, byLevel, redraw) },
    element("option", { value: YOU, selected: seats[number] === YOU }, "you"),
    canInvite ? element("option", { value: FRIEND, selected: seats[number] === FRIEND }, "a friend") : null,
    element("optgroup", { label: "by level" }, ...byLevel.map(option)),
    element("optgroup", { label: "by name" }, ...namedAgents(offer).map(option)),
  );
  return element("label", { class: "choice" }, element("span", {}, seatLabel(offer, seats.indexOf(YOU), number)), select);
}

// A sentence on how each agent plays that was chosen, however many seats it has.
function howTheyPlay(offer, seats) {
  const told = [...new Set(seats)].map((spec) => offer.portraits[spec]).filter((portrait) => portrait?.how);
  return element("ul", { class: "note how" }, ...told.map(({ title, how }) => element("li", {}, element("b", {}, title), ` ${how}.`)));
}

function seatSomebody(seats, number, spec, byLevel, redraw) {
  if (spec === YOU && seats.includes(YOU)) seats[seats.indexOf(YOU)] = byLevel[CASUAL].spec;
  seats[number] = spec;
  redraw();
}

function seatLabel({ seats, players }, own, number) {
  if (own < 0 || number === own || players !== 4) return seats[number];
  return number === (own + 2) % 4 ? `${seats[number]}, your partner` : seats[number];
}

function tableList(tables, forget) {
  const links = tables.map(({ table, title }) => element("li", {}, element("a", { href: `#table=${table}`, "data-key": table }, title),
    button(`forget:${table}`, "×", () => forget(table), { class: "small", "aria-label": `take ${title} off this list`, title: "take off this list" })));
  return element("section", { class: "sheet" }, element("h2", {}, "Your tables"), element("ul", {}, ...links));
}

function recordList(names, open, upload) {
  const files = names.map((name) => element("li", {}, button(name, name, () => open({ type: "load", name }), { class: "link" })));
  const picker = element("input", {
    type: "file",
    "data-key": "file",
    onchange: (event) => upload(event.target.files[0]),
  });
  return element(
    "section",
    { class: "sheet" },
    element("h2", {}, "Records"),
    names.length ? element("ul", {}, ...files) : element("p", { class: "note" }, "None saved yet."),
    element("label", { class: "choice" }, element("span", {}, "From a file"), picker),
  );
}
