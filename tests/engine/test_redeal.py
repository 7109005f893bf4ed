"""Hidden hands: tables drawn from a view alone, that the viewer cannot tell from its own."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest

import canasta_env
from canasta_agents.registry import make
from canasta_env import (
    DecisionBatch,
    PositionError,
    Rules,
    Table,
    VectorTables,
    classic,
    modern_american,
    redeal,
)
from canasta_env.cards import COPIES, KINDS
from canasta_env.engine.redeal import NONE_FOUND, redeal_within_a_turn
from canasta_env.engine.state import NOBODY, STATE, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.hidden_hands import _loose_cards, _tables_without_hidden_cards
from canasta_env.state_checks import check_tables
from tests.engine.test_hidden_information import reshuffled
from tests.engine.walking import FOUR_GAMES, NAMES, every_deal, random_position, walk

HOUSE_GAMES = sorted((Path(__file__).parents[1] / "reference" / "house_games").glob("*.json"))
GAMES = [*FOUR_GAMES, *(Rules.from_dict(json.loads(path.read_text())) for path in HOUSE_GAMES)]
GAME_NAMES = [*NAMES, *(path.stem for path in HOUSE_GAMES)]
every_game = pytest.mark.parametrize("rules", GAMES, ids=GAME_NAMES)
SAMPLES = 2
MOST_STEPS = 20_000


def tables_of(rules, states):
    return [Table.of_state(rules, states[place : place + 1].copy()) for place in range(len(states))]


def assert_looks_like(rules, view, states):
    """Each table is one of the game, goes on where the view's does, and gives the view's seat this view."""
    check_tables(rules, states, may_be_over=True)
    for table in tables_of(rules, states):
        assert table.view(int(view["seat"][0])).tobytes() == view.tobytes()
        assert table.is_over or table.legal()
        if table.phase == "answer":  # the question must have been legal
            Table.from_position(table.position())


def tables_at(rules, states):
    tables = VectorTables(rules, len(states))
    tables.set_state({"tables": states, "match_winner": np.full(len(states), NOBODY)})
    return tables


def play_to_the_end(rules, states):
    """Random play at all tables until each has ended its deal."""
    tables = tables_at(rules, states)
    has_ended = np.zeros(len(states), bool)
    rng = np.random.default_rng(0)
    for _ in range(MOST_STEPS):
        chances = tables.masks * rng.random(tables.masks.shape)
        has_ended |= tables.step(chances.argmax(axis=1)).ended
        if has_ended.all():
            return
    pytest.fail(f"{(~has_ended).sum()} of {len(states)} deals did not end")


@every_game
def test_tables_of_random_play_look_the_same_and_can_be_played_on(rules):
    rng = Random(5)
    drawn = []
    for seed in range(200, 204):
        for number, table in enumerate(walk(rules, seed)):
            seat = rng.randrange(rules.players)
            view = table.view(seat)
            states = redeal(rules, view, [1_000 * seed + number], SAMPLES)
            assert_looks_like(rules, view, states)
            if not table.is_over:
                drawn.append(states)
    states = np.concatenate(drawn)
    assert len(states) > 400
    play_to_the_end(rules, states)


@every_game
def test_tables_of_rule_based_play_look_the_same_and_can_be_played_on(rules):
    num_tables = 24
    agent = make("heuristic", rules)
    agent.reset(num_tables, 0)
    tables = VectorTables(rules, num_tables, seed=8, scores="drawn")
    drawn = []
    for step in range(250):
        if step % 5 == 0:
            states = tables.get_state()["tables"]
            table = Table.of_state(rules, states[step % num_tables :][:1].copy())
            view = table.view(step // 5 % rules.players)
            drawn.append(redeal(rules, view, [step], SAMPLES))
            assert_looks_like(rules, view, drawn[-1])
            drawn.append(redeal(rules, tables.views, np.arange(num_tables)))
            again = tables_at(rules, drawn[-1])
            assert again.views.tobytes() == tables.views.tobytes()
            assert again.masks.tobytes() == tables.masks.tobytes()
        batch = DecisionBatch(
            rules, np.arange(num_tables), tables.to_play.copy(), tables.views.copy(), tables.masks.copy()
        )
        tables.step(agent.act(batch))
    play_to_the_end(rules, np.concatenate(drawn))


@every_deal
def test_what_a_seat_does_not_see_does_not_reach_the_tables(rules, seed):
    rng = Random(seed)
    for table in walk(rules, seed):
        if rng.random() < 0.9:
            continue
        for seat in range(rules.players):
            other = reshuffled(table, seat, rng)
            if other is None:
                continue
            assert other.information_state(seat) == table.information_state(seat)
            one, same = (redeal(rules, each.view(seat), [seed], 3) for each in (table, other))
            assert one.tobytes() == same.tobytes()


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_seed_deal_and_order_of_the_match_do_not_reach_the_tables(rules):
    table = random_position(rules, 4)
    other = table.copy()
    other._state["seed"] += 1
    other._state["deal"] = 7
    gone = int(other._state["next_card"][0])
    other._state["stock"][0, :gone] = other._state["stock"][0, :gone][::-1]
    seat = table.to_play
    drawn = [each.redeal(seat, np.random.default_rng(3)) for each in (table, other)]
    assert drawn[0]._state.tobytes() == drawn[1]._state.tobytes()
    assert drawn[0].seed not in (table.seed, other.seed)
    with pytest.raises(ValueError, match="order"):
        drawn[0].order  # noqa: B018


def test_the_seed_of_the_match_does_not_bring_its_cards_back():
    for seed in range(20):
        table = Table(classic(), seed=seed)
        seat = table.to_play
        drawn = Table.of_state(table.rules, redeal(table.rules, table.view(seat), [seed]))
        assert drawn.hand(seat) == table.hand(seat)
        assert drawn.position()["stock"] != table.position()["stock"]
        assert drawn.hand((seat + 1) % 4) != table.hand((seat + 1) % 4)


def test_every_field_of_a_table_is_in_the_view_or_drawn():
    """A new field of STATE needs a word here: where a redealt table has it from."""
    in_both = {name for name in STATE.names if name in VIEW.names}
    assert {name for name in in_both if STATE[name] != VIEW[name]} == {"hand"}
    assert set(STATE.names) - in_both == {"seed", "deal", "stock", "next_card"}


# Same seed, same tables


def some_views(rules):
    tables = [random_position(rules, seed) for seed in range(12)]
    return np.concatenate([table.view(seed % rules.players) for seed, table in enumerate(tables)])


@every_game
def test_a_table_depends_on_its_view_its_seed_and_its_number_only(rules):
    views = some_views(rules)
    seeds = np.arange(len(views), dtype=np.uint64) + np.uint64(2**63)
    together = redeal(rules, views, seeds, 3).reshape(len(views), 3)
    assert redeal(rules, views, seeds, 3).tobytes() == together.tobytes()
    backwards = redeal(rules, views[::-1], seeds[::-1], 2).reshape(len(views), 2)
    for row in range(len(views)):
        assert backwards[-1 - row].tobytes() == together[row, :2].tobytes()
        assert (
            redeal(rules, views[row : row + 1], seeds[row : row + 1], 3).tobytes() == together[row].tobytes()
        )


def test_other_seeds_and_other_samples_are_other_tables():
    view = Table(modern_american(), seed=1).view(0)
    states = redeal(modern_american(), np.repeat(view, 50), range(50), 20)
    assert len({state.tobytes() for state in states}) == 1_000
    assert len(set(states["seed"].tolist())) == 1_000


def test_a_generator_goes_on():
    table = Table(classic(), seed=1)
    rng = np.random.default_rng(0)
    assert table.redeal(0, rng).position() != table.redeal(0, rng).position()


def test_the_table_itself_stays_as_it_is():
    table = random_position(modern_american(), 3)
    before = table._state.tobytes()
    drawn = table.redeal(1, np.random.default_rng(0))
    drawn.play(drawn.legal()[0])
    assert table._state.tobytes() == before


# Frequencies, against all the ways in which the cards can lie

NUM_DRAWN = 20_000


def small(rules, hands, stock, **named):
    """A position of few hidden cards: seat 0 or the viewer holds what is named nowhere."""
    viewer = named.pop("viewer", 0)
    rest = Counter(dict(zip(KINDS, COPIES, strict=True)))
    melds = named.pop("melds", {})
    pile = named.pop("pile", ["8"])
    for cards in (*hands.values(), *melds.values()):
        rest.subtract(cards.split())
    rest.subtract(stock.split())
    rest.subtract(pile)
    threes = {
        kind: rest.pop(kind) for kind in ("red3", "black3") if kind == "red3" or rules.lays_black_threes
    }
    return Table.from_position(
        {
            "game": rules.game,
            "players": rules.players,
            "hands": hands | {viewer: dict(+rest)},
            "melds": [{}] * rules.num_sides if not melds else [melds] + [{}] * (rules.num_sides - 1),
            "threes": [threes] + [{}] * (rules.num_sides - 1),
            "stock": stock.split(),
            "pile": pile,
            **named,
        }
    )


def layouts(table, seat):
    """The probability of each layout, by going through every order of the hidden cards.

    A layout is the other hands, as counts, and the stock, in order.
    """
    position, rules = table.position(), table.rules
    others = others_of(rules, seat)
    known = {other: Counter(position["known"][other]) for other in others}
    loose = list(position["stock"])
    for other in others:
        loose += (Counter(position["hands"][other]) - known[other]).elements()
    counts = Counter()
    for cards in permutations(loose):
        place, hands = 0, []
        for other in others:
            size = sum(position["hands"][other].values()) - known[other].total()
            held = known[other] + Counter(cards[place : place + size])
            hands.append(tuple(held[kind] for kind in KINDS))
            place += size
        counts[tuple(hands), tuple(KINDS.index(card) for card in cards[place:])] += 1
    hands = {hands for hands, _ in counts}
    possible = {each for each in hands if is_possible(position, others, each)}
    counts = Counter({layout: count for layout, count in counts.items() if layout[0] in possible})
    return {layout: count / counts.total() for layout, count in counts.items()}


def others_of(rules, seat):
    return [other for other in range(rules.players) if other != seat]


def is_possible(position, others, hands):
    """Whether there is such a position; the stock takes what the hands leave."""
    held = list(position["hands"])
    for other, hand in zip(others, hands, strict=True):
        held[other] = dict(zip(KINDS, hand, strict=True))
    rest = {key: value for key, value in position.items() if key != "stock"}
    try:
        Table.from_position(rest | {"hands": held}, partial=True)
    except PositionError:
        return False
    return True


def count_layouts(states, seat, rules):
    hands = states["hand"][:, others_of(rules, seat)].tolist()
    stocks = states["stock"][:, states["next_card"][0] :].tolist()
    return Counter((tuple(map(tuple, hand)), tuple(stock)) for hand, stock in zip(hands, stocks, strict=True))


def chi_squared(drawn, expected):
    assert set(drawn) <= set(expected)
    total = sum(drawn.values())
    return sum((drawn[key] - total * share) ** 2 / (total * share) for key, share in expected.items())


def assert_frequencies(rules, states, seat, expected):
    drawn = count_layouts(states, seat, rules)
    freedom = len(expected) - 1
    limit = freedom + 4 * (2 * freedom) ** 0.5
    assert chi_squared(drawn, expected) < limit
    if len(set(expected.values())) > 1:  # layouts weigh differently, and that would be noticed
        assert chi_squared(drawn, dict.fromkeys(expected, 1 / len(expected))) > limit


SMALL = {
    "a known card and a red three": lambda: small(
        classic(2), {1: "Q K 7"}, "joker K red3", known=[{}, {"Q": 1}], to_play=0, dealer=1
    ),
    "two hands": lambda: small(classic(3), {1: "K", 2: "K 4"}, "4 9 joker", to_play=1, dealer=0),
    "threes in the stock": lambda: small(
        modern_american(), {1: "K", 2: "A A", 3: "5"}, "red3 black3 5", to_play=1, phase="draw"
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_every_layout_is_as_likely_as_the_cards_make_it(name):
    table = SMALL[name]()
    rules, view = table.rules, table.view(0)
    expected = layouts(table, 0)
    assert len(expected) > 10
    assert_frequencies(rules, redeal(rules, view, [11], NUM_DRAWN), 0, expected)
    seeds = np.arange(NUM_DRAWN)
    assert_frequencies(rules, redeal(rules, np.repeat(view, NUM_DRAWN), seeds), 0, expected)


def asked_table():
    """Seat 0 has asked its partner, who holds nearly all the cards."""
    return small(
        classic(4),
        {0: "K Q 9", 1: "5", 3: "joker"},
        "Q 9",
        viewer=2,
        melds={"K": "K K K K K K K", "Q": "Q Q Q"},
        phase="answer",
        to_play=2,
        asked=[True, False, False, False],
        melded=[True, False, False, False],
    )


def test_a_hand_that_asks_is_one_that_can_go_out():
    table = asked_table()
    expected = layouts(table, 2)
    assert_frequencies(table.rules, redeal(table.rules, table.view(2), [3], NUM_DRAWN), 2, expected)
    stuck = tuple({"5": 1, "9": 2}.get(kind, 0) for kind in KINDS)
    assert stuck not in {hands[0] for hands, _ in expected}


def test_a_hand_searched_for_is_as_likely_as_one_drawn():
    table = asked_table()
    rules, view = table.rules, table.view(2)
    cards = _tables_without_hidden_cards(rules, view)
    states = np.repeat(cards, NUM_DRAWN)
    loose = _loose_cards(rules, view, cards)
    seeds = np.array([5], np.uint64)
    assert redeal_within_a_turn(rules_record(rules), states, loose, seeds, NUM_DRAWN, 0) == NONE_FOUND
    assert_frequencies(rules, states, 2, layouts(table, 2))


def test_a_three_that_ended_the_deal_is_in_the_hand_that_drew_it():
    """R-TURN-2."""
    table = small(modern_american(), {1: "K 4", 2: "A", 3: "5 6"}, "red3", to_play=1, dealer=0, phase="draw")
    table.play("draw")
    assert table.is_over and table.hand(1) == {"red3": 1, "4": 1, "K": 1}
    for seat in (0, 2, 3):
        states = redeal(table.rules, table.view(seat), [seat], 50)
        assert_looks_like(table.rules, table.view(seat), states)
        assert (states["hand"][:, 1, KINDS.index("red3")] == 1).all()
        assert len({state.tobytes() for state in states["hand"]}) > 5


# What is refused


def test_arguments_that_do_not_fit_are_named():
    rules = modern_american()
    view = Table(rules, seed=2).view(1)
    for arguments, message in (
        ((rules, np.zeros(1, STATE), [1]), "views: .* must be views of this version"),
        ((rules, view[0], [1]), "views: "),
        ((classic(2), view, [1]), r"views\[0\]: players: 4 must be 2"),
        ((rules, view, [-1]), "seeds: -1 must be from 0"),
        ((rules, view, [1, 2]), r"seeds: .* must be integers of \(1,\)"),
        ((rules, view, [1], 0), "num_samples: 0 must be a whole number from 1"),
        (("modern", view, [1]), "rules: "),
    ):
        with pytest.raises(ValueError, match=message):
            redeal(*arguments)
    with pytest.raises(ValueError, match=r"rng: 5 must be a numpy\.random\.Generator"):
        Table(rules, seed=2).redeal(0, 5)
    with pytest.raises(ValueError, match="seat: 4 must be"):
        Table(rules, seed=2).redeal(4, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("unseen", (0, 5), -1, "unseen: must hold"),
        ("unseen", (0, 5), 100, "unseen: must hold"),
        ("unseen", (0, 5), 0, "unseen: must be the cards of the stock"),
        ("stock_size", 0, 3, "unseen: must be the cards of the stock"),
        ("stock_size", 0, 109, "stock_size: 109 must be from 0 to 108"),
        ("hand_size", (0, 1), -1, "hand_size: must be at least"),
        ("hand_size", (0, 0), 50, "hand_size: must be the number of cards in the viewer's hand"),
        ("hand", (0, 4), -1, "unseen: must hold"),
        ("seat", 0, 4, "seat: 4 must be from 0 to 3"),
    ],
)
def test_a_view_of_no_table_is_refused(name, at, value, message):
    views = np.repeat(Table(modern_american(), seed=2).view(1), 2)
    views[name][1:][at] = value
    with pytest.raises(ValueError, match=rf"views\[1\]: {message}"):
        redeal(modern_american(), views, [1, 2])


def test_no_views_are_no_tables():
    assert len(redeal(classic(), np.zeros(0, VIEW), np.zeros(0, int))) == 0


def test_it_is_public():
    assert "redeal" in canasta_env.__all__
