"""Many small requests through the public interface, each with a name and a function that asks it.

What they answered before the redesign stands in probes.json. An answer is plain data without
timings; arrays are digests of their bytes; a refusal is its kind only, for its words may be
improved.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dpaudit
from tests.auditor import learners
from tests.same.documents import ROOT

Ask = Callable[[], Any]
NAMES = """
    anytime-lazy-ucb ftnl lazy-dp-ts rnm-ftnl rnm-ftnl-repaired thompson dp-ts dp-ucb dp-ucb-bound
    dp-ucb-bound-repaired dp-ucb-int dp-ucb-repaired rnm-ftnl-exponential
    rnm-ftnl-exponential-repaired rnm-ftnl-gumbel rnm-ftnl-laplace dp-ts-ucb m-ts-gaussian
    ts-gaussian adap-klucb adap-ucb dp-se follow-the-leader hedge kl-ucb private-ucb ucb1
""".split()
"""The catalogue before the redesign."""
LEARNERS = f"{ROOT}/tests/auditor/learners.py"
GDP = ("ts-gaussian", "m-ts-gaussian", "dp-ts-ucb", "dp-ucb-int")
READINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("dp-ts", {"average": "printed"}),
    ("dp-ts", {"invoke": "afresh"}),
    ("dp-ucb", {"log_base": 2}),
    ("dp-ucb-bound", {"log_base": 2}),
    ("dp-ucb-int", {"redraw": "printed"}),
    ("dp-ucb-int", {"v": 1.3}),
    ("lazy-dp-ts", {"log_base": 2}),
    ("rnm-ftnl-exponential", {"resample": "1"}),
    ("rnm-ftnl-gumbel", {"resample": "1"}),
    ("rnm-ftnl-laplace", {"resample": "1"}),
    ("dp-ts-ucb", {"alpha": 0.5}),
    ("m-ts-gaussian", {"b": 1, "c": 2}),
    ("ts-gaussian", {"offset": "0"}),
    ("adap-ucb", {"alpha": 4.0}),
    ("private-ucb", {"gamma": 0.1}),
    ("dp-se", {"beta": 0.05}),
)
"""Other readings than the default ones."""


def requests() -> dict[str, Ask]:
    """All requests by name."""
    found: dict[str, Ask] = {}
    for part in (_algorithms, _readings, _settings, _exact_regret, _command_line):
        found |= dict(part())
    return found


def learner_requests() -> dict[str, Ask]:
    """Requests about anyone's classes and mechanisms, which are played in copies of the process:
    cheap as long as that has compiled little."""
    return dict([*_learners(), *_mechanisms()])


def ask(request: Ask) -> Any:
    """The answer, as JSON would give it back."""
    try:
        answer = request()
    except dpaudit.UsageError:
        answer = {"refused": "UsageError"}
    return json.loads(json.dumps(answer))


def guarantee(notion: str, level: float, delta: float = 0.0) -> Any:
    """A claim other than pure epsilon."""
    # The later two are where it was called before: in the code that is compared with.
    for module, name in (
        ("dpaudit", "Guarantee"),
        ("dpaudit.results.audit", "Claimed"),
        ("dpaudit.auditor.results", "Claimed"),
    ):
        with contextlib.suppress(ImportError):
            kind = getattr(importlib.import_module(module), name, None)
            if kind is not None:
                return getattr(kind, "of", kind)(notion, level, delta)
    raise LookupError("no class of claims")


def audit(target: Any, **given: Any) -> Any:
    """An audit's document."""
    given = {"epsilon": 1.0, "arms": 2, "rounds": 4, "runs": 20_000, "workers": 1} | given
    return _document(dpaudit.audit(target, **given))


def _document(result: Any) -> Any:
    document = json.loads(result.json())
    del document["seconds"]
    document.pop("mends", None)  # which has tests of its own
    if "witness" in document:
        _of_before(document)
    return document | {"target": document["target"].removeprefix(f"{ROOT}/")}


def _of_before(audit: dict[str, Any]) -> None:
    """Without what has tests of its own, where most of what is compared with is older."""
    del audit["rarest"]
    audit["sentence"] = re.sub(r", [^ ]+ in events of [^;]+", "", audit["sentence"])
    if not audit["witness"]["without"]:
        del audit["witness"]["without"]


def of_array(array: Any) -> str:
    """Kind, shape and digest of an array."""
    whole = np.ascontiguousarray(array)
    about = f"{whole.dtype.str}{list(whole.shape)}"
    return f"{about} {hashlib.sha256(whole.tobytes()).hexdigest()[:24]}"


def arrays(result: Any, *names: str) -> dict[str, str]:
    """The named arrays of a result."""
    return {name: of_array(getattr(result, name)) for name in names}


