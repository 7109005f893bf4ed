"""A seat's view and observation hold what the seat may know, and nothing else."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from canasta_env import Table, classic, modern_american
from canasta_env.actions import NUM_ACTIONS
from canasta_env.cards import KINDS
from canasta_env.engine.encoding import encode_views
from canasta_env.engine.layout import observation_size
from canasta_env.engine.state import rules_record
from canasta_env.engine.view import VIEW
from canasta_env.positions import PositionError
from tests.engine.walking import FOUR_GAMES, NAMES, every_deal, random_position, walk

TRIES = 12
LAID = {"classic": ("red3",), "modern_american": ("red3", "black3")}


def reshuffled(table, seat, rng):
    """Another deal that a seat cannot tell from this one, None if no try makes a possible position.

    The stock and the other hands change their cards; a card that is known to be in a hand stays there.
    """
    position = table.position()
    laid = LAID[table.rules.game] if not table.is_over else ()
    for _ in range(TRIES):
        pool = list(position["stock"])
        kept = {}
        for other, hand in enumerate(position["hands"]):
            if other != seat:
                kept[other] = Counter(position["known"][other])
                pool += (Counter(hand) - kept[other]).elements()
        threes = [kind for kind in pool if kind in laid]  # no hand holds them before the end
        others = [kind for kind in pool if kind not in laid]
        rng.shuffle(others)
        hands = list(position["hands"])
        for other, known in kept.items():
            num_unknown = sum(position["hands"][other].values()) - known.total()
            hands[other] = dict(known + Counter(others[:num_unknown]))
            others = others[num_unknown:]
        stock = threes + others
        rng.shuffle(stock)
        try:
            return Table.from_position(position | {"hands": hands, "stock": stock})
        except PositionError:
            continue  # the seat to move would have no way to complete its turn
    return None


def observe(table, seat):
    mask = table.action_mask() if table.to_play == seat else np.zeros(NUM_ACTIONS, np.int8)
    observations = np.zeros((1, observation_size(table.rules)), np.int8)
    encode_views(rules_record(table.rules), table.view(seat), mask[None], observations)
    return observations.tobytes()


def assert_looks_the_same(table, seat, rng):
    """Compare with a reshuffled table; returns whether there was one with other cards."""
    other = reshuffled(table, seat, rng)
    if other is None or other.position() == table.position():
        return False
    assert other.view(seat).tobytes() == table.view(seat).tobytes()
    assert observe(other, seat) == observe(table, seat)
    if table.to_play == seat and table.phase in ("draw", "play", "answer"):
        assert other.legal() == table.legal()
    return True


@every_deal
def test_hidden_cards_do_not_reach_a_view(rules, seed):
    rng = Random(seed)
    for table in walk(rules, seed):
        if rng.random() < 0.1:
            for seat in range(rules.players):
                assert_looks_the_same(table, seat, rng)


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_hidden_cards_do_not_reach_the_view_of_the_seat_to_move(rules):
    rng = Random(1)
    num_compared = 0
    for seed in range(40):
        table = random_position(rules, seed)
        num_compared += assert_looks_the_same(table, table.to_play, rng)
    assert num_compared >= 35  # the test is no empty one


@pytest.mark.parametrize("rules", [classic(4), modern_american()], ids=["classic4", "modern"])
def test_hidden_cards_do_not_reach_the_partner_who_answers(rules):
    rng = Random(2)
    num_compared = 0
    for seed in range(150):
        for table in walk(rules, seed):
            if table.phase == "answer":
                num_compared += assert_looks_the_same(table, table.to_play, rng)
        if num_compared >= 10:
            return
    pytest.fail(f"only {num_compared} questions compared")


def test_the_own_hand_is_not_hidden():
    for rules in FOUR_GAMES:
        table = random_position(rules, 5)
        position = table.position()
        seat, other = table.to_play, (table.to_play + 1) % rules.players
        mine, theirs = Counter(position["hands"][seat]), Counter(position["hands"][other])
        gives = next(kind for kind in mine if kind not in theirs)
        gets = next(kind for kind in theirs if kind not in mine)
        hands = list(position["hands"])
        hands[seat] = dict(mine - Counter([gives]) + Counter([gets]))
        hands[other] = dict(theirs - Counter([gets]) + Counter([gives]))
        swapped = Table.from_position(position | {"hands": hands, "known": [{}] * rules.players})
        unknown = Table.from_position(position | {"known": [{}] * rules.players})
        assert swapped.view(seat).tobytes() != unknown.view(seat).tobytes()
        assert observe(swapped, seat) != observe(unknown, seat)


@pytest.fixture(scope="module")
def seen():
    """For each field of the view, the values that it takes at the tables of some random deals."""
    values = {name: set() for name in VIEW.names}
    for rules in FOUR_GAMES:
        for seed in range(25):
            for table in walk(rules, seed):
                for seat in (0, rules.players - 1):
                    view = table.view(seat)
                    for name in VIEW.names:
                        if len(values[name]) < 2:
                            values[name].add(view[name].tobytes())
    return values


@pytest.mark.parametrize("name", VIEW.names)
def test_every_field_of_the_view_changes(seen, name):
    assert len(seen[name]) > 1


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_the_view_is_what_lies_on_the_table(rules):
    for table in walk(rules, 7):
        for seat in range(rules.players):
            view = table.view(seat)[0]
            _check_seats(view, table, seat)
            _check_sides(view, table, seat)
            _check_turn(view, table, seat)
            pile = [KINDS.index(kind) for kind in table.pile]
            assert view["pile"].tolist() == pile + [-1] * (108 - len(pile))
            assert view["pile_count"].tolist() == _counts(Counter(table.pile))
            assert (view["pile_size"], view["stock_size"]) == (len(pile), table.stock_size)


def _check_seats(view, table, seat):
    position, players = table.position(), table.rules.players
    in_order = [(seat + step) % players for step in range(players)]
    assert (view["seat"], view["players"]) == (seat, players)
    assert view["dealer"] == (table.dealer - seat) % players
    assert view["to_play"] == (-1 if table.is_over else (table.to_play - seat) % players)
    assert view["hand"].tolist() == _counts(table.hand(seat))
    sizes = [sum(table.hand(other).values()) for other in in_order]
    assert view["hand_size"].tolist() == sizes + [0] * (4 - players)
    for relative, other in enumerate(in_order):
        assert view["known"][relative].tolist() == _counts(position["known"][other])
        assert view["discarded"][relative].tolist() == _counts(position["discarded"][other])
        assert view["piles_taken"][relative] == position["piles_taken"][other]
    hidden = Counter(position["stock"])
    for other in in_order[1:]:
        hidden.update(table.hand(other))
    assert view["unseen"].tolist() == _counts(hidden)


def _check_sides(view, table, seat):
    rules = table.rules
    for relative in range(rules.num_sides):
        side = (rules.side_of(seat) + relative) % rules.num_sides
        melds = table.melds(side)
        by_kind = [melds.get("wilds" if kind == "joker" else kind, (0, 0, 0)) for kind in KINDS]
        for place, part in enumerate(("naturals", "twos", "jokers")):
            assert view[part][relative].tolist() == [meld[place] for meld in by_kind]
        assert view["canastas"][relative] == sum(sum(meld) >= 7 for meld in melds.values())
        assert view["red_threes"][relative] == table.threes(side).get("red3", 0)
        assert view["black_threes"][relative] == table.threes(side).get("black3", 0)
        assert view["scores"][relative] == table.scores[side]
        assert view["minimum"][relative] == rules.minimum(table.scores[side])


def _check_turn(view, table, seat):
    rules, position = table.rules, table.position()
    in_order = [(seat + step) % rules.players for step in range(rules.players)]
    for name in ("melded", "asked"):
        assert view[name].tolist() == [position[name][other] for other in in_order] + [0] * (
            4 - rules.players
        )
    sides = [(rules.side_of(seat) + step) % rules.num_sides for step in range(rules.num_sides)]
    assert view["opened"].tolist() == [position["opened"][side] for side in sides] + [0] * (3 - len(sides))
    for name in (
        "wild_frozen",
        "opening_points",
        "can_ask",
        "melded_now",
        "joined_earlier",
        "concealed",
        "turn",
    ):
        assert view[name] == position[name]
    assert view["phase"] == ["draw", "play", "answer", "over"].index(position["phase"])
    assert view["taken"] == (-1 if position["taken"] is None else KINDS.index(position["taken"]))
    assert view["answer"] == {None: 0, "no": 1, "yes": 2 if rules.is_yes_binding else 3}[position["answer"]]
    assert view["went_out"] == (-1 if table.went_out is None else (table.went_out - seat) % rules.players)
    begun = ["joker" if name == "wilds" else name for name in position["begun"]]
    assert view["begun"].tolist() == [kind in begun for kind in KINDS]
    clean = {name for side in sides for name, meld in table.melds(side).items() if meld == (7, 0, 0)}
    assert view["closed"].tolist() == [rules.closes_ranks and kind in clean for kind in KINDS]


def _counts(cards):
    return [cards.get(kind, 0) for kind in KINDS]
