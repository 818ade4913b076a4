"""Systems and checkouts that lack something are told so in one line."""

import os
import re
import sys
import tomllib

import pytest

from dpaudit.cli import main, place
from dpaudit.errors import UsageError, extras_for
from tests.packaging.versions import SUPPORTED, lower_bounds
from tests.packaging.wheel import ROOT


def test_a_checkout_without_links_says_so(tmp_path, capsys, monkeypatch):
    (tmp_path / "algorithms").write_text(
        "../algorithms"
    )  # what git writes where there are no links
    monkeypatch.setattr(place.check_place, "__defaults__", (tmp_path,))
    assert main(["algorithms"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "dpaudit/algorithms is no link" in line
    assert len(line) <= 200


def test_a_system_without_fork_says_so(capsys, monkeypatch):
    monkeypatch.delattr(os, "fork")
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["algorithms"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("dpaudit: system: win32 has no fork")
    assert len(line) <= 200


@pytest.mark.parametrize("module", ["fcntl", "resource"])
def test_a_module_that_windows_lacks_is_named(module):
    with pytest.raises(UsageError, match=f"needs a system with {module}"), extras_for("audit"):
        raise ModuleNotFoundError(name=module)


def test_what_macos_does_not_do_is_said(monkeypatch):
    assert place.limits("audit") == ""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "memory is not limited" in place.limits("audit")
    assert place.limits("show") == ""


def test_the_versions_that_are_tried_are_those_that_are_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f">={SUPPORTED[0]}"
    assert {w.partition("==")[0] for w in lower_bounds()} >= {"numpy", "numba", "z3-solver"}
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", each) for each in lower_bounds())