def _pair(target: str, rounds: int, arms: int) -> tuple[Any, Any]:
    """Two tables that differ in the second round, others for each target."""
    rng = np.random.default_rng(zlib.crc32(target.encode()))
    here = rng.integers(0, 5, (rounds, arms)) / 4.0
    there = here.copy()
    there[1] = 1.0 - here[1]
    return here, there


def _plays(target: str) -> dict[str, str]:
    here, there = _pair(target, 9, 3)
    given = {"epsilon": 0.7, "runs": 300, "seed": 4}
    books = ("actions", "loss", "pure", "gdp")
    played = dpaudit.play_tables(target, here, there, workers=2, **given)
    leapt = dpaudit.play_tables(target, here, there, leaping=True, **given)
    slow = dpaudit.play_tables(target, here, there, python=True, **given | {"runs": 5})
    forced = dpaudit.trace(target, here, there, [0, 1, 2] * 3, epsilon=0.7, seed=5)
    free = dpaudit.trace(target, here, there, epsilon=0.7, seed=6)
    traced = ("path", "loss", "pure", "gdp")
    return {
        **{f"tables/{k}": v for k, v in arrays(played, *books).items()},
        **{f"leaping/{k}": v for k, v in arrays(leapt, *books).items()},
        **{f"python/{k}": v for k, v in arrays(slow, *books).items()},
        **{f"forced/{k}": v for k, v in arrays(forced, *traced).items()},
        **{f"free/{k}": v for k, v in arrays(free, *traced).items()},
    }


def _environments(target: str) -> dict[str, str]:
    means, horizons = [0.8, 0.5, 0.3], [1, 10, 100, 700]
    given = {"epsilon": 0.5, "runs": 60, "seed": 9}
    found = {}
    for environment in ("bernoulli", "deterministic"):
        for leaping in (True, False):
            played = dpaudit.play_environment(
                target, means, horizons, environment=environment, leaping=leaping, **given
            )
            found[f"{environment} leaping={leaping}"] = of_array(played.regret)
    return found


def _stepped(target: str) -> Any:
    """Thirty rounds by hand: the arms, the loss booked, and where the generator stands."""
    rng = np.random.default_rng(21)
    one = dpaudit.learner(target, arms=3, epsilon=0.9, rng=rng, horizon=30)
    draws = np.random.default_rng(22)
    played, losses = [], []
    for t in range(1, 31):
        arm = one.select(t)
        rewards, others = draws.random(3), draws.random(3)
        x, y = (rewards[arm], others[arm]) if one.feedback == "bandit" else (rewards, others)
        one.observe(t, arm, x, y if t == 3 else None)
        played.append(int(arm))
        losses.append(float(one.own.loss))
    return {"arms": played, "loss": losses, "next": float(rng.random())}


def _algorithms() -> Iterator[tuple[str, Ask]]:
    for name in NAMES:
        yield f"{name} audit auto", lambda n=name: audit(n)
        yield (
            f"{name} audit two-world",
            lambda n=name: audit(
                n, epsilon=0.5, arms=3, engine="two-world", seed=7, workers=2, runs=30_000
            ),
        )
        yield (
            f"{name} audit black-box",
            lambda n=name: audit(n, rounds=3, engine="black-box", delta=0.01, seed=1),
        )
        yield (
            f"{name} regret",
            lambda n=name: _document(
                dpaudit.regret(
                    n, means=[0.7, 0.4, 0.4], horizon=500, epsilon=1.0, runs=50, points=6, workers=2
                )
            ),
        )
        yield f"{name} plays", lambda n=name: _plays(n)
        yield f"{name} environments", lambda n=name: _environments(n)
        yield f"{name} stepped", lambda n=name: _stepped(n)


def _readings() -> Iterator[tuple[str, Ask]]:
    for name, reading in READINGS:
        shown = ",".join(f"{k}={v}" for k, v in reading.items())
        yield f"{name} audit {shown}", lambda n=name, r=reading: audit(n, rounds=5, seed=2, **r)


