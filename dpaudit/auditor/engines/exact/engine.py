"""The exact engine: the largest log-ratio of two output distributions, certified with balls.

An audit hands it an algorithm with its settings. It computes from the mathematics that is stated
beside the algorithm's steps, and only where that has been seen to be the law of these steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpaudit.algorithm.contract import Algorithm
from dpaudit.algorithm.exact import LazyLaplace, PrefixNoisyMax
from dpaudit.auditor.engines.exact import law, lazy, noisy_max
from dpaudit.results.audit import Guarantee, Lower


def not_covered(
    algorithm: Algorithm | None, name: str, claim: Guarantee, settings: Mapping[str, Any]
) -> str | None:
    """Why the engine is not for this question; None if it is."""
    if algorithm is None or isinstance(algorithm.exact, PrefixNoisyMax | None):
        return f"the exact engine does not cover {name}"
    if claim.notion != "pure":
        return f"the exact engine takes pure claims, and this one is {claim}"
    if isinstance(algorithm.exact, LazyLaplace) and (
        settings["arms"] != 2 or settings["horizon"] > lazy.LONGEST
    ):
        return f"for {name} the exact engine takes 2 arms and at most {lazy.LONGEST} rounds"
    return None


def another_law(algorithm: Algorithm, settings: Mapping[str, Any]) -> str | None:
    """Why the engine may not answer it all the same; None if it may."""
    where = law.refusal(algorithm, settings)
    return None if where is None else f"the exact law is not that of these steps: {where}"


def exact_lower(algorithm: Algorithm, settings: Mapping[str, Any]) -> tuple[Lower, str]:
    """The certified answer with its witness, and over what it was maximised."""
    exact, rounds, epsilon = algorithm.exact, settings["horizon"], float(settings["epsilon"])
    if isinstance(exact, LazyLaplace):
        return lazy.exact_lower(rounds, epsilon, exact.at(settings))
    if isinstance(exact, PrefixNoisyMax | None):
        raise AssertionError("nothing exact to compute with")
    losses = algorithm.card.payoff == "losses"
    return noisy_max.exact_lower(exact, settings["arms"], rounds, epsilon, losses=losses)
