"""The pytest plugin: the fixture `dp_audit`, which fails a test whose learner is not as private as
claimed, with the witness and the command that shows it again. It fails one, too, that was not put
to the test (`inconclusive`), unless told otherwise: `dp_audit(..., inconclusive="pass")`, the
marker's `inconclusive="pass"` or `--dpaudit-inconclusive pass`.

One confidence covers all audits of a session: its error probability is shared evenly among the
tests that use the fixture, and within a test among its audits (half of what is left for each; the
marker `dp_audit(audits=N)` shares evenly among N). Nothing heavy is imported until it is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

FIXTURE = "dp_audit"
ALLOWED = ("fail", "pass")
OPTIONS = {
    "seed": (int, 0, "seed of all audits (default 0)"),
    "confidence": (float, 0.999, "of all audits of the session together (default 0.999)"),
    "runs": (int, None, "runs of an audit, where the test does not say"),
    "seconds": (float, None, "seconds of an audit, where the test does not say"),
    "gate": (str, "off", "on: only refute, at the first certain answer (default off)"),
    "inconclusive": (str, "fail", "pass: accept audits that tested nothing (default fail)"),
    "save": (str, None, "write all results to this file"),
    "compare": (str, None, "compare with a saved file, by test"),
    "fail-worse": (
        float,
        None,
        "fail a test whose lower bound is this many percent above --compare",
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dpaudit", "privacy audits")
    for name, (kind, default, text) in OPTIONS.items():
        group.addoption(f"--dpaudit-{name}", type=kind, default=default, help=text)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "dp_audit(runs=, seconds=, gate=, inconclusive=, audits=1): budget of the test's privacy "
        "audits, whether it may be inconclusive, and how many of them share its part of the "
        "confidence",
    )
    confidence, gate = _option(config, "confidence"), _option(config, "gate")
    if not 0.0 < confidence < 1.0:
        _refuse("confidence", f"got {confidence}, allowed is a number in (0, 1)")
    if gate not in ("on", "off"):
        _refuse("gate", f"got {gate!r}, allowed is on or off")
    if _option(config, "inconclusive") not in ALLOWED:
        _refuse("inconclusive", f"got {_option(config, 'inconclusive')!r}, allowed is fail or pass")
    if _option(config, "fail-worse") is not None and _option(config, "compare") is None:
        _refuse("fail-worse", "needs --dpaudit-compare FILE")
    config.pluginmanager.register(Session(config), "dpaudit-session")


def _option(config: pytest.Config, name: str) -> Any:
    return config.getoption(f"--dpaudit-{name}")


def _refuse(option: str, why: object) -> NoReturn:
    raise pytest.UsageError(f"--dpaudit-{option}: {why}") from None


class Session:
    """The session's options, its share of the confidence per test, and the results."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.tests = 0
        self.results: list[dict[str, Any]] = []
        self.before = _saved(_option(config, "compare"))

    def pytest_report_header(self) -> str:
        from dpaudit import __version__

        confidence, seed = _option(self.config, "confidence"), _option(self.config, "seed")
        return f"dpaudit {__version__}: confidence {confidence:g} for the session, seed {seed}"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Count the tests among which the error probability is shared."""
        self.tests = sum(FIXTURE in getattr(item, "fixturenames", ()) for item in items)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        """Hand the results on with the report, also from a worker of pytest-xdist."""
        outcome: Any = yield
        if item.stash.get(RESULTS, None):
            outcome.get_result().dpaudit = item.stash[RESULTS]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.results += getattr(report, "dpaudit", [])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.results:
            return
        terminalreporter.section("privacy audits")
        for result in self.results:
            upper = result["upper_bound"]
            bounds = f"[{result['lower_bound']:.4g}, {'?' if upper is None else f'{upper:.4g}'}]"
            change = self.change(result)
            terminalreporter.write_line(
                f"{result['verdict']:<12} {bounds:<18} {result['target']}  {result['name']}"
                + (f"  ({change})" if change else "")
            )

    def pytest_sessionfinish(self) -> None:
        """Save what was asked for; a worker of pytest-xdist leaves that to the controller."""
        where = _option(self.config, "save")
        if where is None or hasattr(self.config, "workerinput"):
            return
        document = {"schema": "dpaudit/catalogue/1", "audits": self.results}
        Path(where).write_text(json.dumps(document, indent=2) + "\n")

    def share(self, node: pytest.Item, number: int) -> float:
        """The error probability of a test's audit number 0, 1, …."""
        alpha = (1.0 - _option(self.config, "confidence")) / max(1, self.tests)
        audits = _marked(node).get("audits")
        if audits is None:
            return float(alpha / 2 ** (number + 1))
        if number >= audits:
            raise pytest.UsageError(f"{node.nodeid}: more audits than dp_audit(audits={audits})")
        return float(alpha / audits)

    def change(self, result: dict[str, Any]) -> str:
        """What changed since the saved session, in words."""
        before = self.before.get(result["name"])
        if before is None:
            return "new" if self.before else ""
        if before["lower_bound"] == result["lower_bound"]:
            return "as before"
        return f"lower bound was {before['lower_bound']:.4g}"

    def worse(self, result: dict[str, Any]) -> bool:
        """Whether the lower bound rose by more than --dpaudit-fail-worse allows."""
        percent, before = _option(self.config, "fail-worse"), self.before.get(result["name"])
        if percent is None or before is None:
            return False
        return bool(result["lower_bound"] > before["lower_bound"] * (1.0 + percent / 100.0))


