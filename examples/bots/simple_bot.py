"""A program that plays Canasta, without any library: `process:python3 examples/bots/simple_bot.py`.

It takes every pile it may, lays whatever it can, and throws its dearest card of which it has the fewest.
"""

import json
import sys

VALUES = {"joker": 50, "2": 20, "A": 20, "K": 10, "Q": 10, "J": 10, "10": 10, "9": 10, "8": 10}


def choose(legal, view):
    """One of the legal actions, with the table as this seat sees it."""
    for verb in ("take", "pick up", "meld", "add", "yes"):
        for action in legal:
            if action.startswith(verb):
                return action
    hand = view["hands"][view["seat"]]["cards"]
    discards = [action for action in legal if action.startswith("discard")]
    if discards:
        return min(discards, key=lambda action: worth(action.split()[1], hand))
    return "draw" if "draw" in legal else legal[-1]


def worth(card, hand):
    """How much a card is to be kept: wild cards and groups first, then cheap ones."""
    return (card in ("joker", "2"), hand.count(card), -VALUES.get(card, 5))


def say(message):
    """Send a line."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "hello", "protocol": 1})
    elif message["type"] == "question":
        say({"type": "answer", "id": message["id"], "action": choose(message["legal"], message["view"])})
