"""`dpaudit optimal`: the least regret of any private learner, certified, and the catalogue's."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.cli import HELD, UNFINISHED, VIOLATED
from dpaudit.cli.terminal import rechecked, say, table, write, writing
from dpaudit.errors import UsageError

POINTS = 41
"""Of a bound's line."""

if TYPE_CHECKING:
    from dpaudit.algorithm.contract import Algorithm
    from dpaudit.optimal.question import Question
    from dpaudit.report.price import Floors
    from dpaudit.results.optima import Optima, OptimumResult

EXAMPLE = """examples:
  dpaudit optimal --rounds 5 --arms 2 --epsilon 1
  dpaudit optimal --rounds 6 --epsilon 0.5 --feedback bandit --alone --json -
  dpaudit optimal --rounds 4 --arms 3 --epsilon 1 --out certificates
  dpaudit optimal --rounds 4 --epsilon 1 --feedback bandit --beside mine.py:my-algorithm
  dpaudit optimal --rounds 4 --epsilon 1 --policy rnm-ftnl-gumbel --svg policy.svg
  dpaudit optimal --recheck --out certificates
  dpaudit optimal --sweep --out reports        (the published ones; hours)
  dpaudit optimal --picture price.svg"""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--rounds", metavar="T", help="number of rounds")
    add("--arms", metavar="K", default="2", help="number of arms (default 2)")
    add("--epsilon", metavar="E", help="privacy parameter")
    add("--delta", metavar="D", default="0", help="of (epsilon, delta)-DP (default 0)")
    add("--gap", metavar="G", default="0.5", help="between the arms' mean losses (default 0.5)")
    add("--feedback", metavar="F", default="full-information", help="or bandit")
    add("--beside", metavar="TARGET", help="a contract algorithm of yours, file.py:NAME, as well")
    add("--policy", metavar="NAME", nargs="?", const="", help="what the best one does, beside NAME")
    add("--svg", metavar="FILE", help="with --policy: draw both, history by history")
    add("--alone", action="store_true", help="leave out the catalogue's learners")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--recheck", action="store_true", help="check certificates, in whole numbers")
    how.add_argument("--sweep", action="store_true", help="all optima that are published")
    add("--out", metavar="DIR", help="where certificates are (default: optima, beside the results)")
    add("--picture", metavar="FILE", help="draw the published optima, as SVG or, by its name, PNG")
    add("--json", metavar="FILE", help="write the result as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """0: certified; 1: a certificate is refused; 3: the solver found no optimum, or was stopped."""
    from dpaudit.results.made import own_folder

    if given.picture:
        return _draw(given.picture)
    if given.sweep:
        return _sweep(given)
    folder = Path(given.out) if given.out else own_folder() / "optima"
    if given.recheck:
        return _recheck(given, folder)
    for name in ("rounds", "epsilon"):
        if getattr(given, name) is None:
            raise UsageError(f"{name}: none given, allowed is a number")
    from dpaudit.optimal.question import asked

    names = ("rounds", "arms", "epsilon", "delta", "gap", "feedback")
    question = asked(**{name: getattr(given, name) for name in names})
    also = [] if given.beside is None else [_taking_part(given.beside, question)]
    beside_whom = _named(given, question)
    result = _answer(question, folder, alone=given.alone, also=also, beside_whom=beside_whom)
    if given.svg and result.policy:
        from dpaudit.report.policy import draw_policy

        draw_policy(result, given.svg)
    write(given.json, result.json())
    if given.json != "-":
        _show(result, folder, also)
    return HELD if result.finished else UNFINISHED


def _taking_part(target: str, question: Question) -> Algorithm:
    from dpaudit.play.catalogue import resolve

    found = resolve(target)
    if found.card.feedback != question.feedback:
        raise UsageError(f"beside: {found.card.name} has {found.card.feedback} feedback")
    return found


def _named(given: argparse.Namespace, question: Question) -> str | None:
    """Beside whom the policy is to be shown, if at all; checked before anything is solved."""
    if given.policy is None:
        if given.svg:
            raise UsageError("svg: draws a policy; allowed with --policy only")
        return None
    from dpaudit.optimal.policy import TYPICAL, check_beside

    name = given.policy or TYPICAL[question.feedback]
    check_beside(question, name)
    return name


def _sweep(given: argparse.Namespace) -> int:
    """The published optima, with the catalogue beside them, as they are committed."""
    from dpaudit.optimal.sweep import sweep
    from dpaudit.results.made import commit, own_folder

    found = sweep(own_folder() / "optima", progress=say)
    say("")
    if given.out:
        with writing(f"out: cannot write to {given.out}"):
            commit(Path(given.out), "optima", found.public())
    write(given.json, found.json())
    if given.json != "-":
        rows = [
            [
                e.feedback,
                str(e.rounds),
                f"{e.epsilon:g}",
                f"{e.certified:.9f}",
                f"{e.gap:.1g}",
                f"{e.uniform:g}",
            ]
            for e in found.entries
        ]
        header = ["feedback", "T", "epsilon", "certified", "value above it by", "uniform"]
        table("the least regret of any private learner, K = 2, gap 0.5", header, rows)
    return HELD


def _draw(file: str) -> int:
    from dpaudit.report.price import draw_price

    published = _published()
    draw_price(published, _audited(), _floors(published), file)
    print(file)
    return HELD


def _floors(optima: Optima) -> Floors:
    """The bounds of the literature on the instances that are drawn. With few rounds those that hold
    in the limit only are left out."""
    from dpaudit.laboratory.lower_bounds import by_epsilon
    from dpaudit.report.price import FEEDBACKS, Floor, longest

    found = {}
    for feedback in FEEDBACKS:
        entries = longest(optima, feedback)
        half, first = entries[0].instance_gap / 2, entries[0]
        low, high = min(e.epsilon for e in entries), max(e.epsilon for e in entries)
        epsilons = [low * (high / low) ** (i / (POINTS - 1)) for i in range(POINTS)]
        games = (
            (False, first.arms, first.rounds, half),
            (True, optima.large_arms, int(optima.large_rounds), optima.large_gap / 2),
        )
        for large, arms, rounds, away in games:
            means = [0.5 - away, *[0.5 + away] * (arms - 1)]
            bounds = by_epsilon(means, rounds, epsilons, feedback=feedback, payoff="losses")
            found[feedback, large] = [
                Floor(b.name, epsilons, b.values.tolist(), b.asymptotic)
                for b in bounds
                if large or not b.asymptotic
            ]
    return found


def _audited() -> dict[str, tuple[float, float]]:
    """The intervals of the committed audits of pure claims, in multiples of epsilon: of learners as
    they are by default, as those whose regret is drawn, if such an audit is there."""
    from dpaudit.results.documents import Catalogue, read
    from dpaudit.results.made import committed

    found: dict[bool, dict[str, tuple[float, float]]] = {True: {}, False: {}}
    for file in committed():
        document = read(file) if file.stem == "catalogue" else None
        for audit in document.audits if isinstance(document, Catalogue) else ():
            epsilon = audit.claim.epsilon
            if audit.claim.notion == "pure" and epsilon and audit.upper_bound is not None:
                own = found[not audit.parameters]
                low, high = own.get(audit.target, (0.0, 0.0))
                now = audit.lower_bound / epsilon, audit.upper_bound / epsilon
                own[audit.target] = max(low, now[0]), max(high, now[1])
    return {**found[False], **found[True]}


def _published() -> Optima:
    from dpaudit.results.documents import read
    from dpaudit.results.made import committed
    from dpaudit.results.optima import Optima

    for file in committed():
        if file.stem == "optima":
            found = read(file)
            if isinstance(found, Optima):
                return found
    raise UsageError("sweep: no published optima; `dpaudit optimal --sweep --out reports`")


def _answer(
    question: Question,
    folder: Path,
    *,
    alone: bool,
    also: list[Algorithm],
    beside_whom: str | None,
) -> OptimumResult:
    from msgspec.structs import replace

    from dpaudit.optimal.certificate import result_of
    from dpaudit.optimal.efficiency import beside, left_out, small, with_needed
    from dpaudit.optimal.policy import policy
    from dpaudit.optimal.program import check_size
    from dpaudit.optimal.solving import solve

    pairs = check_size(question)
    say(f"solving for {pairs:,} pairs of histories")
    solved = solve(question, closing_in)
    with writing(f"out: cannot write to {folder}"):
        result = result_of(solved, folder)
    if not result.finished:
        say("")
        return result
    if beside_whom:
        result = replace(result, policy=policy(question, solved.learner, beside_whom, progress=say))
    if not alone or also:
        names: list[str] | None = [] if alone else None
        found = beside(
            question, names=names, also=also, progress=lambda name: say(f"regret of {name}")
        )
        if small(question):
            found = with_needed(question, found, progress=say)
        notes = [f"{name} takes no such epsilon and is left out" for name in left_out(question)]
        result = replace(result, learners=found, notes=[*result.notes, *notes])
    say("")
    return result


def closing_in(step: int, low: float, high: float) -> None:
    """Progress of the solver."""
    say(f"step {step}: between {low:.6f} and {high:.6f}, {high - low:.1e} apart")


def _recheck(given: argparse.Namespace, folder: Path) -> int:
    """Every certificate's bound, found again by the checker; without a folder given also that of
    every published optimum, whose certificate is made where it is missing and takes seconds."""
    from dpaudit.optimal.certificate import differing, name_of
    from dpaudit.recheck.numbers import Refused
    from dpaudit.recheck.optima import check

    stated = {} if given.out else _missing_made(folder)
    files = sorted({*folder.glob("*.json"), *(folder / name for name in stated)})
    if not files:
        raise UsageError(
            f"out: no certificate in {folder}; `dpaudit optimal --rounds 4 --epsilon 1 "
            f"--out {folder}` makes one"
        )

    def look(file: Path) -> list[str]:
        if file.name in stated and not file.is_file():
            return [file.stem, "", "not checked: no certificate is here"]
        data, bound = check(file)
        # A file's name is what is shown: a certificate of another question proves nothing of it.
        if (about := name_of(data)) != file.stem:
            raise Refused(f"{file.name}: it is about {about}")
        if (entry := stated.get(file.name)) is None:
            return [about, f"{float(bound):.9f}", "proved"]
        if other := differing(data, entry):
            raise Refused(f"{file.name}: its {other} is not that of the published optimum")
        if bound < Fraction(entry.certified):
            raise Refused(f"{float(bound):.9f} is proved, published is {entry.certified:.9f}")
        return [about, f"{float(bound):.9f}", "proved, as published"]

    title = "lower bounds for every private learner, in whole numbers"
    keys, header = ("certificate", "bound", "answer"), ("", "regret", "")
    refused = rechecked(title, files, look, keys, header, given.json)
    return VIOLATED if refused else HELD


def _missing_made(folder: Path) -> dict[str, OptimumResult]:
    """The published optima by their certificates' names. The largest certificates come with the
    results; those of the others that take seconds are made again where they are missing."""
    import shutil

    from dpaudit.optimal.certificate import certified
    from dpaudit.optimal.efficiency import small
    from dpaudit.optimal.question import asked
    from dpaudit.results.made import committed

    stated, shipped = {}, committed()[0].parent / "optima"
    for entry in _published().entries:
        name = str(entry.certificate)
        stated[name] = entry
        if not (folder / name).is_file() and (shipped / name).is_file():
            with writing(f"out: cannot write to {folder}"):
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy(shipped / name, folder / name)
        if not (folder / name).is_file():
            question = asked(
                rounds=entry.rounds,
                arms=entry.arms,
                epsilon=entry.epsilon,
                delta=entry.delta,
                gap=entry.instance_gap,
                feedback=entry.feedback,
            )
            if not small(question):
                continue
            say(f"solving again: {name.removesuffix('.json')}")
            with writing(f"out: cannot write to {folder}"):
                certified(question, folder)
    return stated


def _show(result: OptimumResult, folder: Path, also: list[Algorithm]) -> None:
    from dpaudit.report.policy import in_words

    delta = f", delta = {result.delta:g}" if result.delta else ""
    print(
        f"{result.feedback}, K = {result.arms}, T = {result.rounds}, gap {result.instance_gap:g}, "
        f"epsilon = {result.epsilon:g}{delta}"
    )
    if not result.finished:
        print(f"not finished: {result.notes[0]}; what is proved so far:")
    print(f"  every private learner's worst-case regret is at least {result.certified:.9f}")
    print(f"  and one has {result.value:.9f} (uniform play: {result.uniform:.6g})")
    print(f"  certificate: {folder / str(result.certificate)}")
    print(
        f"  {result.variables:,} variables, {result.pairs:,} pairs of histories, "
        f"{result.seconds:.1f} s"
    )
    for note in result.notes[not result.finished :]:
        print(f"note: {note}")
    if result.policy:
        from dpaudit.report.policy import HEADER, largest, rows, title

        table(title(result), HEADER, rows(result.policy))
        table(largest(result.policy), HEADER, rows(result.policy, result.policy.largest()))
    if result.learners:
        rows_ = [
            [
                each.name,
                f"{each.low:.4f} to {each.high:.4f}" if each.runs else f"{each.low:.4f}",
                f"{each.runs:,} runs" if each.runs else "exact",
                f"{50 * (each.low + each.high) / result.certified - 100:+.0f} %",
                in_words(each),
                _claim(each.name, also),
            ]
            for each in result.learners
        ]
        header = ["learner", "regret", "", "above the bound", "needs epsilon", "claims"]
        table("the catalogue on the same instances", header, rows_)


def _claim(name: str, also: list[Algorithm]) -> str:
    from dpaudit.play.catalogue import find

    own = next((each for each in also if each.card.name == name), None)
    privacy = (own or find(name)).card.privacy
    return privacy.statement if privacy.notion != "none" else "nothing"
