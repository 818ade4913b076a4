"""Round-by-round regret of anyone's learner class, or of a catalogue algorithm under any sampler of
rewards, in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.errors import UsageError
from dpaudit.play.learner import Stepped
from dpaudit.play.targets import Target
from dpaudit.results.regret import Floats
from dpaudit.run.block import Block

Draw = Callable[[np.random.Generator], Any]


def play_learner(
    subject: Target,
    means: Floats,
    world: Any,
    ends: Any,
    epsilon: float | None,
    parameters: dict[str, float | str],
) -> Callable[[Block, int], Floats]:
    """A function that plays a block: pseudo-regret (runs x horizons)."""
    if subject.algorithm is None and parameters:
        raise UsageError("param: a learner class takes arms, epsilon and rng only")
    if subject.algorithm is None and epsilon is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
    losses = subject.algorithm is not None and subject.algorithm.card.payoff == "losses"
    gaps = means - means.min() if losses else means.max() - means
    draw = _sampler(world, means)

    def fresh(rng: np.random.Generator) -> Any:
        if subject.algorithm is not None:
            given = dict(parameters)
            return Stepped(subject.algorithm, len(means), epsilon, rng, int(ends[-1]), **given)
        assert subject.factory is not None
        return subject.factory(arms=len(means), epsilon=epsilon, rng=rng)

    def play(block: Block, seed: int) -> Floats:
        regret = np.empty((block.runs, len(ends)))
        rng = block.generator(seed)
        for run in range(block.runs):
            learner = fresh(rng)
            regret[run] = _one_run(subject.name, learner, gaps, ends, draw, rng)
        return regret

    return play


def _one_run(
    name: str, learner: Any, gaps: Floats, ends: Any, draw: Draw, rng: np.random.Generator
) -> list[float]:
    bandit = getattr(learner, "feedback", "bandit") == "bandit"
    found: list[float] = []
    total, t = 0.0, 0
    for end in ends:
        while t < end:
            t += 1
            try:
                arm = learner.select(t)
                if not (isinstance(arm, (int, np.integer)) and 0 <= arm < len(gaps)):
                    raise UsageError(
                        f"learner {name}: in round {t} select returned {arm!r}, allowed is an arm "
                        f"from 0 to {len(gaps) - 1}"
                    )
                rewards = draw(rng)
                learner.observe(t, int(arm), float(rewards[arm]) if bandit else rewards)
            except UsageError:
                raise
            except Exception as error:
                raise UsageError(
                    f"learner {name}: in round {t} it raised {type(error).__name__}: {error}"
                ) from None
            total += float(gaps[arm])
        found.append(total)
    return found


def _sampler(world: Any, means: Floats) -> Draw:
    """One round's rewards of all arms."""
    if callable(world):

        def checked(rng: np.random.Generator) -> Any:
            rewards = np.asarray(world(rng), dtype=np.float64)
            if rewards.shape != means.shape or not np.all((rewards >= 0) & (rewards <= 1)):
                raise UsageError(
                    f"environment: the function returned {rewards!r}, allowed are {len(means)} "
                    "numbers in [0, 1]"
                )
            return rewards

        return checked
    if isinstance(world, str) and world == "deterministic":
        return lambda _rng: means
    if isinstance(world, str) and world == "bernoulli":
        return lambda rng: (rng.random(len(means)) < means).astype(np.float64)
    if isinstance(world, str):
        raise UsageError(
            f"environment: got {world!r}, allowed is bernoulli, deterministic, finite arms or a "
            "function"
        )

    def finite(rng: np.random.Generator) -> Any:
        uniform = rng.random(len(means))
        chosen = [
            int(np.searchsorted(world[j + 1], uniform[j], "right")) for j in range(len(means))
        ]
        return world[0][chosen]

    return finite
