"""How often random play exercised each clause, seen on the oracle's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from canasta_env import actions
from canasta_env.cards import (
    ACE,
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    FIRST_RANK,
    JOKER,
    RED_THREE,
    SEVEN,
    TWO,
    VALUES,
)
from canasta_env.rules import Rules, standard_rules
from tests.reference import scoring
from tests.reference.deal import is_wild, laid_threes
from tests.reference.legality import (
    LAID,
    NO_MELD,
    OUT,
    STAY,
    WILD_OF_TAKE,
    WILDS,
    discard_class,
    is_clean,
)
from tests.reference.oracle import KIND_OF_DISCARD, TAKES, Oracle

CLASSES = {1: "(i)", 2: "(ii)", 3: "(iii)", 4: "(iv)", 5: "(v)"}

# A row for each event, by clause. Before it the games: C Classic, M Modern, 4 four players, D drawing more
# than one card; C4 means both. Clauses that can bar nothing have no row: of a closed rank one card is left,
# so nobody could take or meld it anyway (R-TAKE-2, R-MELD-7); and the pair of a Modern take leaves the hand
# only for a meld that the top card can join, or by an action that R-TURN-4 forbids (R-TAKE-5).
ROWS = """
C  R-DEAL-3 a wild turned up
C  R-DEAL-3 a red three turned up
C  R-DEAL-3 a black three is the first top card
CM R-TURN-1 a three drawn, laid and replaced
D  R-TURN-1 the last card drawn alone
M  R-TURN-2 the last card drawn is a three
C  R-TURN-2 the last card drawn is a red three, as first card
D  R-TURN-2 the last card drawn is a red three, as a later card
C  R-TURN-3 draw with an empty stock ends the deal
C  R-TURN-3 take with an empty stock
C  R-TURN-3 last stock card drawn, the turn goes on
M  R-TURN-3 turn finished after the last stock card, nobody out
M  R-TURN-3 going out after the last stock card
CM R-TURN-4 a meld or addition refused by the look-ahead
CM R-TURN-4 a take refused by the look-ahead
C  R-TAKE-1 black three on top blocks a take
C  R-TAKE-1 wild on top blocks a take
CM R-TAKE-2 take, opened, a new meld
CM R-TAKE-2 take, opened, onto a meld
C  R-TAKE-2 take onto a canasta
M  R-TAKE-2 no take, own meld of five or more
C  R-TAKE-3 take with 2
C  R-TAKE-3 take with joker
C  R-TAKE-3 take with a wild onto a meld
C  R-TAKE-3 no take with a wild, wild-frozen
C  R-TAKE-5 take, not opened
C  R-TAKE-5 melding between take and pick up
M  R-TAKE-5 take, not opened
CM R-TAKE-5 pick up
CM R-TAKE-5 pick up, nothing under the top card
M  R-TAKE-5 pick up, top card joins a clean meld
M  R-TAKE-5 pick up, top card joins a mixed meld
M  R-TAKE-5 pick up, with a pair
M  R-TAKE-5 pick up, top card completes a clean canasta
M  R-TAKE-5 pick up, top card completes a mixed canasta
CM R-TAKE-5 hand empty between take and pick up
C  R-TAKE-6 wild-frozen pile taken, wild on top covered
CM R-TAKE-6 pile of one card taken
C  R-TAKE-7 red three in a pile taken
CM R-MELD-1 clean meld begun
CM R-MELD-1 mixed meld begun
C  R-MELD-2 wild onto a clean canasta
C  R-MELD-2 third wild in a meld
C  R-MELD-2 meld of eight or more
M  R-MELD-3 natural kept off a full canasta
M  R-MELD-4 wild onto a meld, opened
M  R-MELD-4 wild in a meld of less than five naturals, in the opening
M  R-MELD-5 mixed aces in the opening
M  R-MELD-5 natural ace onto mixed aces, opened
M  R-MELD-6 wild meld begun in the opening
M  R-MELD-6 wild meld begun, opened
M  R-MELD-6 wild meld bars a wild from a rank
M  R-MELD-6 wild meld cannot begin, opening holds a wild
M  R-MELD-7 rank closed
C  R-MELD-8 black threes melded
C  R-MELD-8 fourth black three
C  R-MELD-8 black threes in an opening
CM R-MELD-9 mixed canasta
CM R-MELD-9 clean canasta
CM R-MELD-9 clean canasta of sevens
CM R-MELD-9 clean canasta of aces
M  R-MELD-9 wild canasta of seven twos
M  R-MELD-9 wild canasta with four jokers
M  R-MELD-9 wild canasta, other
CM R-OPEN-1 opened at minimum step 1
CM R-OPEN-1 opened at minimum step 2
CM R-OPEN-1 opened at minimum step 3
C  R-OPEN-1 opened at minimum step 4
CM R-OPEN-1 opened with a negative score
CM R-OPEN-2 opened with exactly the minimum
M  R-OPEN-3 minimum met without a clean or wild meld
M  R-OPEN-4 minimum waived by a clean canasta
M  R-OPEN-4 minimum waived by a wild canasta
CM R-OPEN-5 opened by discard
CM R-OPEN-5 opened by pick up
C  R-OPEN-5 opened by the last card laid
CM R-OPEN-6 out in the opening turn
C  R-DISC-1 wild discarded
C  R-DISC-1 black three discarded
M  R-DISC-2 wild discarded, a hand of wilds only
M  R-DISC-2 wild discarded as the card that goes out
M  R-DISC-3 empty pile, class (i)
M  R-DISC-3 empty pile, class (ii)
M  R-DISC-3 empty pile, class (iii)
M  R-DISC-3 empty pile, class (iv)
M  R-DISC-3 empty pile, class (v)
M  R-DISC-3 empty pile, a barred class goes out
C  R-OUT-2 out by meld
C  R-OUT-2 out by add
C  R-OUT-2 out by take
C  R-OUT-2 out by pick up
CM R-OUT-2 out by discard
4  R-OUT-3 ask after draw
4  R-OUT-3 ask after take
4  R-OUT-3 yes
4  R-OUT-3 no
4  R-OUT-3 out after yes
M  R-OUT-3 not out after yes
4  R-OUT-3 refused turn completed
4  R-OUT-3 ask not offered, out is sure but a refusal would leave no move
M  R-OUT-3 ask not offered, asked before
C4 R-OUT-3 asked before in the deal, asks again
C  R-OUT-4 concealed, with a discard
C  R-OUT-4 concealed, without a discard
C  R-OUT-4 concealed, pile taken in the turn
C  R-OUT-4 not concealed, the player's first melding
M  R-SCORE-1 cards melded subtracted
CM R-SCORE-3 over without anybody out
C  R-SCORE-4 red threes, negative
C  R-SCORE-4 all four red threes
M  R-SCORE-4 threes negative
M  R-SCORE-4 threes worth nothing with one canasta
M  R-SCORE-4 threes positive
M  R-SCORE-4 four threes of a colour
M  R-SCORE-6 unfinished sevens
M  R-SCORE-6 unfinished clean aces
M  R-SCORE-6 unfinished mixed aces, no penalty
M  R-SCORE-6 unfinished wilds
M  R-SCORE-6 unfinished wilds with four jokers
M  R-SCORE-6 three aces in a hand
M  R-SCORE-6 three sevens in a hand
"""


def rows_of(rules: Rules) -> list[str]:
    """The rows that can happen in a game; of house rules those of both games."""
    is_standard = rules == standard_rules(rules.game, rules.players, rules.target)
    traits = {"M" if rules.game == "modern_american" else "C"} if is_standard else {"M", "C"}
    traits |= {"4"} if rules.players == 4 else set()
    traits |= {"D"} if rules.cards_drawn > 1 else set()
    rows = []
    for line in ROWS.strip().splitlines():
        games, row = line.split(maxsplit=1)
        if set(games) <= traits if games == "C4" else set(games) & traits:
            rows.append(row)
    return rows


def play_watched(table: Oracle, notation: str, counts: Counter[str]) -> None:
    """Play an action on a table and count what it exercised."""
    watch = _Watch(table, actions.parse(notation))
    counts.update(watch.before())
    table.play(notation)
    counts.update(watch.after())


def deal_events(table: Oracle) -> Iterator[str]:
    """What the deal itself exercised; before the first action."""
    if not table.rules.turns_up_card:
        return
    if any(is_wild(kind) for kind in table.pile):
        yield "R-DEAL-3 a wild turned up"
    if RED_THREE in table.pile:
        yield "R-DEAL-3 a red three turned up"
    if table.pile[-1] == BLACK_THREE:
        yield "R-DEAL-3 a black three is the first top card"


class _Watch:
    """One action: what the table was before it, and what it became."""

    def __init__(self, table: Oracle, action: int) -> None:
        self.table = table
        self.action = action
        self.rules = table.rules
        self.phase = table.phase
        self.seat = table.seat_to_play()
        self.side = table.side_to_play()
        self.turn = table.as_turn()
        self.search = table.turn_search()
        self.stock_size = len(table.stock)
        self.can_ask = table.can_ask
        self.answer = table.answer
        self.asked = list(table.asked)
        self.melded = list(table.melded)
        self.was_frozen = table.wild_frozen

    def before(self) -> Iterator[str]:
        """What the position and the choice of the action exercise."""
        if self.phase == "draw":
            yield from self._draw_phase()
        elif self.phase == "play":
            yield from self._play_phase()

    def _draw_phase(self) -> Iterator[str]:
        table, turn, top = self.table, self.turn, self.turn.pile[-1] if self.turn.pile else None
        legal = table.legal_ids()
        takes = self.search.takes(turn, table.wild_frozen)
        if len(takes) > len(legal) - 1:
            yield "R-TURN-4 a take refused by the look-ahead"
        if top == BLACK_THREE:
            yield "R-TAKE-1 black three on top blocks a take"
        if not self.rules.holds_back_wilds and top is not None and is_wild(top):
            yield "R-TAKE-1 wild on top blocks a take"
        most = self.rules.largest_meld_to_take
        if top is not None and top >= FIRST_RANK and most is not None and turn.hand[top] >= 2:
            if sum(turn.melds[top]) > most:
                yield "R-TAKE-2 no take, own meld of five or more"
        if table.wild_frozen and len(self.search.takes(turn, False)) > len(takes):
            yield "R-TAKE-3 no take with a wild, wild-frozen"

    def _play_phase(self) -> Iterator[str]:
        table, turn, search = self.table, self.turn, self.search
        moves = search.moves(turn)
        if len(moves) > sum(action in LAID or action == actions.PICK_UP for action in table.legal_ids()):
            yield "R-TURN-4 a meld or addition refused by the look-ahead"
        may_not_ask = self.can_ask and actions.ASK not in table.legal_ids()
        if may_not_ask and self._can_end(OUT) and not self._can_end(STAY):
            yield "R-OUT-3 ask not offered, out is sure but a refusal would leave no move"
        yield from self._restrictions(moves)

    def _can_end(self, goal: int) -> bool:
        return self.search.can_complete(self.turn._replace(goal=goal))

    def _restrictions(self, moves: list[int]) -> Iterator[str]:
        turn, search = self.turn, self.search
        ranks = range(FIRST_RANK, len(turn.hand))
        wilds = turn.hand[TWO] + turn.hand[JOKER]
        is_full = [turn.hand[kind] and sum(turn.melds[kind]) >= CANASTA_SIZE for kind in ranks]
        if self.rules.melds_end_at_seven and any(is_full):
            yield "R-MELD-3 natural kept off a full canasta"
        if wilds and 0 < sum(turn.melds[WILDS]) < CANASTA_SIZE:
            without_wild_meld = turn._replace(melds=(NO_MELD, *turn.melds[1:]))
            if any(LAID[move][0] != WILDS for move in set(search.moves(without_wild_meld)) - set(moves)):
                yield "R-MELD-6 wild meld bars a wild from a rank"
        holds_wild = any(turn.melds[kind][1] or turn.melds[kind][2] for kind in ranks)
        if self.rules.has_wild_meld and not turn.opened and wilds >= 3 and holds_wild:
            yield "R-MELD-6 wild meld cannot begin, opening holds a wild"
        if turn.melded and not turn.opened and turn.points >= search.minimum:
            if not search.opening_is_complete(turn):
                yield "R-OPEN-3 minimum met without a clean or wild meld"
        has_asked = self.rules.asks_once_a_deal and self.asked[self.seat]
        if has_asked and self.answer is None and not turn.melded and self._can_end(OUT):
            yield "R-OUT-3 ask not offered, asked before"

    def after(self) -> Iterator[str]:
        """What the action did."""
        action = self.action
        if action == actions.DRAW:
            yield from self._draw()
        elif action in TAKES:
            yield from self._take()
        elif action == actions.PICK_UP:
            yield from self._pick_up()
        elif action in LAID:
            yield from self._lay()
        elif action in KIND_OF_DISCARD:
            yield from self._discard(KIND_OF_DISCARD[action])
        else:
            yield from self._question()
        if action in TAKES or action in LAID or action == actions.PICK_UP:
            yield from self._canastas()
        yield from self._opening()
        if self.table.is_over:
            yield from self._end()

    def _draw(self) -> Iterator[str]:
        table, kinds = self.table, laid_threes(self.table.rules)
        hand = table.hands[self.seat]
        num_drawn = sum(hand) - sum(self.turn.hand)
        if self.stock_size == 0:
            yield "R-TURN-3 draw with an empty stock ends the deal"
        elif table.is_over and self.rules.keeps_unreplaced_three:
            yield "R-TURN-2 the last card drawn is a three"
        elif table.is_over:
            place = "first" if num_drawn == 0 else "a later"
            yield f"R-TURN-2 the last card drawn is a red three, as {place} card"
        else:
            if self.stock_size - len(table.stock) > num_drawn:
                yield "R-TURN-1 a three drawn, laid and replaced"
            if num_drawn < table.rules.cards_drawn:
                yield "R-TURN-1 the last card drawn alone"
            if not table.stock and not self.rules.ends_with_stock:
                yield "R-TURN-3 last stock card drawn, the turn goes on"
        assert self.rules.keeps_unreplaced_three or not any(hand[kind] for kind in kinds)

    def _take(self) -> Iterator[str]:
        turn, top = self.turn, self.turn.pile[-1]
        if self.stock_size == 0:
            yield "R-TURN-3 take with an empty stock"
        if len(turn.pile) == 1:
            yield "R-TAKE-6 pile of one card taken"
        if self.was_frozen:
            yield "R-TAKE-6 wild-frozen pile taken, wild on top covered"
        if RED_THREE in turn.pile:
            yield "R-TAKE-7 red three in a pile taken"
        is_joining = turn.melds[top] != NO_MELD
        if self.action in WILD_OF_TAKE:
            yield f"R-TAKE-3 {actions.NOTATIONS[self.action]}"
            if is_joining:
                yield "R-TAKE-3 take with a wild onto a meld"
        elif not turn.opened:
            yield "R-TAKE-5 take, not opened"
            if not any(self.table.hands[self.seat]):
                yield "R-TAKE-5 hand empty between take and pick up"
        else:
            yield f"R-TAKE-2 take, opened, {'onto a meld' if is_joining else 'a new meld'}"
            if sum(turn.melds[top]) >= CANASTA_SIZE:
                yield "R-TAKE-2 take onto a canasta"

    def _pick_up(self) -> Iterator[str]:
        turn = self.turn
        yield "R-TAKE-5 pick up"
        if len(turn.pile) == int(self.rules.opens_from_hand):
            yield "R-TAKE-5 pick up, nothing under the top card"
        if self.rules.opens_from_hand:
            meld = turn.melds[turn.taken]
            colour = "clean" if is_clean(meld) else "mixed"
            if meld == NO_MELD:
                yield "R-TAKE-5 pick up, with a pair"
            else:
                yield f"R-TAKE-5 pick up, top card joins a {colour} meld"
            if sum(meld) == CANASTA_SIZE - 1:
                yield f"R-TAKE-5 pick up, top card completes a {colour} canasta"

    def _lay(self) -> Iterator[str]:
        turn, (place, naturals, twos, jokers) = self.turn, LAID[self.action]
        meld = turn.melds[place]
        after = (meld[0] + naturals, meld[1] + twos, meld[2] + jokers)
        if turn.taken >= 0:
            if not self.rules.opens_from_hand:
                yield "R-TAKE-5 melding between take and pick up"
            if not any(self.table.hands[self.seat]):
                yield "R-TAKE-5 hand empty between take and pick up"
        if place == BLACK_THREE:
            yield "R-MELD-8 fourth black three" if meld != NO_MELD else "R-MELD-8 black threes melded"
            if not turn.opened:
                yield "R-MELD-8 black threes in an opening"
        elif place == WILDS:
            if meld == NO_MELD:
                yield f"R-MELD-6 wild meld begun{', opened' if turn.opened else ' in the opening'}"
        else:
            if meld == NO_MELD:
                yield f"R-MELD-1 {'clean' if is_clean(after) else 'mixed'} meld begun"
            if twos or jokers:
                yield from self._lay_wild(place, meld, after)
            elif (
                place == ACE
                and not self.rules.aces_take_wilds
                and turn.opened
                and meld != NO_MELD
                and not is_clean(meld)
            ):
                yield "R-MELD-5 natural ace onto mixed aces, opened"
            if sum(after) > CANASTA_SIZE:
                yield "R-MELD-2 meld of eight or more"

    def _lay_wild(self, place: int, meld: tuple[int, ...], after: tuple[int, int, int]) -> Iterator[str]:
        if self.rules.needs_more_naturals:
            if sum(meld) >= CANASTA_SIZE and not meld[1] and not meld[2]:
                yield "R-MELD-2 wild onto a clean canasta"
            if after[1] + after[2] == 3:
                yield "R-MELD-2 third wild in a meld"
        if self.rules.naturals_before_wild == 2:
            return
        if self.turn.opened:
            yield "R-MELD-4 wild onto a meld, opened"
        else:
            if after[0] < self.rules.naturals_before_wild:
                yield "R-MELD-4 wild in a meld of less than five naturals, in the opening"
            if place == ACE:
                yield "R-MELD-5 mixed aces in the opening"

    def _canastas(self) -> Iterator[str]:
        """Melds that the action made a canasta."""
        for place, meld in enumerate(self.table.melds[self.side]):
            if sum(meld) < CANASTA_SIZE or sum(self.turn.melds[place]) >= CANASTA_SIZE:
                continue
            if place == WILDS:
                kind = {0: " of seven twos", COPIES[JOKER]: " with four jokers"}.get(meld[2], ", other")
                yield f"R-MELD-9 wild canasta{kind}"
            elif is_clean(meld):
                name = {SEVEN: " of sevens", ACE: " of aces"}.get(place, "")
                yield f"R-MELD-9 clean canasta{name}"
                if self.rules.closes_ranks:
                    yield "R-MELD-7 rank closed"
            else:
                yield "R-MELD-9 mixed canasta"

    def _discard(self, kind: int) -> Iterator[str]:
        turn, is_last = self.turn, sum(self.turn.hand) == 1
        if kind == BLACK_THREE:
            yield "R-DISC-1 black three discarded"
        if is_wild(kind) and self.rules.holds_back_wilds:
            how = " as the card that goes out" if is_last else ", a hand of wilds only"
            yield f"R-DISC-2 wild discarded{how}"
        elif is_wild(kind):
            yield "R-DISC-1 wild discarded"
        if self.rules.orders_first_discards and kind != BLACK_THREE:
            its_class = discard_class(kind, self.search.is_closed(turn, kind))
            if not turn.pile and not is_last:
                yield f"R-DISC-3 empty pile, class {CLASSES[its_class]}"
            if not turn.pile and is_last and its_class > 1:
                yield "R-DISC-3 empty pile, a barred class goes out"
        if self.answer == "no":
            yield "R-OUT-3 refused turn completed"
        if self.answer == "yes" and not is_last:
            yield "R-OUT-3 not out after yes"

    def _question(self) -> Iterator[str]:
        if self.action == actions.ASK:
            yield f"R-OUT-3 ask after {'take' if self.turn.melded else 'draw'}"
            if self.asked[self.seat]:
                yield "R-OUT-3 asked before in the deal, asks again"
        else:
            yield f"R-OUT-3 {actions.NOTATIONS[self.action]}"

    def _opening(self) -> Iterator[str]:
        turn, table = self.turn, self.table
        if turn.opened or self.phase != "play" or not table.opened[self.side]:
            return
        points, minimum = turn.points, self.search.minimum
        how = "by pick up" if self.action == actions.PICK_UP else "by discard"
        if self.action in LAID:
            how = "by the last card laid"
            place, naturals, twos, jokers = LAID[self.action]
            points += naturals * VALUES[place] + twos * VALUES[TWO] + jokers * VALUES[JOKER]
        score = table.scores[self.side]
        step = sum(start is None or score >= start for start, _ in table.rules.opening_minima)
        yield f"R-OPEN-1 opened at minimum step {step}"
        yield f"R-OPEN-5 opened {how}"
        if score < 0:
            yield "R-OPEN-1 opened with a negative score"
        if points == minimum:
            yield "R-OPEN-2 opened with exactly the minimum"
        if points < minimum:
            is_wild_waiver = sum(turn.melds[WILDS]) >= CANASTA_SIZE
            yield f"R-OPEN-4 minimum waived by a {'wild' if is_wild_waiver else 'clean'} canasta"
        if table.went_out is not None:
            yield "R-OPEN-6 out in the opening turn"

    def _end(self) -> Iterator[str]:
        table = self.table
        if table.went_out is None:
            yield "R-SCORE-3 over without anybody out"
            if self.action != actions.DRAW:
                yield "R-TURN-3 turn finished after the last stock card, nobody out"
        else:
            yield from self._out()
        for side in range(table.rules.num_sides):
            yield from self._score(side)

    def _out(self) -> Iterator[str]:
        table, action = self.table, self.action
        verb = actions.NOTATIONS[action].split()[0].replace("pick", "pick up")
        yield f"R-OUT-2 out by {verb}"
        if self.rules.ends_with_stock and not table.stock:
            yield "R-TURN-3 going out after the last stock card"
        if self.answer == "yes":
            yield "R-OUT-3 out after yes"
        if table.concealed:
            yield f"R-OUT-4 concealed, {'with' if action in KIND_OF_DISCARD else 'without'} a discard"
            if table.piles_taken[self.seat]:  # who had not melded had not taken either
                yield "R-OUT-4 concealed, pile taken in the turn"
        elif self.rules.can_go_out_concealed and not self.melded[self.seat]:
            yield "R-OUT-4 not concealed, the player's first melding"

    def _score(self, side: int) -> Iterator[str]:
        table, rules = self.table, self.table.rules
        score = scoring.score_side(table, side)
        melds = table.melds[side]
        num_canastas = sum(sum(meld) >= CANASTA_SIZE for meld in melds)
        threes = [table.threes[side][kind] for kind in laid_threes(rules)]
        if score["melded_cards"] < 0:
            yield "R-SCORE-1 cards melded subtracted"
        needed = rules.canastas_for_threes
        if any(threes) and needed:
            signs = ["negative", "worth nothing with one canasta", "positive"]
            yield f"R-SCORE-4 threes {signs[2 if num_canastas >= needed else min(num_canastas, 1)]}"
        elif score["threes"] < 0:
            yield "R-SCORE-4 red threes, negative"
        if COPIES[RED_THREE] in threes:
            yield f"R-SCORE-4 {'four threes of a colour' if needed else 'all four red threes'}"
        yield from self._penalties(side)

    def _penalties(self, side: int) -> Iterator[str]:
        table, rules, melds = self.table, self.rules, self.table.melds[side]
        if rules.unfinished_sevens_penalty and 0 < sum(melds[SEVEN]) < CANASTA_SIZE:
            yield "R-SCORE-6 unfinished sevens"
        if rules.unfinished_aces_penalty and 0 < sum(melds[ACE]) < CANASTA_SIZE:
            yield f"R-SCORE-6 unfinished {'clean aces' if is_clean(melds[ACE]) else 'mixed aces, no penalty'}"
        if 0 < sum(melds[WILDS]) < CANASTA_SIZE:
            has_all_jokers = melds[WILDS][2] == COPIES[JOKER]
            yield f"R-SCORE-6 unfinished wilds{' with four jokers' if has_all_jokers else ''}"
        hands = [hand for seat, hand in enumerate(table.hands) if rules.side_of(seat) == side]
        penalties = (rules.aces_in_hand_penalty, rules.sevens_in_hand_penalty)
        for name, kind, penalty in zip(("aces", "sevens"), (ACE, SEVEN), penalties, strict=True):
            if penalty and any(hand[kind] >= 3 for hand in hands):
                yield f"R-SCORE-6 three {name} in a hand"


def table_of(rules: Rules, counts: Counter[str]) -> str:
    """The rows of a game with their counts, as text."""
    rows = rows_of(rules)
    others = sorted(set(counts) - set(rows))
    return "\n".join(f"{counts[row]:>10,}  {row}" for row in rows + others)
