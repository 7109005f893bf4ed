// Beside the felt: score, controls, advice and the moves.

import { drawEnd } from "./end.js";
import { drawFriends, hasFriends, isGuest } from "./friends.js";
import { button, counted, element, points, seatName, sideName } from "./elements.js";
import { inWords, actionInWords, turnsOf } from "./turns.js";

export const PACES = [["slow", 2], ["as at a table", 0.8], ["fast", 0.15], ["at once", 0]];

export function drawAside(state, extra, send) {
  const isReplay = state.kind === "replay";
  return element(
    "aside",
    {},
    state.score ? drawEnd(state, extra, send) : null,
    state.friends ? drawFriends(state, extra, send) : null,
    isReplay ? replayControls(state, extra, send) : tableControls(state, send),
    state.own_seat === null ? lookChoice(state, send) : null,
    advice(state, extra),
    moveList(state, send),
  );
}

function tableControls(state, send) {
  const isWatched = state.own_seat === null;
  const paces = PACES.map(([label, pace]) => element("option", { value: pace, selected: pace === state.pace_s }, label));
  return element(
    "section",
    { class: "sheet controls" },
    element("label", { class: "choice" }, element("span", {}, "Others play"),
      element("select", { "data-key": "pace", disabled: isGuest(state), onchange: (event) => send({ type: "pace", pace_s: Number(event.target.value) }) }, ...paces)),
    element(
      "div",
      { class: "buttons" },
      isWatched && state.phase !== "over" ? button("pause", state.is_paused ? "Go on" : "Pause", () => send({ type: "pause", is_paused: !state.is_paused })) : null,
      hasFriends(state) || isGuest(state) ? null : button("undo", "Back to the deal's start", () => send({ type: "undo" }), { disabled: state.moves.length === 0 }),
      button("save", "Save the record", () => send({ type: "save" }), { disabled: !isWatched && state.phase !== "over" && state.deal === 1 }),
    ),
    state.fault && isWatched ? element("p", { class: "fault" }, state.fault) : null,
    state.fault && isWatched ? button("again", "Let it try again", () => send({ type: "again" })) : null,
  );
}

function replayControls(state, extra, send) {
  const go = (step) => send({ type: "go", step: Math.min(Math.max(step, 0), state.num_steps - 1) });
  const range = element("input", {
    type: "range", min: 0, max: state.num_steps - 1, value: state.step, "data-key": "step", "aria-label": "step",
    onchange: (event) => go(Number(event.target.value)),
  });
  return element(
    "section",
    { class: "sheet controls", "data-step": state.step },
    element("h2", {}, `Deal ${state.deal} of ${state.deal_starts.length}`),
    range,
    element("p", { class: "note" }, `step ${state.step} of ${state.num_steps - 1} · ${state.name}`),
    element(
      "div",
      { class: "buttons steps" },
      button("first", "|◀", () => go(keyStep(state, "ArrowUp")), { "aria-label": "to the deal's start" }),
      button("back", "◀", () => go(state.step - 1), { "aria-label": "back", disabled: state.step === 0 }),
      button("run", extra.isRunning ? "❚❚" : "▶▶", extra.run, { "aria-label": extra.isRunning ? "stop" : "run" }),
      button("on", "▶", () => go(state.step + 1), { "aria-label": "on", disabled: state.step === state.num_steps - 1 }),
      button("last", "▶|", () => go(keyStep(state, "ArrowDown")), { "aria-label": "to the next deal" }),
    ),
    element("p", { class: "note" }, "Keys: ← → a step, ↑ ↓ a deal, Home and End, Space runs. A turn of the list leads to it; the page's address, to this position."),
  );
}

function lookChoice(state, send) {
  const options = ["all hands open", ...state.seated.map(({ name }) => `what ${name} sees`)];
  const current = state.seen_from === null ? 0 : state.seen_from + 1;
  return element("label", { class: "choice sheet" }, element("span", {}, "Show"),
    element("select", { "data-key": "look", onchange: (event) => send({ type: "look", seat: event.target.selectedIndex ? event.target.selectedIndex - 1 : null }) },
      ...options.map((option, place) => element("option", { selected: place === current }, option))));
}

