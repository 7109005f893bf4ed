"""A table that several people share, without sockets: what each sees, may do, and is told of the others."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from canasta_agents.play.friends import FRIEND, MAX_NAME
from canasta_agents.play.hosts import name_for_friends
from canasta_agents.play.lobby import Lobby, seat_of, split
from canasta_agents.play.messages import PlayError
from canasta_agents.play.session import YOU, Session
from canasta_agents.play.terminal import play_in_terminal
from canasta_env import Rules, Table, classic, modern_american, records
from tests.engine.test_hidden_information import reshuffled
from tests.engine.walking import FOUR_GAMES, NAMES, random_position
from tests.play.seated import make

TWO = classic(players=2)
MESSAGES_OF_A_TURN = (
    {"type": "propose"},
    {"type": "propose", "pile": True},
    {"type": "why", "target": "stock"},
    {"type": "why", "target": "pile"},
    {"type": "take_back", "at": 0},
    {"type": "look", "seat": 0},
    {"type": "undo"},
    {"type": "next"},
    {"type": "pace", "pace_s": 0},
    {"type": "name", "name": "Ann"},
)


def shared(rules: Rules = TWO, *others: str, episode: Any = "match") -> Session:
    """A table whose opener sits in seat 0, with friends in the seats that are not given."""
    seats = [YOU, FRIEND, *others]
    return Session(rules, seats + [FRIEND] * (rules.players - len(seats)), make, 7, episode)


def play(table: Session, seat: int, rng: Random) -> dict[str, Any]:
    """Let the person of a seat play by chance."""
    state = table.state(seat)
    action = rng.choice(state["legal"])
    return table.handle({"type": "play", "action": action, "at": len(state["moves"])}, seat)[0]


def to_move(table: Session) -> int | None:
    """The seat to move, as anybody is told it."""
    return table.state()["to_play"]  # type: ignore[no-any-return]


def outcome(table: Session, message: dict[str, Any], seat: int) -> str:
    """All that the person in a seat is told after a message, byte by byte."""
    try:
        replies = table.handle(message, seat)
    except PlayError as error:
        replies = [{"reason": str(error)}]
    return json.dumps(replies)


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_each_person_sees_the_own_hand_only_through_a_whole_deal(rules: Rules) -> None:
    table, rng = shared(rules, episode="deal"), Random(1)
    while (seat := to_move(table)) is not None:
        for viewer in range(rules.players):
            state = table.state(viewer)
            assert [hand["cards"] is not None for hand in state["hands"]] == [
                each == viewer for each in range(rules.players)
            ]
            assert state["own_seat"] == state["seat"] == viewer
            assert {move["seat"] for move in state["moves"] if "drawn" in move} <= {viewer}
            assert bool(state["legal"]) == (viewer == seat)
        play(table, seat, rng)
    assert all(hand["cards"] is not None for hand in table.state(1)["hands"])
    records.verify(table.record())


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_cards_hidden_from_a_friend_change_no_byte_that_it_is_told(rules: Rules) -> None:
    """At many points of many deals the hidden cards are dealt anew: the friend's answers stay the same."""
    num_compared, num_in_turn = 0, 0
    for seed in range(25):
        position = random_position(rules, seed)
        seat = Random(seed).randrange(1, rules.players)
        other = reshuffled(position, seat, Random(seed))
        if other is None or other.position() == position.position():
            continue
        told = [told_to_friend(each, seat) for each in (position, other)]
        assert told[0] == told[1]
        num_compared += 1
        num_in_turn += position.to_play == seat
    assert num_compared >= 10 and num_in_turn >= 1


def told_to_friend(position: Table, seat: int) -> list[str]:
    """All that a friend is told at a position, asks about it, and is told of all it may lay there."""
    told = []
    for action in (None, *_laying(position, seat)):
        table = shared(position.rules)
        assert table.friends is not None
        table.friends._secrets = {each: f"secret {each}" for each in range(position.rules.players)}
        table._game.table = position.copy()
        told.append(json.dumps(table.state(seat)))
        if action is not None:
            told.append(outcome(table, {"type": "play", "action": action, "at": 0}, seat))
        told += [outcome(table, message, seat) for message in MESSAGES_OF_A_TURN]
        told += [outcome(table, {"type": "why", "target": f"card:{kind}"}, seat) for kind in ("4", "K", "2")]
    return told


