"use strict";
(() => {
  const replays = JSON.parse(document.getElementById("replays").textContent);
  const viewer = document.getElementById("viewer");
  const picks = document.getElementById("picks");
  if (!viewer || replays.length === 0) return;

  const COLOURS = ["#1f6f54", "#ba5226", "#3a5fa8"];
  const CLAUSES = [["melded_cards", "cards melded"], ["canastas", "canastas"], ["going_out", "going out"], ["threes", "threes"],
    ["cards_in_hand", "cards in hand"], ["penalties", "penalties"], ["total", "total"]];
  const FACES = { joker: "★", red3: "3", black3: "3" };
  let pick = 0, twin = 0, step = 0, timer = null, positions = [];

  const deal = () => replays[pick].deals[twin];
  const points = (number) => number.toLocaleString("en-US").replace("-", "−");

  function element(tag, className, ...children) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children);
    return node;
  }

  function card(kind, isNew) {
    const node = element("span", "card", FACES[kind] || kind);
    if (kind === "joker" || kind === "2") node.classList.add("wild");
    if (kind === "10") node.classList.add("ten");
    if (kind === "red3" || kind === "black3") node.classList.add(kind);
    if (isNew) node.classList.add("new");
    node.title = kind;
    return node;
  }

  const cards = (kinds) => element("div", "cards", ...kinds.map((kind) => card(kind)));

  /* The first step holds the whole position, each later one what changed. */
  function unfold(steps) {
    const whole = [];
    for (const change of steps) whole.push({ ...(whole.at(-1) || {}), a: null, by: null, ...change });
    return whole;
  }

  function meld([rank, naturals, twos, jokers], before) {
    const kinds = rank === "wilds" ? [] : Array(naturals).fill(rank);
    kinds.push(...Array(twos).fill("2"), ...Array(jokers).fill("joker"));
    const old = (before || []).find((other) => other[0] === rank) || [rank, 0, 0, 0];
    const grown = [naturals - old[1], twos - old[2], jokers - old[3]];
    const node = element("div", "meld");
    kinds.forEach((kind, place) => {
      const isNew = place < naturals ? place >= naturals - grown[0]
        : place < naturals + twos ? place >= naturals + twos - grown[1] : place >= kinds.length - grown[2];
      node.append(card(kind, isNew));
    });
    if (kinds.length >= 7) {
      node.classList.add("canasta");
      if (rank !== "wilds" && twos + jokers > 0) node.classList.add("mixed");
    }
    node.title = `${rank}: ${kinds.length} cards`;
    return node;
  }

  function side(number, now, before) {
    const { seats, sides, dealer, scores } = deal();
    const name = element("div", "name", element("b", "", [...new Set(seats.filter((_, seat) => seat % sides === number))].join(" + ")),
      element("span", "", `${points(now.v[number])} if it ended now · match score ${points(scores[number])}`));
    name.firstChild.style.borderBottom = `3px solid ${["#7fd6b4", "#ffb28a", "#a9c1ff"][number]}`;
    const node = element("div", "side", name);
    seats.forEach((entrant, seat) => {
      if (seat % sides !== number) return;
      const who = element("div", "who", `seat ${seat}${seat === dealer ? ", dealer" : ""}`, element("br"), ` ${entrant}`);
      const row = element("div", "seat", who, cards(now["h" + seat]));
      if (now.to === seat) row.classList.add("active");
      node.append(row);
    });
    const melds = element("div", "melds");
    if (now["t" + number].length) melds.append(cards(now["t" + number]));
    for (const one of now["m" + number]) melds.append(meld(one, before && before["m" + number]));
    node.append(melds);
    return node;
  }

  function middle(now) {
    const stock = element("div", "stock" + (now.s ? "" : " empty"), String(now.s));
    stock.title = `${now.s} cards in the stock`;
    const pile = element("div", "pile", element("div", "label", now.p.length ? `pile, ${now.p.length === 1 ? "1 card" : `${now.p.length} cards, top card last`}` : "the pile is empty"), cards(now.p));
    return element("div", "middle", stock, pile);
  }

  function svg(tag, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  /* What each side would score if the deal ended there, over the steps. */
  function course() {
    const width = 1000, height = 92, last = Math.max(1, positions.length - 1);
    const all = positions.flatMap((position) => position.v).concat(0);
    const low = Math.min(...all), high = Math.max(...all);
    const x = (place) => 8 + (width - 16) * place / last, y = (value) => 14 + (height - 24) * (high - value) / Math.max(1, high - low);
    const node = svg("svg", { class: "course", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": "points of the sides if the deal ended at each step" });
    node.append(svg("line", { x1: 8, x2: width - 8, y1: y(0), y2: y(0), stroke: "#cfc9b8" }));
    positions[0].v.forEach((_, number) => {
      const path = positions.map((position, place) => `${x(place)},${y(position.v[number])}`).join(" ");
      node.append(svg("polyline", { points: path, fill: "none", stroke: COLOURS[number], "stroke-width": 2, "vector-effect": "non-scaling-stroke" }));
    });
    node.append(svg("line", { class: "now", x1: x(step), x2: x(step), y1: 4, y2: height - 4, stroke: "#26312c", "vector-effect": "non-scaling-stroke" }));
    node.addEventListener("click", (event) => {
      const box = node.getBoundingClientRect();
      go(Math.round((event.clientX - box.left) / box.width * last));
    });
    return node;
  }

  // The keyboard reaches what scrolls.
  function scrolling(node) {
    node.tabIndex = 0;
    return node;
  }

  function log() {
    const list = scrolling(element("ol", "log"));
    let turn = null;
    positions.forEach((position, place) => {
      if (place === 0) return;
      const before = positions[place - 1];
      if (before.n !== turn) {
        turn = before.n;
        list.append(element("li", "turn", `turn ${turn} · seat ${before.to} · ${deal().seats[before.to]}`));
      }
      const item = element("li", "", position.a);
      item.dataset.step = place;
      item.addEventListener("click", () => go(place));
      list.append(item);
    });
    return list;
  }

  function breakdown() {
    const { seats, sides } = deal();
    const table = element("table", "breakdown");
    table.append(element("thead", "", element("tr", "", element("th", "", "final score"), ...CLAUSES.map(([, name]) => element("th", "n", name)))));
    const body = element("tbody");
    deal().breakdown.forEach((score, number) => {
      const names = [...new Set(seats.filter((_, seat) => seat % sides === number))].join(" + ");
      const swatch = element("span", "swatch");
      swatch.style.background = COLOURS[number];
      body.append(element("tr", "", element("th", "", swatch, `${names} (side ${number})`), ...CLAUSES.map(([field]) => element("td", "n", points(score[field])))));
    });
    table.append(body);
    return scrolling(element("div", "scroll", table));
  }

  function button(label, title, action, className) {
    const node = element("button", className || "", label);
    node.type = "button";
    node.title = title;
    node.setAttribute("aria-label", title);
    node.addEventListener("click", action);
    return node;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    const play = viewer.querySelector(".play");
    if (play) play.textContent = "▶";
  }

  function toggle() {
    if (timer) return stop();
    if (step >= positions.length - 1) go(0);
    viewer.querySelector(".play").textContent = "❚❚";
    timer = setInterval(() => (step < positions.length - 1 ? show(step + 1) : stop()), 700);
  }

  function go(place) {
    stop();
    show(place);
  }

  function show(place) {
    step = Math.min(Math.max(place, 0), positions.length - 1);
    const now = positions[step], before = positions[step - 1];
    const felt = viewer.querySelector(".felt");
    const sides = Array.from({ length: deal().sides }, (_, number) => side(number, now, before));
    felt.replaceChildren(sides[0], middle(now), ...sides.slice(1));
    viewer.querySelector("input").value = step;
    viewer.querySelector("output").textContent = `${step} / ${positions.length - 1}`;
    const x = 8 + 984 * step / Math.max(1, positions.length - 1);
    for (const name of ["x1", "x2"]) viewer.querySelector(".now").setAttribute(name, x);
    for (const item of viewer.querySelectorAll(".log li[data-step]")) {
      const isCurrent = Number(item.dataset.step) === step;
      item.setAttribute("aria-current", isCurrent);
      const list = item.parentNode;
      if (isCurrent) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }

  function open(number, which) {
    stop();
    pick = number;
    twin = which;
    positions = unfold(deal().steps);
    const { first, second, board, deal: place, totals } = deal();
    const title = element("div", "title", element("span", "", `${first} against ${second} · board ${board}${place ? `, deal ${place + 1}` : ""} · ${totals.map(points).join(" : ")}`));
    if (replays[pick].deals.length > 1) title.append(button(twin ? "Back to the deal" : "Same cards, seats changed", "show the other arrangement", () => open(pick, 1 - twin), "twin"));
    const range = element("input");
    Object.assign(range, { type: "range", min: 0, max: positions.length - 1, value: 0 });
    range.setAttribute("aria-label", "step");
    range.addEventListener("input", () => go(Number(range.value)));
    const controls = element("div", "controls", button("|◀", "first", () => go(0)), button("◀", "back", () => go(step - 1)), button("▶", "play or pause", toggle, "play"),
      button("▶", "on", () => go(step + 1)), button("▶|", "last", () => go(positions.length - 1)), range, element("output"));
    step = 0;
    viewer.replaceChildren(title, element("div", "stage", element("div", "felt"), log()), controls, course(), breakdown());
    [...picks.children].forEach((node, index) => node.setAttribute("aria-pressed", index === pick));
    show(Number(new URLSearchParams(location.hash.slice(1)).get("step")) || 0);
  }

  replays.forEach((replay, number) => {
    const node = button("", replay.title, () => open(number, 0));
    node.replaceChildren(element("b", "", replay.title), replay.measure);
    picks.append(node);
  });
  viewer.addEventListener("keydown", (event) => {
    const moves = { ArrowRight: 1, ArrowLeft: -1 };
    if (!(event.key in moves) || event.target.tagName === "INPUT") return;
    event.preventDefault();
    go(step + moves[event.key]);
  });
  open(0, 0);
})();
