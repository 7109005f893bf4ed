"""Several people at one table, each with a socket and a link of the own seat."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the server needs aiohttp (extra `play`)")
from aiohttp import ClientWebSocketResponse
from aiohttp.test_utils import TestClient, TestServer

from canasta_agents.play import lobby as lobby_module
from canasta_agents.play import server
from canasta_agents.play.game import GameProgress
from canasta_agents.play.hosts import accepted_names
from canasta_agents.play.lobby import Lobby, split
from canasta_agents.play.server import Server
from canasta_agents.play.session import Session
from canasta_env import Table, classic
from canasta_env.events import play_move, view_message
from tests.play.seated import Hanging

CHANCE, HANGING = (f"python:tests.play.seated:{name}" for name in ("Chance", "Hanging"))
Client = TestClient[Any, Any]
Talk = Callable[[Client, Lobby], Awaitable[None]]
Message = dict[str, Any]


def serve(folder: Path, talk: Talk) -> None:
    """Start a server that friends reach, and talk to it."""

    async def run() -> None:
        lobby = Lobby(folder / "runs", folder / "records", [CHANCE, HANGING], folder / "tables", "192.0.2.7")
        app = Server(lobby, accepted_names("127.0.0.1")).app()
        async with TestClient(TestServer(app)) as client:
            await asyncio.wait_for(talk(client, lobby), 60)

    asyncio.run(run())


class Person:
    """Somebody with a link: a socket, and all texts that came through it.

    Args:
        socket: Its socket.
        table: The address of the table, as the link has it; `texts` have LINK in its place.
    """

    def __init__(self, socket: ClientWebSocketResponse, table: str) -> None:
        self.socket, self.table = socket, table
        self.received: list[Message] = []
        self.texts: list[str] = []
        self.state: Message = {}

    @classmethod
    async def joining(cls, client: Client, table: str) -> Person:
        person = cls(await client.ws_connect("/socket"), table)
        await person.say("join")
        await person.hear("state")
        return person

    async def say(self, kind: str, **fields: Any) -> None:
        await self.socket.send_json({"type": kind, "table": self.table, **fields})

    async def hear(self, kind: str, is_it: Callable[[Message], Any] = lambda message: True) -> Message:
        """The next message of a kind that is so; what comes before is kept in `received`."""
        while True:
            text = await self.socket.receive_str()
            message: Message = json.loads(text)
            self.texts.append(text.replace(self.table, "LINK"))
            self.received.append(message)
            if message["type"] == "state":
                self.state = message
            if message["type"] == kind and is_it(message):
                return message

    async def ask(self, kind: str, **fields: Any) -> Message:
        """Say something that is answered by an error."""
        await self.say(kind, **fields)
        return await self.hear("error")


async def open_table(client: Client, players: int, *others: str, game: str = "classic") -> list[Person]:
    """Open a table with friends in the seats that are not given, and let all join, the opener first."""
    socket = await client.ws_connect("/socket")
    friends = ["friend"] * (players - 1 - len(others))
    seats = ["you", *friends, *others]
    message = {
        "type": "open",
        "game": game,
        "players": players,
        "seats": seats,
        "episode": "deal",
        "pace_s": 0,
    }
    await socket.send_json(message)
    opener = Person(socket, (await socket.receive_json())["table"])
    await opener.say("join")
    told = (await opener.hear("state"))["friends"]
    name = split(opener.table)[0]
    links = [f"{name}.{one['link']}" for one in told if "link" in one]
    return [opener, *[await Person.joining(client, link) for link in links]]


async def play_on(people: list[Person], rng: Random, moves: int = 10**6) -> None:
    """Let whoever is to move play by chance until the deal is over, or so many moves were played."""
    while people[0].state["phase"] != "over" and len(people[0].state["moves"]) < moves:
        mover = next((person for person in people if person.state["legal"]), None)
        at = len(people[0].state["moves"])
        if mover is not None:
            await mover.say("play", action=rng.choice(mover.state["legal"]), at=at)
        for person in people:
            if len(person.state["moves"]) <= at:
                await person.hear("state", lambda state, at=at: len(state["moves"]) > at)


def check_received(person: Person, dealt: Table) -> None:
    """Every state holds what the VIEW of the person's seat held then, and no card more."""
    seat, rules = person.state["own_seat"], dealt.rules
    table, moves = dealt.copy(), []
    for state in [message for message in person.received if message["type"] == "state"]:
        for move in state["moves"][len(moves) :]:
            moves.append(play_move(table, move["action"]))
        assert state["moves"] == json.loads(json.dumps([move.seen_by(seat) for move in moves]))
        seen = json.loads(json.dumps(view_message(rules, table.view(seat))))
        if not table.is_over:
            assert {key: state[key] for key in seen} == seen
            assert [hand["cards"] is None for hand in state["hands"]] == [
                each != seat for each in range(rules.players)
            ]
        assert state["own_seat"] == state["seat"] == state["seen_from"] == seat