RESULTS = pytest.StashKey[list[dict[str, Any]]]()


def _saved(path: str | None) -> dict[str, dict[str, Any]]:
    """The audits of a saved session, by test."""
    if path is None:
        return {}
    from dpaudit.errors import UsageError
    from dpaudit.results.documents import Catalogue, read

    try:
        document = read(path)
    except UsageError as error:
        _refuse("compare", error)
    if not isinstance(document, Catalogue):
        _refuse("compare", f"{path} is not a saved session")
    return {audit.name: audit.public() for audit in document.audits}


def _marked(node: pytest.Item) -> dict[str, Any]:
    marker = node.get_closest_marker(FIXTURE)
    return {} if marker is None else dict(marker.kwargs)


class Auditor:
    """What the fixture gives: call it as `dpaudit.audit`; it fails the test on a violation."""

    def __init__(self, session: Session, node: pytest.Item) -> None:
        self.session, self.node = session, node
        self.results = node.stash.setdefault(RESULTS, [])

    def __call__(self, target: Any, **arguments: Any) -> Any:
        """Audit, and fail the test if the claim is violated or was not put to the test; returns
        the result."""
        import msgspec

        import dpaudit
        from dpaudit.results.words import describe

        config, number = self.session.config, len(self.results)
        marked = _marked(self.node)
        budget: dict[str, Any] = {k: marked[k] for k in marked.keys() & {"runs", "seconds"}}
        if not budget:
            options = {name: _option(config, name) for name in ("runs", "seconds")}
            budget = {name: value for name, value in options.items() if value is not None}
        if not {"runs", "seconds"} & arguments.keys():
            arguments.update(budget)
        arguments.setdefault("gate", marked.get("gate", _option(config, "gate") == "on"))
        arguments.setdefault("seed", _option(config, "seed"))
        arguments.setdefault("workers", 1 if hasattr(config, "workerinput") else None)
        default = marked.get("inconclusive", _option(config, "inconclusive"))
        inconclusive = arguments.pop("inconclusive", default)
        if inconclusive not in ALLOWED:
            raise pytest.UsageError(
                f"dp_audit: inconclusive: got {inconclusive!r}, allowed is 'fail' or 'pass'"
            )
        if "confidence" in arguments:
            raise pytest.UsageError(
                "dp_audit: the confidence is the session's, --dpaudit-confidence"
            )
        confidence = 1.0 - self.session.share(self.node, number)
        result = dpaudit.audit(target, confidence=confidence, **arguments)
        name = self.node.nodeid + (f"#{number + 1}" if number else "")
        named = msgspec.structs.replace(
            result, target=_importable(target) or result.target, name=name
        )
        public = named.public()
        self.results.append(public)
        suffix = f"_{number + 1}" if number else ""
        for key in ("target", "verdict", "lower_bound", "upper_bound", "engine", "seed"):
            self.node.user_properties.append((f"dpaudit_{key}{suffix}", public[key]))
        again = f"  or            pytest {self.node.nodeid} --dpaudit-seed {result.seed}"
        message = "\n".join([*describe(named), again])
        if result.verdict == "violated":
            pytest.fail(message, pytrace=False)
        if result.verdict == "inconclusive" and inconclusive == "fail":
            pytest.fail(message, pytrace=False)
        if self.session.worse(public):
            pytest.fail(
                f"worse than the saved session: {self.session.change(public)}, now "
                f"{result.lower_bound:.4g}\n{message}",
                pytrace=False,
            )
        return result


def _importable(target: Any) -> str:
    """A class by its file, as the command line takes it; a local one only by its name."""
    if "<" in getattr(target, "__qualname__", "<"):
        return ""
    import inspect

    from dpaudit.play.isolated import name_in_module

    name = name_in_module(target)
    path = Path(inspect.getfile(target))
    here = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{here}:{name}"


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Auditor:
    """Audit a learner: `dp_audit(MyLearner, epsilon=1.0, arms=2, rounds=12)`."""
    session = request.config.pluginmanager.get_plugin("dpaudit-session")
    assert isinstance(session, Session)
    return Auditor(session, request.node)
