// A program that plays Canasta and remembers: `process:node examples/bots/counting_bot.js`.
// It counts, from the events of a deal, who picked which kinds up from the pile, and does not discard what the
// next player is known to collect.

const readline = require("node:readline");

let seat = 0;
let players = 4;
const collected = new Map(); // by table: for each seat, the kinds that it took from the pile

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function choose(table, legal, view) {
  for (const verb of ["take", "pick up", "meld", "add", "yes"]) {
    const action = legal.find((each) => each.startsWith(verb));
    if (action) return action;
  }
  const discards = legal.filter((each) => each.startsWith("discard"));
  if (!discards.length) return legal.includes("draw") ? "draw" : legal[legal.length - 1];
  const hand = view.hands[view.seat].cards;
  const wanted = collected.get(table)?.[(seat + 1) % players] ?? new Set();
  const cost = (action) => {
    const card = action.slice("discard ".length);
    const isWild = card === "joker" || card === "2";
    return 100 * isWild + 10 * wanted.has(card) + hand.filter((each) => each === card).length;
  };
  return discards.reduce((best, each) => (cost(each) < cost(best) ? each : best));
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    seat = message.seat;
    players = message.rules.players;
    say({ type: "hello", protocol: 1 });
  } else if (message.type === "reset") {
    collected.clear();
  } else if (message.type === "begin") {
    collected.set(message.table, Array.from({ length: players }, () => new Set()));
  } else if (message.type === "action") {
    for (const card of message.taken ?? []) collected.get(message.table)?.[message.seat].add(card);
  } else if (message.type === "question") {
    say({ type: "answer", id: message.id, action: choose(message.table, message.legal, message.view) });
  }
});