def _laying(position: Table, seat: int) -> list[str]:
    if position.to_play != seat:
        return []
    return [action for action in position.legal() if action.startswith(("take", "meld", "add", "pick"))]


def test_nobody_plays_for_another() -> None:
    table = shared()
    mover = to_move(table)
    assert mover is not None
    before = [table.state(seat) for seat in (0, 1)]
    for message in (
        {"type": "play", "action": "draw", "at": 0},
        {"type": "lay", "actions": ["take"], "at": 0},
        {"type": "select", "cards": {"4": 1}},
        {"type": "propose"},
        {"type": "why", "target": "stock"},
    ):
        with pytest.raises(PlayError, match="not your turn"):
            table.handle(message, 1 - mover)
    with pytest.raises(PlayError, match="not your turn"):
        table.table_for_advice(1 - mover)
    assert table.table_for_advice(mover).legal() == ["draw"]
    assert [table.state(seat) for seat in (0, 1)] == before


def test_only_who_opened_the_table_says_how_fast_it_goes_and_who_sits_where() -> None:
    table = shared()
    before = table.kept()
    for message in (
        {"type": "pace", "pace_s": 0},
        {"type": "pause", "is_paused": True},
        {"type": "seat", "seat": 1, "player": "chance"},
        {"type": "undo"},
        {"type": "rematch"},
    ):
        with pytest.raises(PlayError, match="for who opened the table"):
            table.handle(message, 1)
    assert table.kept() == before
    assert table.handle({"type": "pace", "pace_s": 0})[0]["pace_s"] == 0


def test_what_the_others_have_seen_is_not_taken_back() -> None:
    table, rng = shared(), Random(2)
    while not any(move["action"].startswith("meld") for move in table.state()["moves"]):
        seat = to_move(table)
        assert seat is not None
        melding = [action for action in table.state(seat)["legal"] if action.startswith("meld")]
        if melding:
            message = {"type": "play", "action": melding[0], **table.place}
            assert table.handle(message, seat)[0]["takes_back"] == []
        else:
            play(table, seat, rng)
    for message in ({"type": "take_back", **table.place}, {"type": "undo"}):
        with pytest.raises(PlayError, match="nothing is taken back"):
            table.handle(message)
    table.handle({"type": "seat", "seat": 1, "player": "chance"})
    assert table.handle({"type": "undo"})[0]["moves"] == []


def test_a_chosen_name_is_shown_to_the_others() -> None:
    table = shared(modern_american(), "chance")
    assert [seat.get("title") for seat in table.state(1)["seated"]] == [
        "the host",
        None,
        "chance",
        "a friend",
    ]
    table.handle({"type": "name", "name": "  Ann   <b>B</b> "}, 3)
    assert table.state(1)["seated"][3]["title"] == "Ann <b>B</b>"
    assert table.state(3)["seated"][3].get("title") is None
    assert [(one["seat"], one["name"]) for one in table.state(1)["friends"]] == [
        (0, ""),
        (1, ""),
        (3, "Ann <b>B</b>"),
    ]
    table.handle({"type": "name", "name": ""}, 3)
    assert table.state(1)["seated"][3]["title"] == "a friend"


@pytest.mark.parametrize(
    "name",
    [None, 3, ["Ann"], "x" * (MAX_NAME + 1), " " * 1_000, "a\0b", "a\u202eb", "\ud800", "a\x1b[2Jb"],
    ids=ascii,
)
def test_a_name_that_is_none_is_refused(name: object) -> None:
    table = shared()
    with pytest.raises(PlayError, match=r"name: .* must be a text of at most 24"):
        table.handle({"type": "name", "name": name}, 1)
    assert table.state(0)["seated"][1]["title"] == "a friend"


def test_links_are_told_to_who_opened_the_table_alone() -> None:
    table = shared(modern_american())
    assert table.friends is not None
    told = {one["seat"]: one.get("link") for one in table.state()["friends"]}
    assert told == {0: None, **{seat: table.friends.secret_of(seat) for seat in (1, 2, 3)}}
    assert len(set(told.values())) == 4 and all(len(told[seat] or "") >= 22 for seat in (1, 2, 3))  # 128 bits
    secrets = [table.friends.secret_of(seat) or "" for seat in range(4)]
    for seat in (1, 2, 3):
        text = json.dumps(table.state(seat))
        assert not [secret for secret in secrets if secret in text]
    assert secrets[0] not in json.dumps(table.state(0))