@pytest.mark.parametrize(
    ("game", "players", "others"),
    [("classic", 2, ()), ("classic", 3, (CHANCE,)), ("modern_american", 4, (CHANCE,))],
    ids=["two", "two and an agent", "three and an agent"],
)
def test_a_whole_deal_by_several_people_who_get_the_cards_of_their_seats_only(
    tmp_path: Path, game: str, players: int, others: tuple[str, ...]
) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, players, *others, game=game)
        assert [person.state["own_seat"] for person in people] == list(range(len(people)))
        await play_on(people, Random(1))
        session = lobby.find(split(people[0].table)[0])
        assert isinstance(session, Session)
        for person in people:
            check_received(person, session.so_far().dealt)
            states = [message for message in person.received if message["type"] == "state"]
            assert len(states) > 20 and states[-1]["is_over"]
            assert {message["table"] for message in person.received} == {person.table}

    serve(tmp_path, talk)


def test_a_link_plays_no_other_seat(tmp_path: Path) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 2)
        mover, other = sorted(people, key=lambda person: not person.state["legal"])
        at = len(mover.state["moves"])
        for kind, fields in (
            ("play", {"action": "draw", "at": at}),
            ("play", {"action": "draw", "at": at, "seat": mover.state["own_seat"]}),
            ("lay", {"actions": ["take"], "at": at}),
            ("select", {"cards": {"4": 1}}),
            ("why", {"target": "stock"}),
            ("advise", {"agent": "random"}),
        ):
            assert "not your turn" in (await other.ask(kind, **fields))["reason"]
        assert "sees the table from the own seat" in (await other.ask("look", seat=0))["reason"]
        assert "for who opened the table" in (await people[1].ask("pace", pace_s=1))["reason"]
        assert len((await Person.joining(client, mover.table)).state["moves"]) == at

    serve(tmp_path, talk)


def test_a_wrong_secret_is_refused_and_told_nothing(tmp_path: Path) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 2)
        others = await open_table(client, 2)
        name, secret = split(people[1].table)
        of_another_table = split(others[1].table)[1]
        wrong = ["", secret[:-1], secret + "A", secret.swapcase(), "é", "\ud800", of_another_table, "A" * 22]
        stranger = Person(await client.ws_connect("/socket"), "")
        for table in (name, *[f"{name}.{one}" for one in wrong]):
            stranger.table = table
            for kind, fields in (
                ("join", {}),
                ("play", {"action": "draw", "at": 0}),
                ("advise", {"agent": "random"}),
                ("save", {}),
                ("name", {"name": "Eve"}),
                ("seat", {"seat": 1, "player": "friend"}),
            ):
                reason = (await stranger.ask(kind, **fields))["reason"]
                assert reason.startswith("table: this link plays no seat") and "ask who opened" in reason
            response = await client.get(f"/tables/{ascii(table)[1:-1]}/record")
            assert response.status == 404 and "plays no seat" in (await response.json())["reason"]
        stranger.table = f"nowhere.{secret}"
        assert "there is no 'nowhere'" in (await stranger.ask("join"))["reason"]
        assert {message["type"] for message in stranger.received} == {"error"}
        assert secret not in json.dumps(stranger.received)

    serve(tmp_path, talk)


