// The page: lobby or table, by the address; a reload finds the same table again.

import { points } from "./elements.js";
import { introduce } from "./friends.js";
import { agentsOf, drawLobby, gameTitle } from "./lobby.js";
import { connect } from "./socket.js";
import { drawTable, pressed, selectionTold, takeAwaited } from "./table.js";

const KEY = "canasta-tables";
const MOST_TABLES = 20;
const STEP_MS = 600;
const NEWS_MS = 5000;
const main = document.getElementById("main");
const notice = document.getElementById("notice");
const heading = document.getElementById("heading");
let lobby = null;
let state = null;
let advice = null;
let adviser = null;
let isAsking = false;
let why = null;
let isOpening = false;
let timer = null;
let staysUntil = 0; // the line that is shown, in the page's milliseconds
let isBack = false; // after the connection was lost, until the table is seen again

// The address of a record names its step, so that a link leads to a position: of one that is open
// "#table=TABLE&step=N", of one in the server's folder "#record=NAME&step=N", as reviews write it.
const inAddress = (key) => new URLSearchParams(location.hash.slice(1)).get(key);
const stepInAddress = () => Number(inAddress("step") ?? NaN);
const tableInAddress = () => inAddress("table");
const ownTables = () => JSON.parse(localStorage.getItem(KEY) ?? "[]");

function remember(table, title, isUnfinished) {
  const others = ownTables().filter((one) => one.table !== table);
  localStorage.setItem(KEY, JSON.stringify(title ? [{ table, title, isUnfinished }, ...others].slice(0, MOST_TABLES) : others));
}

// Show a line; news stays a while though the others play on, and until then only another line replaces it.
function say(text, { isNews = false } = {}) {
  notice.textContent = text;
  notice.hidden = !text;
  staysUntil = isNews ? performance.now() + NEWS_MS : 0;
}

function stop() {
  clearInterval(timer);
  timer = null;
}

function run() {
  if (timer) stop();
  else timer = setInterval(() => (state.step < state.num_steps - 1 ? send({ type: "go", table: state.table, step: state.step + 1 }) : stop()), STEP_MS);
  show();
}

function show() {
  const table = tableInAddress();
  if (!table) {
    heading.textContent = "";
    if (lobby) drawLobby(main, lobby, ownTables(), { open, upload, isOpening, forget });
  } else if (state?.table === table) {
    const players = state.hands.length;
    heading.textContent = `${gameTitle({ game: state.game, players })}, to ${state.target.toLocaleString("en-US")} · deal ${state.deal} · turn ${state.turn}`;
    const offer = lobby?.games.find((one) => one.game === state.game && one.players === players);
    const agents = offer ? agentsOf(offer) : [];
    adviser = agents.some(({ spec }) => spec === adviser) ? adviser : offer?.levels.find(({ name }) => name === "Club").agent;
    drawTable(main, state, { levels: offer?.levels ?? [], friendsHost: lobby?.friends_host, agents, adviser, advice, isAsking, why, chooseAdviser, ask, playAgain, isRunning: timer !== null, run }, send);
  }
}

function chooseAdviser(agent) {
  adviser = agent;
}

// Open a table or a record: that may take a minute where the engine has to be compiled first.
function open(message) {
  isOpening = true;
  say("The table is being set up. The first time on this machine that takes about a minute.");
  send(message);
  show();
}

// Send a record from a file: it may be far larger than a message.
async function upload(file) {
  isOpening = true;
  say("The record is being read …");
  show();
  try {
    const response = await fetch("/records", { method: "POST", body: file });
    const reply = await response.json();
    received[reply.type](reply);
  } catch {
    received.error({ reason: "The record could not be sent." });
  }
}

// Open a record where a link leads; a step that is no number is the server's to refuse.
function openLink(name, step) {
  main.replaceChildren();
  open({ type: "load", name, step: /^[0-9]{1,15}$/.test(step ?? "0") ? Number(step) : step });
}

function forget(table) {
  remember(table, null);
  show();
}