def test_a_friend_who_does_not_come_is_replaced_and_its_link_plays_no_more() -> None:
    table, rng = shared(classic(players=3)), Random(3)
    assert table.friends is not None
    for _ in range(20):
        seat = to_move(table)
        assert seat is not None
        play(table, seat, rng)
    old = table.friends.secret_of(1)
    table.handle({"type": "name", "name": "Ann"}, 1)
    state = table.handle({"type": "seat", "seat": 1, "player": "chance"})[0]
    assert state["seated"][1]["title"] == "chance" and state["names"][1] == "chance"
    with pytest.raises(PlayError, match="plays no seat"):
        seat_of(table, str(old))
    assert [one["seat"] for one in table.state(2)["friends"]] == [0, 2]
    assert [(one["seat"], one.get("link") is None) for one in state["friends"]] == [
        (0, True),
        (1, True),
        (2, False),
    ]
    while (seat := to_move(table)) is not None:
        if seat == 1:
            assert table.advance()["fault"] is None
        else:
            play(table, seat, rng)
    records.verify(table.record())


def test_a_friend_who_comes_late_after_all_gets_a_new_link() -> None:
    table = shared()
    assert table.friends is not None
    first = table.friends.secret_of(1)
    table.handle({"type": "seat", "seat": 1, "player": "stubborn"})
    question = None
    while question is None:
        question = table.ask() or (play(table, 0, Random(1)) and None)
    table.handle({"type": "seat", "seat": 1, "player": FRIEND})
    assert not table.apply_answer(question, "draw") and table.waits_s is None
    second = table.friends.secret_of(1)
    assert second not in (None, first) and seat_of(table, str(second)) == 1
    play(table, 1, Random(1))


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"seat": 0, "player": "chance"}, "seat: 0 is no seat of a friend"),
        ({"seat": 2, "player": "chance"}, "seat: 2 is no seat of a friend"),
        ({"seat": 4, "player": "chance"}, "seat: 4 must be"),
        ({"seat": 1, "player": "nobody"}, "not offered"),
        ({"seat": 1, "player": YOU}, "has a seat already"),
        ({"seat": 1}, "player: None"),
    ],
    ids=str,
)
def test_a_seat_that_cannot_be_given_is_refused(message: dict[str, Any], reason: str) -> None:
    table = shared(modern_american(), "chance")
    before = table.kept(), [table.state(seat) for seat in (0, 1, 3)]
    with pytest.raises(PlayError) as refused:
        table.handle({"type": "seat", **message})
    assert reason in str(refused.value)
    assert (table.kept(), [table.state(seat) for seat in (0, 1, 3)]) == before


def test_links_outlive_the_server_and_names_do_not() -> None:
    table, rng = shared(modern_american()), Random(4)
    table.handle({"type": "name", "name": "Ann"}, 2)
    table.handle({"type": "seat", "seat": 3, "player": "chance"})
    while len(table.state()["moves"]) < 20:
        seat = to_move(table)
        assert seat is not None
        table.advance() if seat == 3 else play(table, seat, rng)
    text = json.dumps(table.kept())
    assert "Ann" not in text
    again = Session.restored(json.loads(text), make)
    assert again.kept() == table.kept()
    table.handle({"type": "name", "name": ""}, 2)
    assert [again.state(seat) for seat in (0, 1, 2)] == [table.state(seat) for seat in (0, 1, 2)]
    again.handle({"type": "seat", "seat": 3, "player": FRIEND})


@pytest.mark.parametrize(
    "kept",
    [
        [],
        [[0, None]],
        [[0, ""]],
        [[0, "a"]],
        [[0, "a"], [1, ""]],
        [[0, "a"], [1, "b"], [2, None]],
        3,
        [["x", "y"]],
    ],
    ids=str,
)
def test_kept_links_that_are_none_are_refused(kept: Any) -> None:
    with pytest.raises(Exception):  # noqa: B017 - of many kinds, as it says
        Session.restored(shared().kept() | {"friends": kept}, make)


