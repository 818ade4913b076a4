"""The order of the tests."""

import pytest

FORKING = (
    "tests/quality/",
    "tests/auditor/test_auditing.py",
    "tests/run/test_runner.py",
    "tests/same/test_learners.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What plays learners in copies of its process comes first: a process that has compiled the
    whole catalogue is ten times larger, and copied so much slower."""
    items.sort(key=lambda item: not item.nodeid.startswith(FORKING))