def _settings() -> Iterator[tuple[str, Ask]]:
    for name in GDP:
        eta = guarantee("gdp", 0.8)
        yield f"{name} audit gdp", lambda n=name, c=eta: audit(n, claim=c, rounds=6, seed=3)
    weak = guarantee("gdp", 0.5)
    yield (
        "dp-ts audit gdp black-box",
        lambda: audit("dp-ts", claim=weak, engine="black-box", rounds=3),
    )
    yield "dp-ts audit delta", lambda: audit("dp-ts", epsilon=0.3, delta=0.05, seed=8)
    yield "rnm-ftnl audit delta", lambda: audit("rnm-ftnl", delta=0.001, workers=2, seed=8)
    yield "rnm-ftnl audit gate", lambda: audit("rnm-ftnl", gate=True, rounds=3)
    yield (
        "anytime-lazy-ucb audit gate",
        lambda: audit("anytime-lazy-ucb", gate=True, rounds=3, workers=2),
    )
    for name in ("reward-last", "punish-last", "balance"):
        yield (
            f"ftnl audit adversary {name}",
            lambda n=name: audit("ftnl", adversary=n, rounds=4, runs=2000),
        )
    yield "anytime-lazy-ucb audit T=9", lambda: audit("anytime-lazy-ucb", rounds=9, epsilon=0.25)
    yield (
        "anytime-lazy-ucb audit one arm",
        lambda: audit("anytime-lazy-ucb", arms=1, engine="two-world"),
    )
    yield "rnm-ftnl audit four arms", lambda: audit("rnm-ftnl", arms=4, rounds=7)
    yield "rnm-ftnl-gumbel audit five arms", lambda: audit("rnm-ftnl-gumbel", arms=5, rounds=3)
    yield "adap-ucb audit exact", lambda: audit("adap-ucb", rounds=6, engine="exact", epsilon=2.0)
    yield (
        "lazy-dp-ts audit long",
        lambda: audit("lazy-dp-ts", rounds=20, runs=10_000, confidence=0.95, seed=11),
    )
    yield (
        "dp-se audit seed and confidence",
        lambda: audit("dp-se", confidence=0.9, seed=123, runs=50_000, workers=2),
    )
    yield "ucb1 audit exact", lambda: audit("ucb1", engine="exact")
    yield "rnm-ftnl audit no epsilon", lambda: audit("rnm-ftnl", epsilon=None)
    yield "nobody audit", lambda: audit("nobody")


def _exact_regret() -> Iterator[tuple[str, Ask]]:
    def regret(target: Any, **given: Any) -> Any:
        return _document(dpaudit.regret(target, **{"workers": 1} | given))

    four = {"means": [0.6, 0.5, 0.5, 0.3], "horizon": 2**40, "points": 5, "exact": True}
    names = [n for n in NAMES if n.startswith("rnm-")]
    for name in [*names, "follow-the-leader", "ftnl", "uniform"]:
        yield (
            f"{name} regret exact",
            lambda n=name: regret(n, **four, epsilon=None if n == "uniform" else 0.2),
        )
        if name != "ftnl":
            yield (
                f"{name} regret exact deterministic",
                lambda n=name: regret(
                    n,
                    **four,
                    environment="deterministic",
                    epsilon=None if n == "uniform" else 0.2,
                ),
            )
    finite = ([0.0, 0.5, 1.0], [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]])
    for name in ("ucb1", "rnm-ftnl", "anytime-lazy-ucb"):
        yield (
            f"{name} regret finite",
            lambda n=name: regret(n, environment=finite, horizon=300, epsilon=1.0, runs=40),
        )
    yield (
        "ucb1 regret sampler",
        lambda: regret(
            "ucb1",
            means=[0.75, 0.25],
            environment=lambda rng: np.array([rng.beta(3, 1), rng.beta(1, 3)]),
            horizon=60,
            runs=20,
            points=4,
        ),
    )
    yield (
        "anytime-lazy-ucb regret far",
        lambda: regret(
            "anytime-lazy-ucb", means=[0.75, 0.5], horizon=10**12, epsilon=0.5, runs=30, workers=2
        ),
    )


def _learners() -> Iterator[tuple[str, Ask]]:
    small: dict[str, Any] = {"rounds": 5, "runs": 3000}
    for name in ("Leaky", "Blind", "CopiesLast"):
        for workers in (1, 2):
            yield (
                f"{name} audit, {workers} workers",
                lambda n=name, w=workers: audit(f"{LEARNERS}:{n}", workers=w, **small),
            )
        yield f"{name} class audit", lambda n=name: audit(getattr(learners, n), seed=5, **small)
        yield (
            f"{name} regret",
            lambda n=name: _document(
                dpaudit.regret(
                    getattr(learners, n), means=[0.7, 0.2], horizon=40, epsilon=1.0, runs=20
                )
            ),
        )
    yield (
        "Leaky audit three arms",
        lambda: audit(f"{LEARNERS}:Leaky", arms=3, rounds=8, runs=2000, delta=0.01),
    )
    weak = guarantee("gdp", 0.5)
    yield "Leaky audit gdp", lambda: audit(f"{LEARNERS}:Leaky", claim=weak, **small)
    yield "Leaky audit gate", lambda: audit(f"{LEARNERS}:Leaky", gate=True, **small)
    yield "Blind audit gate", lambda: audit(f"{LEARNERS}:Blind", gate=True, **small)
    yield (
        "CopiesLast audit adversary",
        lambda: audit(f"{LEARNERS}:CopiesLast", adversary="reward-last", **small),
    )
    yield "Leaky audit function", lambda: audit(f"{LEARNERS}:Leaky", adversary=_second, **small)
    for name in ("Raises", "OutOfRange", "NotReproducible", "Crashes"):
        yield f"{name} audit", lambda n=name: audit(f"{LEARNERS}:{n}", rounds=5, runs=1000)