def test_a_table_without_friends_knows_of_none() -> None:
    table = Session(TWO, [YOU, "chance"], make, 7)
    assert "friends" not in table.state() and "friends" not in table.kept()
    for message in ({"type": "name", "name": "Ann"}, {"type": "seat", "seat": 1, "player": FRIEND}):
        with pytest.raises(PlayError, match="opened without friends"):
            table.handle(message)
    assert seat_of(table, "") is None
    with pytest.raises(PlayError, match="table: "):
        seat_of(table, "x")


def test_who_invites_friends_sits_at_the_table() -> None:
    with pytest.raises(PlayError, match="has a seat as well"):
        Session(TWO, ["chance", FRIEND], make, 7)


def test_friends_are_offered_where_they_can_reach_the_server_only(tmp_path: Path) -> None:
    message = {"game": "classic", "players": 2, "seats": [YOU, FRIEND]}
    near = Lobby(tmp_path / "runs", tmp_path / "records")
    assert "friends_host" not in near.offers()
    with pytest.raises(PlayError, match="started with --host"):
        near.open(message)
    far = Lobby(tmp_path / "runs", tmp_path / "records", friends_host="192.0.2.7")
    assert far.offers()["friends_host"] == "192.0.2.7"
    name, secret = split(far.open(message))
    assert seat_of(far.find(name), secret) == 0


def test_the_cards_of_a_table_with_friends_are_nobody_s_choice(tmp_path: Path) -> None:
    lobby = Lobby(tmp_path / "runs", tmp_path / "records", friends_host="192.0.2.7")
    message = {"game": "classic", "players": 2, "seats": [YOU, FRIEND]}
    with pytest.raises(PlayError, match="seed: with friends it is drawn"):
        lobby.open(message | {"seed": 3})
    assert lobby.open(message | {"seed": None})


def test_friends_play_in_the_browser_only() -> None:
    with pytest.raises(PlayError, match="'friend' plays in the browser"):
        play_in_terminal(TWO, [YOU, FRIEND], make, 1, read=lambda prompt: "quit", show=lambda text: None)


def test_the_name_for_friends_is_one_that_others_can_call() -> None:
    assert [name_for_friends(host) for host in ("127.0.0.1", "localhost", "[::1]", "127.0.0.2")] == [None] * 4
    assert name_for_friends("192.0.2.7") == "192.0.2.7"
    for host in ("0.0.0.0", "::"):
        name = name_for_friends(host)
        assert name is not None and name not in ("0.0.0.0", "::")


def test_a_new_deal_is_begun_by_anybody() -> None:
    table, rng = shared(), Random(5)
    while (seat := to_move(table)) is not None:
        play(table, seat, rng)
    assert table.handle({"type": "next"}, 1)[0]["deal"] == 2
    with pytest.raises(PlayError, match="the deal is not over"):
        table.handle({"type": "next"}, 0)


def test_a_record_names_no_person() -> None:
    table, rng = shared(episode="deal"), Random(6)
    table.handle({"type": "name", "name": "Ann"}, 1)
    while (seat := to_move(table)) is not None:
        play(table, seat, rng)
    record = table.record()
    assert record.agents == (YOU, FRIEND) and "Ann" not in records.to_text(record)


def test_another_game_is_played_at_the_same_table_with_the_same_links() -> None:
    rng = Random(8)
    table = Session(classic(players=3), [YOU, FRIEND, "chance"], make, 7, "deal")
    assert table.friends is not None
    links = table.friends.kept()
    with pytest.raises(PlayError, match="the game is not over"):
        table.handle({"type": "rematch"})
    hands = []
    for _ in range(2):
        hands.append(table.state(1)["hands"][1]["cards"])
        while (seat := to_move(table)) is not None:
            table.advance() if seat == 2 else play(table, seat, rng)
        record = records.verify(table.record())
        assert len(record.deals) == 1 and record.seed == table.kept()["seed"]
        state = table.handle({"type": "rematch"})[0]
        assert (state["deal"], state["moves"], state["totals"]) == (1, [], [0, 0, 0])
    assert hands[0] != hands[1] and table.kept()["seed"] != 7
    assert table.friends.kept() == links
    assert Session.restored(json.loads(json.dumps(table.kept())), make).state(1) == table.state(1)
    alone = Session(TWO, ["chance", "chance"], make, 7, "deal")
    with pytest.raises(PlayError, match="opened without friends"):
        alone.handle({"type": "rematch"})
