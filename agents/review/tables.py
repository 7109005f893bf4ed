"""A review on the terminal: tables of at most 80 columns."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from canasta_agents.review.summary import KINDS, Estimate, PlayerReview, Rate, Review, Reviewed
from canasta_agents.short_names import shortened
from canasta_env.validation import printable

WIDTH = 80


def show_review(console: Console, review: Review, name: str, num_errors: int) -> None:
    """Print a review: rates of the players, rates by kind, the biggest errors.

    Args:
        console: Where to.
        review: The review.
        name: Of the record.
        num_errors: How many errors to show.
    """
    console.print(
        f"{escape(printable(name))}: {_deals(review.deals)} of {review.rules.game}, {review.rules.players} "
        f"players, {len(review.decisions):,} decisions judged by {escape(printable(review.policy))}, "
        f"{review.options['worlds']} worlds to choose and {review.options['loss_worlds']} to measure.",
        width=WIDTH,
    )
    for seat, agent in enumerate(review.agents or ()):
        name = shortened(printable(agent), WIDTH - len("seat 0: "))
        console.print(f"seat {seat}: {escape(name)}", width=WIDTH)
    console.print(_players(review), width=WIDTH)
    console.print(_kinds(review), width=WIDTH)
    errors = review.biggest(num_errors)
    if errors:
        console.print(_errors(errors), width=WIDTH)
    else:
        console.print("No decision was surely worse than the search's.")


def signed(number: float, digits: int = 0) -> str:
    """A number with its sign; 0 has none."""
    rounded = round(number, digits)
    return f"{rounded:+,.{digits}f}" if rounded else f"{0:.{digits}f}"


def plus_minus(estimate: Estimate, digits: int = 0) -> str:
    """An estimate with half the width of its interval."""
    half = (estimate.high - estimate.low) / 2
    return f"{estimate.estimate:,.{digits}f} ± {half:,.{digits}f}"


def where(decision: Reviewed) -> str:
    """Deal and action of a decision, such as "3:17"."""
    return f"{decision.place.deal}:{decision.place.number}"


def _deals(num: int) -> str:
    return f"{num:,} deal{'' if num == 1 else 's'}"


def _players(review: Review) -> Table:
    table = _table("Lost, with 95% intervals")
    table.add_column("")
    lost = ("points a decision", "points a deal", "match % a deal")
    for name in ("decisions", "errors", *lost, "luck a deal"):
        table.add_column(name, justify="right")
    for player in review.players:
        table.add_row(
            f"seat {player.seat}",
            f"{player.all.decisions:,}",
            f"{player.all.errors:,}",
            plus_minus(player.all.points, 1),
            f"{player.points_a_deal:,.0f}",
            "–" if player.percent_a_deal is None else f"{player.percent_a_deal:.1f}",
            "–" if player.luck_a_deal is None else signed(player.luck_a_deal),
        )
    return table


def _kinds(review: Review) -> Table:
    table = _table("Points lost a decision, by kind (number of decisions)")
    table.add_column("")
    for player in review.players:
        table.add_column(f"seat {player.seat}", justify="right", no_wrap=True)
    for kind in KINDS:
        if any(kind in player.kinds for player in review.players):
            table.add_row(kind, *[_rate(player, kind) for player in review.players])
    return table


def _rate(player: PlayerReview, kind: str) -> str:
    rate: Rate | None = player.kinds.get(kind)
    return "–" if rate is None else f"{rate.points.estimate:,.1f} ({rate.decisions:,})"


def _errors(errors: list[Reviewed]) -> Table:
    table = _table("Biggest errors (deal:action)")
    table.add_column("at", no_wrap=True)
    table.add_column("seat", justify="right")
    table.add_column("played")
    table.add_column("better")
    table.add_column("points lost", justify="right", no_wrap=True)
    table.add_column("% match", justify="right", no_wrap=True)
    table.add_column("policy", justify="right", no_wrap=True)
    for error in errors:
        table.add_row(
            where(error),
            str(error.seat),
            error.played,
            error.choice,
            plus_minus(error.loss) if error.loss else "0",
            "–" if error.percent is None else f"{error.percent.estimate:.1f}",
            "–" if error.probabilities is None else f"{error.probabilities.get(error.played, 0):.0%}",
        )
    return table


def _table(title: str) -> Table:
    return Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0), pad_edge=False)