def _second(t: int, actions: Any, arms: int) -> list[float]:
    """An adversary of one's own."""
    return [float(j == t % arms or j in actions[-1:]) for j in range(arms)]


def _laplace(data: Any, n: int, rng: Any) -> Any:
    return data + rng.laplace(0.0, 1.0, n)


def _too_little(data: Any, n: int, rng: Any) -> Any:
    return data + rng.laplace(0.0, 0.5, n)


def _noisy_max(data: Any, n: int, rng: Any) -> Any:
    return np.argmax(np.asarray(data) + rng.laplace(0.0, 2.0, (n, len(data))), axis=1)


def _vector(data: Any, n: int, rng: Any) -> Any:
    return np.asarray(data) + rng.normal(0.0, 1.0, (n, len(data)))


def _labels(data: Any, n: int, rng: Any) -> Any:
    return np.where(rng.random(n) < data, "yes", "no")


def _mechanisms() -> Iterator[tuple[str, Ask]]:
    def mechanism(*who: Any, **given: Any) -> Any:
        return _document(dpaudit.audit_mechanism(*who, **{"runs": 20_000, "epsilon": 1.0} | given))

    eta = guarantee("gdp", 1.0)
    three = [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]
    yield "laplace mechanism", lambda: mechanism(_laplace, 0.0, 1.0)
    yield "laplace mechanism, 2 workers", lambda: mechanism(_laplace, 0.0, 1.0, workers=2, seed=1)
    yield "halved mechanism", lambda: mechanism(_too_little, 0.0, 1.0)
    yield "halved mechanism, 2 workers", lambda: mechanism(_too_little, 0.0, 1.0, workers=2)
    yield "noisy max mechanism", lambda: mechanism(_noisy_max, *three, confidence=0.95)
    yield "vector mechanism delta", lambda: mechanism(_vector, *three, delta=0.01)
    yield "vector mechanism gdp", lambda: mechanism(_vector, *three, claim=eta, seed=2)
    yield "labels mechanism", lambda: mechanism(_labels, 0.3, 0.6)


def command(*words: str) -> Any:
    """What a command prints with `--json -`, and its exit code."""
    from dpaudit.cli import main

    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main([*words, "--json", "-"])
    return {"exit": code, "document": _without_times(json.loads(out.getvalue()))}


def _without_times(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    if isinstance(value, dict):
        aside = ("seconds", "code", "seal")
        return {k: _without_times(v) for k, v in value.items() if k not in aside}
    return value


def _cards() -> Any:
    """What a program may rely on of each card; words of papers are free."""
    from dpaudit.cli import main

    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(["algorithms", "--json"])
    kept = "name title paper feedback payoff payoff_range anytime parent".split()
    return [
        {**{k: card[k] for k in kept}, "notion": card["privacy"]["notion"]}
        | {"parameters": [[p["name"], p["default"], p["allowed"]] for p in card["parameters"]]}
        for card in json.loads(out.getvalue())
    ]


def _command_line() -> Iterator[tuple[str, Ask]]:
    def line(text: str) -> tuple[str, Ask]:
        return f"dpaudit {text}", lambda: command(*text.split())

    yield "dpaudit algorithms --json", _cards
    yield line("audit rnm-ftnl --epsilon 1 --rounds 4")
    yield line("audit dp-ts --epsilon 1 --rounds 4 --runs 20000 --delta 0.01 --workers 2")
    yield line(
        "audit dp-ucb --epsilon 1 --rounds 3 --engine two-world --runs 2e4 --param log_base=2"
    )
    yield line("regret ucb1 --means 0.7,0.3 --horizon 1000 --runs 50 --points 5")
    yield line("regret rnm-ftnl --means 0.75,0.25 --epsilon 0.1 --horizon 1e18 --exact --points 3")
    yield line("scaling remark-14-conjecture --quick")
    yield line("scaling theorem-12-lower-bound --quick --workers 2")
    yield line("reproduce hu-et-al-figure-3 --runs 2")
    yield line("reproduce hu-hegde-figure-1 --runs 2 --seed 5 --workers 2")
    for where in (
        "hu_hegde_2022 --show line-17-invocation",
        "hu_huang_mehta_2021 --show theorem-4-privacy",
        "hu_huang_mehta_2021 --show eq-29-constant",
        "wu_wang_2025 --show lemma-16-gumbel",
        "tossou_dimitrakakis_2016 --show a12-factor-two",
        "hu_et_al_2025 --show theorem-4-4",
    ):
        yield line(f"claims --fresh --paper {where}")
