"""What is claimed, from what was asked."""

from __future__ import annotations

from typing import Any

from dpaudit.errors import UsageError
from dpaudit.play.catalogue import Target
from dpaudit.play.kinds.setting import Setting
from dpaudit.results.claimed import RENYI, Guarantee, concentrated, gaussian, guarantee, renyi

SHOWN = "an event shows what two outcomes have of a Rényi divergence, which is less than all of it"


def card_claim(
    target: Target, epsilon: float, arms: int, rounds: int, parameters: dict[str, Any]
) -> Guarantee:
    """What an algorithm's card claims at these settings."""
    if target.algorithm is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
    found = target.algorithm.claim(arms=arms, epsilon=epsilon, horizon=rounds, given=parameters)
    if found is None:
        raise UsageError(f"epsilon: none given, and the card of {target.name} claims no privacy")
    notion, level, delta = found
    return Guarantee.of(notion, level, delta)


def by_the_card(setting: Setting) -> None:
    """A card claims of tables that differ in one round, with feedback at the end of each."""
    if setting.neighbours != "round":
        raise UsageError(
            f"neighbours: got {setting.neighbours!r}, of which no card claims anything; allowed "
            "beside the card's claim is round, else say --epsilon"
        )
    if not setting.prompt:
        name = "batch" if setting.batch > 1 else "delay"
        raise UsageError(
            f"{name}: of late feedback no card claims anything; say what is claimed, --epsilon"
        )


def claimed(
    claim: Guarantee | str | None,
    epsilon: float | None,
    delta: float,
    eta: float | None = None,
    *,
    mu: float | None = None,
    rho: float | None = None,
    rdp: Any = None,
) -> Guarantee:
    """The claim of an audit. `mu` is another word for eta."""
    if isinstance(claim, str):
        raise UsageError(f"claim: got {claim!r}, allowed is 'card' or a Guarantee")
    if claim is not None:
        return claim
    others = {"eta": eta, "mu": mu, "rho": rho, "rdp": rdp}
    given = [name for name, value in others.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{given[1]}: got beside {given[0]}, allowed is one of the two")
    if rdp is not None:
        return renyi(*_order(rdp))
    if rho is not None:
        return concentrated(rho)
    if eta is not None or mu is not None:
        return gaussian(eta if mu is None else mu)  # type: ignore[arg-type]
    if epsilon is None:
        raise UsageError("epsilon: none given, allowed is a number in (0, inf)")
    return guarantee(epsilon, delta)


def _order(rdp: Any) -> tuple[Any, Any]:
    """ALPHA:EPSILON, or the two numbers."""
    parts = rdp.split(":") if isinstance(rdp, str) else rdp
    try:
        order, epsilon = parts
    except (TypeError, ValueError):
        raise UsageError(f"rdp: got {rdp!r}, allowed is ALPHA:EPSILON") from None
    return order, epsilon


def levels(claim: Guarantee) -> dict[str, float]:
    """What a class may ask for by its name, where the claim is no epsilon."""
    return {"gdp": {"mu": claim.level}, "zcdp": {"rho": claim.level}}.get(claim.notion, {})


def outputs_only(claim: Guarantee, setting: Setting) -> str | None:
    """Why only sampled outputs can answer; None where other engines can."""
    if claim.notion in RENYI:
        return f"a claim in {claim.notion.replace('zcdp', 'zCDP').replace('rdp', 'RDP')} is met by"
    if not setting.usual:
        what = {name: value for name, value in setting.shown().items() if value}
        what = {k: v for k, v in what.items() if (k, v) != ("batch", 1)}
        return f"{', '.join(f'{k} {v}' for k, v in what.items())}: met by"
    return None