function advice(state, extra) {
  const canAsk = state.to_play !== null && (state.own_seat === null || state.to_play === state.own_seat);
  const select = element("select", { "data-key": "adviser", "aria-label": "whom to ask", onchange: (event) => extra.chooseAdviser(event.target.value) },
    ...extra.agents.map(({ spec, title }) => element("option", { value: spec, selected: spec === extra.adviser }, title)));
  const told = extra.advice;
  return element(
    "section",
    { class: "sheet advice" },
    element("div", { class: "buttons" }, select, button("advise", "What would it do?", extra.ask, { disabled: !canAsk || extra.isAsking })),
    extra.isAsking ? element("p", { class: "note" }, "It is thinking …") : null,
    told ? element("p", { role: "status" }, `${told.title} would `, element("b", {}, actionInWords(told.action)), ".") : null,
    told?.likely ? element("ul", { class: "likely", "aria-label": "how likely it plays each action" }, ...told.likely.map(likely)) : null,
    told?.tried?.length ? triedOut(told.tried) : null,
    typeof told?.value === "number" ? expectation(state, told) : null,
  );
}

// What a search found of the best actions: points by which each ends the deal ahead of the policy's own choice.
function triedOut(tried) {
  const signed = (number) => `${number > 0 ? "+" : ""}${points(Math.round(number))}`;
  return element("div", {},
    element("p", { class: "note" }, "Tried out, points more or less than without looking ahead:"),
    element("ul", { class: "likely", "aria-label": "what was tried out" }, ...tried.map(([action, ahead]) => element("li", {}, element("span", {}, actionInWords(action)), element("span", {}, signed(ahead))))));
}

// The value of a policy: by how many points the side to move is expected to end this deal ahead, or what the
// deal is expected to add to its chance to win the match.
function expectation(state, { value, unit }) {
  const side = sideName(state, state.to_play % state.sides.length);
  if (unit !== "points") {
    return element("p", { class: "note" }, `It expects this deal to change the chance of ${side} to win the match by ${value.toFixed(1)}%.`);
  }
  const others = state.sides.length === 2 ? "the other side" : "the others on average";
  const number = Math.abs(Math.round(value));
  return element("p", { class: "note" }, `It expects ${side} to end this deal ${points(number)} points ${value < 0 ? "behind" : "ahead of"} ${others}, all of the deal's points counted.`);
}

function likely([action, probability]) {
  const bar = element("span", { class: "bar" });
  bar.style.width = `${(100 * probability).toFixed(1)}%`;
  return element("li", {}, bar, element("span", {}, actionInWords(action)), element("span", {}, `${(100 * probability).toFixed(1)}%`));
}

// What was played, turn by turn; in a record a turn leads to where the table stood after it.
function moveList(state, send) {
  const isReplay = state.kind === "replay";
  let played = 0;
  const lines = turnsOf(state.moves).map((turn) => {
    played += turn.moves.length;
    const step = isReplay ? state.deal_starts[state.deal - 1] + played : null;
    const words = [element("b", {}, seatName(state, turn.seat)), ` ${inWords(turn)}`];
    const shown = isReplay ? [button(`turn:${step}`, element("span", {}, ...words), () => send({ type: "go", step }), { class: "link" })] : words;
    return element("li", { class: `side${turn.seat % state.sides.length}` }, ...shown);
  });
  return element("section", { class: "sheet" }, element("h2", {}, counted(state.moves.length, "move")), element("ol", { class: "moves", tabindex: "0", "aria-label": "moves" }, ...lines));
}

// The step of a record to which a key leads; null if it is none of these keys.
export function keyStep(state, key) {
  const last = state.num_steps - 1;
  const steps = {
    ArrowLeft: state.step - 1,
    ArrowRight: state.step + 1,
    ArrowUp: state.deal_starts.filter((step) => step < state.step).at(-1) ?? 0,
    ArrowDown: state.deal_starts.find((step) => step > state.step) ?? last,
    Home: 0,
    End: last,
  };
  return key in steps ? Math.min(Math.max(steps[key], 0), last) : null;
}