function ask() {
  isAsking = true;
  show();
  send({ type: "advise", table: state.table, agent: adviser });
}

// A new table with the same seats and other cards; friends stay at theirs, where their links lead.
function playAgain() {
  const { game, hands, names, episode, target, table } = state;
  if (state.friends) {
    send({ type: "rematch", table });
    return;
  }
  open({ type: "open", game, players: hands.length, seats: names, episode, target, pace_s: state.pace_s });
}

function enter() {
  stop();
  say("");
  const table = tableInAddress();
  if (state?.table !== table) advice = null;
  send({ type: "lobby" });
  if (inAddress("record")) openLink(inAddress("record"), inAddress("step"));
  else if (table) {
    if (state?.table !== table) {
      main.replaceChildren();
      say("The table is being looked for …");
    }
    send({ type: "join", table });
    if (stepInAddress() >= 0) send({ type: "go", table, step: stepInAddress() });
  }
  show();
}

function title({ kind, name, game, hands, seated, deal, totals, is_over: isOver }) {
  if (kind === "replay") return `Record ${name}`;
  const now = isOver ? "over" : `deal ${deal}`;
  return `${gameTitle({ game, players: hands.length })}: ${seated.map((seat) => seat.title ?? "you").join(", ")} · ${now} · ${totals.map(points).join(" : ")}`;
}

// What became of a move that was sent when the connection was lost.
function backAgain(message) {
  const sent = takeAwaited();
  if (sent?.table !== message.table) return "The connection is back; the table is as it was left.";
  const isPlayed = message.deal > sent.deal || message.moves.length > sent.at;
  return `The connection is back. Your last move was ${isPlayed ? "played" : "not played: play it again"}.`;
}

const received = {
  lobby(message) {
    lobby = message;
    show();
  },
  opened({ table }) {
    isOpening = false;
    if (!inAddress("record")) location.hash = `table=${table}`;
    else {
      history.replaceState(null, "", `#table=${table}`); // so that "back" does not open it once more
      enter();
    }
  },
  state(message) {
    if (message.table !== tableInAddress()) return;
    const isSamePlace = state?.table === message.table && state.deal === message.deal && state.moves.length === message.moves.length;
    if (!isSamePlace) {
      advice = null;
      isAsking = false;
    }
    const hasEnded = isSamePlace ? false : message.score !== null && message.kind === "table";
    if (isBack) say(backAgain(message), { isNews: true });
    else if (performance.now() >= staysUntil) say("");
    isBack = false;
    state = message;
    if (state.kind === "replay") history.replaceState(null, "", `#table=${state.table}&step=${state.step}`);
    remember(message.table, title(message), message.kind === "table" && !message.is_over);
    show();
    introduce(state, send);
    if (hasEnded) main.querySelector(".score")?.scrollIntoView({ block: "nearest" });
  },
  advice(message) {
    if (message.table !== state?.table || message.deal !== state.deal || message.at !== state.moves.length) return;
    isAsking = false;
    advice = message;
    show();
  },
  select: selectionTold,
  propose: selectionTold,
  why(message) {
    why = message;
    show();
  },
  saved({ name }) {
    say(`Saved as ${name}: the lobby has it under Records.`, { isNews: true });
  },
  error({ reason, table }) {
    if (table && table !== tableInAddress()) return; // a link of a table left by now
    const isGone = reason.startsWith("table: ");
    isAsking = isOpening = false;
    takeAwaited();
    say(reason, { isNews: true });
    if (isGone) {
      remember(tableInAddress(), null);
      state = null;
    }
    if (isGone || inAddress("record")) history.replaceState(null, "", "#");
    show();
  },
};

const send = connect({
  opened: enter,
  received: (message) => received[message.type]?.(message),
  lost() {
    isAsking = isOpening = false;
    isBack = true;
    say("The connection was lost; trying again. The table is kept.");
  },
});
addEventListener("hashchange", enter);
addEventListener("keydown", pressed);