def test_a_link_whose_seat_was_given_to_an_agent_is_told_so_and_hears_no_more(tmp_path: Path) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 3)
        window = await Person.joining(client, people[1].table)
        await play_on(people, Random(2), moves=4)
        await people[0].say("seat", seat=1, player=CHANCE)
        for person in (people[1], window):
            error = await person.hear("error")
            assert error["table"] == person.table and "its seat was given to another" in error["reason"]
        await people[0].hear("state", lambda state: state["names"][1] == CHANCE)
        await people[2].hear("state", lambda state: state["names"][1] == CHANCE)
        assert "plays no seat" in (await people[1].ask("join"))["reason"]
        num_told = len(people[1].received)
        await play_on([people[0], people[2]], Random(2), moves=12)
        await people[1].socket.send_json({"type": "lobby"})
        await people[1].hear("lobby")
        assert len(people[1].received) == num_told + 1

    serve(tmp_path, talk)


def test_who_has_joined_is_told_to_all_and_two_windows_are_one_person(tmp_path: Path) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 3)

        def here(state: Message) -> list[bool]:
            return [one["here"] for one in state["friends"]]

        for person in people[:2]:
            await person.hear("state", lambda state: here(state) == [True, True, True])
        window = await Person.joining(client, people[1].table)
        assert window.state == people[1].state
        await people[1].socket.close()
        await window.socket.close()
        await people[2].hear("state", lambda state: here(state) == [True, False, True])
        back = await Person.joining(client, people[1].table)
        assert here(back.state) == [True, True, True]
        await people[2].hear("state", lambda state: here(state) == [True, True, True])
        await back.say("name", name="Ann")
        told = await people[2].hear("state", lambda state: state["seated"][1]["title"] == "Ann")
        assert told["friends"][1] == {"seat": 1, "name": "Ann", "here": True}

    serve(tmp_path, talk)


def test_a_move_in_one_window_is_seen_in_the_other_and_not_played_twice(tmp_path: Path) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 2)
        mover = next(person for person in people if person.state["legal"])
        window = await Person.joining(client, mover.table)
        await mover.say("play", action="draw", at=0)
        await window.hear("state", lambda state: len(state["moves"]) == 1)
        assert window.state["legal"]
        assert "it has gone on since" in (await window.ask("play", action="draw", at=0))["reason"]

    serve(tmp_path, talk)


def test_links_lead_to_their_seats_after_the_server_has_ended(tmp_path: Path) -> None:
    links: list[str] = []
    states: list[Message] = []

    async def before(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 3)
        await play_on(people, Random(3), moves=10)
        links.extend(person.table for person in people)
        states.extend(person.state for person in people)

    async def after(client: Client, lobby: Lobby) -> None:
        for link, state in zip(links, states, strict=True):
            again = (await Person.joining(client, link)).state
            assert (again["hands"], again["moves"]) == (state["hands"], state["moves"])

    serve(tmp_path, before)
    serve(tmp_path, after)


def test_who_comes_late_plays_with_a_new_link_what_an_agent_has_begun(tmp_path: Path) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 2)
        await people[0].say("seat", seat=1, player=CHANCE)
        await people[0].hear("state", lambda state: state["names"][1] == CHANCE)
        await play_on(people[:1], Random(1), moves=6)
        await people[0].say("seat", seat=1, player="friend")
        state = await people[0].hear("state", lambda state: state["names"][1] == "friend")
        link = f"{split(people[0].table)[0]}.{state['friends'][1]['link']}"
        assert link != people[1].table
        await play_on([people[0], await Person.joining(client, link)], Random(1))

    serve(tmp_path, talk)


def test_an_agent_that_hangs_holds_up_no_friend_who_asks(tmp_path: Path) -> None:
    async def talk(client: Client, lobby: Lobby) -> None:
        people = await open_table(client, 3, HANGING)
        await people[1].say("name", name="Ann")
        assert await people[0].hear("state", lambda state: state["seated"][1]["title"] == "Ann")

    Hanging.gate.clear()
    try:
        serve(tmp_path, talk)
    finally:
        Hanging.gate.set()


DRAWN_BY_FRIEND = (2, 3, 6, 7)  # places in the stock, the opener being the first to draw two
TURNS_OF_EACH = 2


