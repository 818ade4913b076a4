"""The order of the tests, those that a lost worker left out, and the certificates that several of
them need."""

import fcntl
import os
from pathlib import Path

import pytest

# Tests run beside each other already: a thread for every processor in each would only wait. Workers
# and the commands of tests are started with this, before numpy asks for it.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

FORKING = (
    "tests/fuzz/",
    "tests/auditor/test_field.py",
    "tests/adapters/",
    "tests/quality/test_quality.py",
    "tests/quality/test_field.py",
    "tests/kinds/",
    "tests/run/test_runner.py",
    "tests/same/test_learners.py",
    "tests/auditor/test_auditing.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What plays learners in copies of its process comes first, what copies it for every run before
    all: a process that has compiled the whole catalogue is ten times larger, and copied so much
    slower."""

    def place(item: pytest.Item) -> int:
        found = (i for i, name in enumerate(FORKING) if item.nodeid.startswith(name))
        return next(found, len(FORKING))

    items.sort(key=place)
    if config.getoption("--remaining"):
        done = set(_passed(config).read_text().splitlines())
        items[:] = [item for item in items if item.nodeid not in done]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--remaining", action="store_true", help="only what did not pass in the run before"
    )


def pytest_configure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ and hasattr(config, "cache"):
        config.pluginmanager.register(Passed(config), "passed")


class Passed:
    """Which tests are done, kept as they are: a run that loses its workers is gone on with, as
    `make test` does."""

    def __init__(self, config: pytest.Config) -> None:
        self.file = _passed(config)
        if not config.getoption("--remaining"):
            self.file.write_text("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (report.when == "call" and report.passed) or report.skipped:
            with self.file.open("a") as out:
                print(report.nodeid, file=out)


def _passed(config: pytest.Config) -> Path:
    return config.cache.mkdir("remaining") / "passed"


@pytest.fixture(scope="session")
def certificates(request):
    """A folder with the certificates of all but the slow claims, of the code as it is: the first
    process that asks makes what is not there from an earlier run. The slow ones are made and
    compared by the bit-for-bit script."""
    from dpaudit.ledger.certificates import current, keep, run_claim
    from dpaudit.ledger.claims import claims_of
    from dpaudit.paper_rooms import papers

    folder = request.config.cache.mkdir("ledger") / "certificates"
    claims = [c for paper in papers() for c in claims_of(paper) if not c.slow]
    with (folder.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = current(claims, folder)
        fresh = [c for c in claims if (c.paper, c.id) not in known]
        keep({(c.paper, c.id): run_claim(c.paper, c.id) for c in fresh}, folder)
    return folder
