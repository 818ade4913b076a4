"""One audit: what is asked is checked once, an engine is chosen, and the claim is bounded from
below and from above. The command line, the pytest plugin and `dpaudit.audit` come in here.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpaudit import __version__
from dpaudit.auditor.adversaries import Adversary, find_adversary
from dpaudit.auditor.book import cross_check
from dpaudit.auditor.book.check import checked
from dpaudit.auditor.engines.added import added
from dpaudit.auditor.engines.black_box.gate import gated
from dpaudit.auditor.engines.black_box.search.learners import black_box
from dpaudit.auditor.engines.two_world.engine import TwoWorlds
from dpaudit.auditor.evidence.looks import looked
from dpaudit.auditor.kinds.binding import bind
from dpaudit.auditor.kinds.claims import SHOWN, by_the_card, card_claim, claimed, outputs_only
from dpaudit.auditor.kinds.claims import levels as levels_of
from dpaudit.auditor.kinds.groups import check_pair
from dpaudit.auditor.proved import proved, put_to_the_test, with_mends
from dpaudit.auditor.search import Levels
from dpaudit.auditor.statistics import Alpha
from dpaudit.auditor.upper import Accounting
from dpaudit.errors import UsageError, check_count, check_number, extras_for
from dpaudit.play.catalogue import Target, resolve_target
from dpaudit.play.kinds.setting import USUAL, Setting, setting_of
from dpaudit.play.tables import Configured
from dpaudit.results.audit import AuditResult, Guarantee
from dpaudit.results.claimed import RENYI
from dpaudit.results.found import Event, Lower, Pair, Upper
from dpaudit.results.words import CROSS_CHECK
from dpaudit.run import heard
from dpaudit.run.runner import Clock, check_workers

ENGINES = ("auto", "exact", "two-world", "black-box")
TWO_WORLD_RUNS = 2_000_000
AROUND = "what gets around the releases, for it may show on rewards that were not searched"
PER_STEP_SHARE = 0.2
"""Part of the error probability for the per-step definition, where a paper uses that."""
QUICK = 100_000
"""With fewer runs little is asked, and no upper end is proved that takes long."""
MOST_ARMS, MOST_ROUNDS = 1024, 10**6

Progress = Callable[[int, int], None]


def sizes(arms: Any, rounds: Any) -> tuple[int, int]:
    """K and T, if tables of that size can be audited."""
    return check_count("arms", arms, 1, MOST_ARMS), check_count("rounds", rounds, 1, MOST_ROUNDS)


@dataclass(frozen=True)
class Request:
    """What is asked about a learner, all of it checked."""

    target: Target
    claim: Guarantee
    epsilon: float | None
    arms: int
    rounds: int
    runs: int | None
    seconds: float | None
    seed: int
    workers: int
    parameters: dict[str, Any]
    progress: Progress | None
    adversary: Adversary | None
    pair: Pair | None = None
    setting: Setting = USUAL
    tradeoff: bool = False
    evidence: Path | None = None
    again: bool = False
    """Whether it is told what the clock decided."""

    @functools.cached_property
    def full_settings(self) -> dict[str, Any]:
        """Checked, and with all defaults filled in; nothing for a learner class."""
        algorithm = self.target.algorithm
        if algorithm is not None:
            return algorithm.settings(
                arms=self.arms,
                epsilon=self.epsilon,
                horizon=self.rounds,
                given=self.parameters,
            )
        return {}

    @property
    def who(self) -> Configured:
        """The catalogue algorithm, set to what is asked."""
        if self.target.algorithm is None:
            raise AssertionError(f"{self.target.name} is not in the catalogue")
        return Configured(self.target.algorithm, self.full_settings)

    @property
    def mistrust(self) -> str | None:
        """Why an algorithm's book is not to be believed; None if nothing speaks against it."""
        if self.target.algorithm is None:
            return None
        complaint = checked(self.who, self.rounds).complaint
        return complaint and f"the book of {self.target.name} is not to be believed: {complaint}"

    @property
    def outputs_only(self) -> str | None:
        """Why sampled outputs alone can answer; None where they need not."""
        return outputs_only(self.claim, self.setting)

    @property
    def whole(self) -> bool:
        """Whether only runs of all rounds are what the claim is about."""
        return self.setting.at_end(self.target.factory)

    def upper(self) -> Upper | None:
        """From a proof, else from the accountant; None for what is no contract algorithm, where the
        book is not to be believed, and of an unusual question. What follows for a Rényi divergence
        follows from proofs alone."""
        algorithm = self.target.algorithm
        if algorithm is None or not self.setting.usual or self.mistrust is not None:
            return None
        shown = proved(self.who, self.claim, self.rounds)
        if shown is None and self.claim.notion in RENYI:
            return Upper(
                math.inf, "none: nothing is proved from which it would follow", proof=False
            )
        return shown or Accounting(self.who, self.claim, self.rounds, self.workers).upper()

    def tightened(self, upper: Upper | None, lower: Lower) -> Upper | None:
        """A smaller upper end, or a proved one, where neither time nor runs are few."""
        quick = self.seconds is not None or (self.runs is not None and self.runs < QUICK)
        if upper is None or quick or not lower.complete:
            return upper
        return Accounting(self.who, self.claim, self.rounds).tightened(upper, lower.bound)

    def engine(self, asked: str, upper: Upper | None) -> tuple[str, str]:
        """The engine and why it was taken."""
        name, algorithm = self.target.name, self.target.algorithm
        leak = upper.how if upper is not None and math.isinf(upper.bound) and upper.proof else None
        if self.adversary is not None:
            if asked not in ("auto", "black-box"):
                raise UsageError(f"engine: got {asked!r}, an adversary is met by black-box only")
            return "black-box", "an adaptive adversary is played against"
        if self.outputs_only is not None:
            if asked not in ("auto", "black-box"):
                raise UsageError(f"engine: got {asked!r}; {self.outputs_only} black-box only")
            return "black-box", f"{self.outputs_only} sampled outputs"
        if asked == "two-world" and algorithm is None:
            raise UsageError(f"engine: two-world is for the catalogue; {name} has outputs only")
        if asked == "two-world" and leak is not None:
            raise UsageError(f"engine: two-world needs releases that book a loss; {leak}")
        if asked in ("two-world", "exact") and self.mistrust is not None:
            raise UsageError(f"engine: got {asked!r}; {self.mistrust}")
        if asked not in ("auto", "exact"):
            return asked, "asked for"
        if algorithm is None and asked == "auto":
            return "black-box", "outputs are all that is seen"
        if self.mistrust is not None:
            return "black-box", self.mistrust
        if asked == "auto" and leak is not None:
            return "black-box", leak
        from dpaudit.auditor.engines.exact.engine import not_covered, refusal

        refused, said = not_covered(algorithm, name, self.claim, self.pair), ""
        if refused is None:
            refused = refusal(self.who)
            said = f"{refused}; "
        if asked == "exact" and refused is not None:
            raise UsageError(f"engine: {refused}")
        if refused is None:
            why = "the output distribution is computed" if asked == "auto" else "asked for"
            return "exact", why
        return "two-world", said + "every run carries its exact privacy loss"

    def exact(self) -> tuple[Lower, str]:
        """The exact engine's answer, and a note on it."""
        from dpaudit.auditor.engines.exact.engine import exact_lower, means

        lower, how = exact_lower(self.who, self.progress)
        said = f"maximised over {how}; the value is certified by ball arithmetic"
        return replace(lower, notes=(*lower.notes, means(self.who))), said

    def two_world(self, alpha: Alpha) -> tuple[Lower, Lower | None]:
        """The two-world engine's answer, and the per-step one where the paper's definition is."""
        worlds = TwoWorlds(self.who, self.claim, self.rounds, self.seed, self.workers, self.pair)
        runs = self.runs or TWO_WORLD_RUNS
        per_step = self.who.algorithm.card.privacy.per_step and self.claim.notion == "pure"
        part = alpha.value * (1.0 - PER_STEP_SHARE) if per_step else alpha.value
        main = alpha.take(part, "the chosen event")
        lower = worlds.lower(runs, self.seconds, main, self.progress)
        if not per_step:
            return lower, None
        rest = alpha.take(alpha.value * PER_STEP_SHARE, "the per-step event")
        from dpaudit.auditor.engines.two_world.steps import per_step as by_steps

        return lower, by_steps(worlds, lower, max(runs // 4, 20_000), rest, self.seconds)


@extras_for("this audit")
def audit(
    target: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    eta: float | None = None,
    mu: float | None = None,
    rho: float | None = None,
    rdp: Any = None,
    claim: Guarantee | str | None = None,
    arms: int = 2,
    rounds: int = 12,
    engine: str = "auto",
    gate: bool = False,
    adversary: str | Adversary | None = None,
    pair: Pair | Levels | None = None,
    neighbours: str = "round",
    sees: str | None = None,
    contexts: str | None = None,
    batch: int = 1,
    delay: int = 0,
    runs: int | None = None,
    seconds: float | None = None,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    tradeoff: bool = False,
    evidence: str | Path | None = None,
    clock: Sequence[Any] = (),
    parameters: Mapping[str, Any] | None = None,
    **more: Any,
) -> AuditResult:
    """Audit a learner: a catalogue name, a learner class, `module:Class` or `file.py:Class`.

    `epsilon` and `delta` are the claim and what the learner is run with; `eta` (or `mu`) claims
    GDP, `rho` zCDP, `rdp=(alpha, epsilon)` Rényi DP, `claim` anything, and `claim="card"` what the
    card of a catalogue algorithm does at this epsilon (1, if none is given), as is done where
    nothing is claimed. The answer holds at `confidence` as a whole: pair, direction and event are
    chosen on samples that the bound does not use.

    `gate` only answers whether the claim is refuted, and stops as soon as it is certain.
    `adversary` (a built-in name or a function) chooses the rewards after seeing the actions.
    `pair` is audited in the place of the pairs that a search would find; its tables may be shorter
    than `rounds`. `neighbours` and what follows are explained in the guide (kinds), `tradeoff` in
    (dimensions), `evidence` in (evidence); `clock` is what a result with `seconds` says that the
    clock decided, and makes it again; `parameters`, and `more`, are the learner's own.
    """
    began = time.monotonic()
    parameters = {**(parameters or {}), **more}
    found = resolve_target(target)
    size = sizes(arms, rounds)
    levelled = not all(each is None for each in (epsilon, eta, mu, rho, rdp))
    by_card = claim == "card" or (claim is None and not levelled)
    if by_card:
        epsilon = 1.0 if epsilon is None else epsilon
        claim = card_claim(found, epsilon, *size, parameters)
    claim = claimed(claim, epsilon, delta, eta, mu=mu, rho=rho, rdp=rdp)
    how = neighbours, sees, contexts, batch, delay
    setting = setting_of(found.factory, found.name, *how)
    if by_card:
        by_the_card(setting)
    known = () if engine in ENGINES else added()
    if engine not in (*ENGINES, *known):
        allowed = ", ".join([*ENGINES, *known])
        raise UsageError(f"engine: got {engine!r}, allowed is one of {allowed}")
    if gate and engine not in ("auto", "black-box"):
        raise UsageError(f"engine: got {engine!r}, the gate is black-box")
    levels = pair if isinstance(pair, Levels) else None
    if isinstance(pair, Levels):
        pair = pair.pair(*size)
    alpha = Alpha.of(confidence)
    if seconds is not None:
        seconds = check_number("seconds", seconds, 0.0, math.inf, low_open=True)
    request = Request(
        target=found.told(
            horizon=size[1], delta=claim.delta, parameters=parameters, levels=levels_of(claim)
        ),
        claim=claim,
        epsilon=epsilon,
        arms=size[0],
        rounds=size[1],
        runs=None if runs is None else check_count("runs", runs, 100),
        seconds=seconds,
        seed=check_count("seed", seed, 0),
        workers=check_workers(workers),
        parameters=parameters,
        progress=progress,
        adversary=None if adversary is None else find_adversary(adversary),
        pair=pair,
        setting=setting,
        tradeoff=tradeoff,
        evidence=None if evidence is None else Path(evidence),
        again=bool(clock),
    )
    check_pair(pair, setting, *size, adaptive=adversary is not None, whole=request.whole)
    _ = request.full_settings  # which checks them
    if clock and runs is not None:
        raise UsageError(
            "clock: got beside runs, which no clock decides; allowed is one of the two"
        )
    adaptive = getattr(request.adversary, "__qualname__", None)
    asked = [engine, gate, confidence, adaptive, str(levels), setting.shown(), tradeoff, [*clock]]
    bind(request, asked)
    upper = None if gate else request.upper()
    chosen, why = "gate", "to stop as soon as it is certain"
    if not gate:
        chosen, why = request.engine(engine, upper)
    for name, given in {"tradeoff": tradeoff, "evidence": evidence is not None}.items():
        if given and chosen != "black-box":
            raise UsageError(f"{name}: is for sampled outputs ({chosen} would answer), allowed is "
                             "engine black-box")  # fmt: skip
    if tradeoff and evidence is not None:
        raise UsageError("tradeoff: got beside evidence, which is of one event; allowed is one")
    per_step: Lower | None = None
    note = ""
    part, second = None, None
    if engine == "auto" and chosen in ("exact", "two-world"):
        part = cross_check.shortened(request)
    if part is not None:
        second, alpha = alpha.split(cross_check.SHARE, 1.0 - cross_check.SHARE)
        total = request.runs or TWO_WORLD_RUNS
        request = replace(request, runs=total - cross_check.reserved(total))
    again = ""
    decided = Clock(clock)
    try:
        if chosen == "gate":
            lower, note = gated(request, alpha)
        elif chosen == "exact":
            lower, note = request.exact()
        elif chosen == "two-world":
            lower, per_step = request.two_world(alpha)
        elif chosen == "black-box":
            lower = (black_box if evidence is None else looked)(request, alpha)
            if request.mistrust is not None:
                lower = replace(lower, untested=(*lower.untested, AROUND))
            if claim.notion in RENYI:
                note = SHOWN
            if adversary is not None:
                note = "the tables are what is played along the first sequence of the event"
        else:
            lower, note = added()[chosen](request, alpha)
        upper = request.tightened(upper, lower)
        if part is not None and second is not None and lower.complete:
            lower, upper, chosen, again = cross_check.weighed(
                part, lower, upper, chosen, second.take(second.value, CROSS_CHECK)
            )
            if chosen == "black-box":
                per_step, why = None, "the actions show more than the book"
        if chosen == "exact":
            lower = put_to_the_test(lower, upper, claim, request.rounds)
    except (ArithmeticError, AttributeError, TypeError, ValueError, LookupError) as error:
        decided.refuse(error)
        raise
    except KeyboardInterrupt:
        words = Event("interrupted before an event was bounded")
        lower = Lower(0.0, None, words, 0, 0.0, complete=False)
    finally:
        decided.stop()
        heard.show()
    # Evidence is of all its looks, and without a pair there is nothing to be found again.
    timed = (seconds is not None or decided.timed) and evidence is None
    timed = timed and lower.complete and lower.pair is not None
    result = AuditResult.of(
        target=found.name,
        claim=claim,
        lower=lower,
        upper=upper,
        engine=chosen,
        why=why,
        confidence=confidence,
        spent=(*alpha.entries, *(second.entries if second is not None else ())),
        seconds=time.monotonic() - began,
        seed=request.seed,
        version=__version__,
        arms=request.arms,
        rounds=request.rounds,
        epsilon=epsilon,
        claimed="card" if by_card else "",
        levels="" if levels is None else str(levels),
        parameters=dict(parameters),
        notes=tuple(filter(None, (note, again))),
        per_step=per_step,
        adversary=None if adversary is None else getattr(adversary, "__name__", str(adversary)),
        limit=seconds,
        clock=decided.taken if timed else [],
        evidence="" if evidence is None else str(evidence),
        **setting.shown(),
    )
    return with_mends(result, found)