def pair_of_deals(rng: Random) -> tuple[Table, Table, list[str]]:
    """Two deals that seat 1 cannot tell apart while seat 0, which begins, discards these cards."""
    while True:
        position = Table(classic(players=2), seed=rng.randrange(10**6)).position()
        stock, own = list(position["stock"]), Counter(position["hands"][0])
        discards = [kind for kind in own if kind not in ("2", "joker", "black3")][:TURNS_OF_EACH]
        if position["to_play"] == 0 and len(discards) == TURNS_OF_EACH and "red3" not in stock[:8]:
            break
    hidden = [place for place, kind in enumerate(stock) if kind != "red3" and place not in DRAWN_BY_FRIEND]
    pool = [*(own - Counter(discards)).elements(), *(stock[place] for place in hidden)]
    rng.shuffle(pool)
    other_stock = list(stock)
    for place in hidden:
        other_stock[place] = pool.pop()
    hands = [dict(Counter([*pool, *discards])), position["hands"][1]]
    other = position | {"hands": hands, "stock": other_stock}
    return Table.from_position(position), Table.from_position(other), discards


@pytest.mark.parametrize("seed", range(4))
def test_hidden_cards_change_no_byte_that_a_friend_receives_before_they_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    *deals, discards = pair_of_deals(Random(seed))
    monkeypatch.setattr(lobby_module, "warm_up", lambda: None)  # which plays a deal of its own
    assert deals[0].position() != deals[1].position()
    told: list[list[str]] = []

    async def talk(client: Client, lobby: Lobby) -> None:
        host, friend = people = await open_table(client, 2)
        await host.hear("state")  # that the friend is here

        async def move(person: Person, action: str) -> None:
            at = len(person.state["moves"])
            await person.say("play", action=action, at=at)
            for each in people:
                await each.hear("state", lambda state: len(state["moves"]) > at)

        async def ask_everything() -> None:
            for kind in ("4", "7", "K", "2"):
                await friend.say("why", target=f"card:{kind}")
            for kind in ("propose", "undo", "save", "look", "rematch"):
                await friend.say(kind)
            await friend.say("name", name="Ann")
            await friend.hear("state")
            await friend.say("advise", agent="random")
            await friend.hear("advice" if friend.state["legal"] else "error")
            record = await client.get(f"/tables/{friend.table}/record")
            friend.texts.append(await record.text())

        for card in discards:
            for action in ("draw", f"discard {card}"):
                await ask_everything()
                await move(host, action)
            await ask_everything()
            await move(friend, "draw")
            await ask_everything()
            own = [action for action in friend.state["legal"] if action.startswith("discard")]
            await move(friend, own[0])
        told.append(friend.texts)

    for number, dealt in enumerate(deals):
        monkeypatch.setattr(GameProgress, "dealt", lambda self, dealt=dealt: dealt.copy())
        serve(tmp_path / str(number), talk)
    assert told[0] == told[1] and len(told[0]) > 50


def test_odd_messages_of_a_friend_harm_no_game_and_tell_nothing_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MESSAGES_PER_S", 10_000)
    kinds = ["play", "lay", "take_back", "select", "why", "seat", "name", "undo", "rematch", "pace", "next"]

    async def talk(client: Client, lobby: Lobby) -> None:
        host, friend = await open_table(client, 2)
        rng = Random(5)
        values = [None, True, -1, 0, 1, 2**70, "", "draw", "friend", "x" * 200, [], ["take"], {}, {"K": 1}]
        while friend.state["legal"]:  # until the host is to move
            at = len(friend.state["moves"])
            action = next((one for one in friend.state["legal"] if one.startswith("discard")), "draw")
            await friend.say("play", action=action, at=at)
            await friend.hear("state", lambda state, at=at: len(state["moves"]) > at)
        session = lobby.find(split(host.table)[0])
        before, at = session.kept(), len(friend.state["moves"])
        likely = {"action": "draw", "actions": ["take"], "at": at, "seat": 1, "player": "friend", "pace_s": 1}
        fields = [*likely, "name", "cards", "target", "table"]
        for number in range(1_500):
            odd = {key: rng.choice(values) for key in rng.sample(fields, rng.randrange(len(fields)))}
            odd |= {key: likely[key] for key in likely if key in odd and rng.random() < 0.7}
            await friend.socket.send_json({"type": rng.choice(kinds), "table": friend.table, **odd})
            if number % 20 == 0:
                await friend.say("why", target="stock")
                await friend.hear("error", lambda message: "not your turn" in message["reason"])
        await friend.say("join")
        await friend.hear("state")
        assert session.kept() == before
        check_received(friend, session.so_far().dealt)
        reasons = [message.get("reason", "") for message in friend.received]
        assert not [reason for reason in reasons if "the server could not follow" in reason]

    serve(tmp_path, talk)
