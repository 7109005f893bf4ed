"""Decks, scores and policies for random play that also reaches the rare clauses.

Uniform decks under uniform play hardly ever see a wild canasta or a concealed going out; so a share of the
decks is rigged, and each seat of a deal plays by a policy of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from canasta_env.actions import NOTATIONS
from canasta_env.cards import BLACK_THREE, COPIES, JOKER, KINDS, NUM_KINDS, RED_THREE, TWO
from canasta_env.rules import Rules
from tests.reference.oracle import Oracle

Policy = Callable[[Oracle, list[str], Random], str]

RIGGED_SHARE = 0.35
THREES_LAST_SHARE = 0.2
TURN_UP_SHARE = 0.2
DECK = [kind for kind in range(NUM_KINDS) for _ in range(COPIES[kind])]


def draw_order(rules: Rules, rng: Random) -> list[str]:
    """A deck in the order in which its cards leave it, uniform or rigged."""
    deck = DECK.copy()
    rng.shuffle(deck)
    if rng.random() < RIGGED_SHARE:
        rig = rng.choice([_cluster_hands, _sort_partly, _bring_wilds_forward, _give_one_seat_wilds])
        deck = rig(rules, deck, rng)
    if rng.random() < THREES_LAST_SHARE:  # R-TURN-2
        _swap_in(deck, len(deck) - rng.choice([1, 1, 1, 2, 3]), [RED_THREE, BLACK_THREE], rng)
    if rng.random() < TURN_UP_SHARE:  # R-DEAL-3
        dealt = rules.players * rules.hand_size
        dealt += sum(kind == RED_THREE for kind in deck[:dealt])
        for place in range(dealt, dealt + rng.choice([1, 1, 2])):
            _swap_in(deck, place, [JOKER, TWO, RED_THREE, BLACK_THREE], rng)
    return [KINDS[kind] for kind in deck]


def _cluster_hands(rules: Rules, deck: list[int], rng: Random) -> list[int]:
    """Each seat's hand, and loosely its draws, come from a few kinds of its own."""
    kinds = list(range(NUM_KINDS))
    rng.shuffle(kinds)
    owner = {kind: i % rules.players for i, kind in enumerate(kinds)}
    strays = rng.choice([0.0, 0.1, 0.3])
    heaps: list[list[int]] = [[] for _ in range(rules.players)]
    for kind in deck:
        heaps[rng.randrange(rules.players) if rng.random() < strays else owner[kind]].append(kind)
    order = [heap.pop() for heap in heaps for _ in range(rules.hand_size) if heap]
    while any(heaps):
        order += [heap.pop() for heap in heaps if heap]
    return order


def _sort_partly(rules: Rules, deck: list[int], rng: Random) -> list[int]:
    noise = rng.choice([0.5, 1.0, 2.0, 4.0])
    place = list(range(NUM_KINDS))
    rng.shuffle(place)
    return sorted(deck, key=lambda kind: place[kind] + noise * rng.random())


def _bring_wilds_forward(rules: Rules, deck: list[int], rng: Random) -> list[int]:
    reach = rng.choice([0.3, 0.5, 0.7])
    return [card for _, card in sorted((rng.random() * (reach if card <= TWO else 1), card) for card in deck)]


def _give_one_seat_wilds(rules: Rules, deck: list[int], rng: Random) -> list[int]:
    """Seven wilds, if the hand is so large, and naturals of few kinds to one seat."""
    start = rng.randrange(rules.players) * rules.hand_size
    jokers = rng.choice([0, 0, 2, 4])
    wanted = [JOKER] * jokers + [TWO] * (7 - jokers)
    for place, kind in zip(range(start, start + rules.hand_size), wanted, strict=False):
        _swap_in(deck, place, [kind], rng)
    return deck


def _swap_in(deck: list[int], place: int, kinds: list[int], rng: Random) -> None:
    """Bring one card of some kinds to a place, from later in the deck if there is one, else from before."""
    places = [i for i, kind in enumerate(deck) if kind in kinds and i != place]
    later = [i for i in places if i > place]
    other = rng.choice(later or places)
    deck[place], deck[other] = deck[other], deck[place]


def draw_scores(rules: Rules, rng: Random) -> list[int]:
    """A match score for each side; every step of the opening minima is as likely."""
    starts = [start for start, _ in rules.opening_minima if start is not None]
    scores = []
    for _ in range(rules.num_sides):
        step = rng.randint(0, len(starts))
        if step == 0:
            score = rng.choice([-1_500, -5, 0, (starts[0] if starts else 0) - 5])
            score = min(score, starts[0] - 1) if starts else score
        else:
            score = starts[step - 1] + rng.choice([0, 5, 100])
            score = min(score, starts[step] - 1) if step < len(starts) else score
        scores.append(score)
    return scores


# Policies: weights by the first words of a notation; what is not named weighs 1

WEIGHTS: dict[str, dict[str, float]] = {
    "random": {},
    "eager": {"take": 20, "pick up": 20, "meld": 20, "add": 20},
    "out-eager": {"ask": 200, "take": 60, "pick up": 60, "meld": 60, "add": 60, "yes": 4},
    "hoarding": {"draw": 30, "take": 1, "meld": 0.01, "add": 0.01, "pick up": 0.1, "ask": 0.1},
    "waiting": {"draw": 5, "take": 1, "meld": 0.05, "meld black3": 5, "add": 10, "ask": 30, "yes": 4},
}
POLICIES: dict[str, Policy] = {}


def _weighted(weights: dict[str, float]) -> Policy:
    def weight(notation: str) -> float:
        named = [value for start, value in weights.items() if notation.startswith(start)]
        return named[-1] if named else 1

    weight_of = {notation: weight(notation) for notation in NOTATIONS}

    def choose(table: Oracle, legal: list[str], rng: Random) -> str:
        return rng.choices(legal, [weight_of[notation] for notation in legal])[0]

    return choose


POLICIES.update({name: _weighted(weights) for name, weights in WEIGHTS.items()})


def draw_policies(policy: str, rules: Rules, rng: Random) -> list[Policy]:
    """A policy for each seat: the one named; for `mixed` one drawn for the deal, or one for every seat."""
    players = rules.players
    if policy == "heuristic":
        from tests.reference.heuristic_walks import heuristic_policies

        return heuristic_policies(rules, rng)
    if policy != "mixed":
        return [POLICIES[policy]] * players
    if rng.random() < 0.5:
        return [rng.choice(list(POLICIES.values()))] * players
    return [rng.choice(list(POLICIES.values())) for _ in range(players)]
