"""A wheel of the checkout, and environments to try it in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKED = ("dpaudit", "algorithms", "proofs_checks", "reports")


def build(folder: Path) -> Path:
    """The wheel, by setuptools' own build, which needs no network; nothing of the checkout is
    written to."""
    source = folder / "source"
    source.mkdir()
    for name in PACKED:
        skip = shutil.ignore_patterns("__pycache__", ".*", "*.html", "*.svg")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=skip)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(folder)!r})"
    built = run(sys.executable, "-c", code, cwd=source)
    assert built.returncode == 0, built.stderr
    shutil.rmtree(source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def environment(folder: Path, *wanted: str, python: str = sys.executable) -> str:
    """The interpreter of a new environment that holds what is wanted; skips where the package index
    is out of reach."""
    index_or_skip(folder.parent)
    done = run(python, "-m", "venv", "--without-pip", str(folder), cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    inside = str(folder / "bin" / "python")
    install(inside, *wanted)
    return inside


def install(python: str, *wanted: str) -> None:
    words = ["-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    done = run(sys.executable, *words, *wanted, cwd=Path(python).parents[1])
    assert done.returncode == 0, done.stderr


def index_or_skip(folder: Path) -> None:
    """A fresh environment needs packages from the index."""
    words = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", "index", "msgspec"]
    asked = run(sys.executable, *words, cwd=folder)
    if asked.returncode:
        pytest.skip(f"the package index cannot be reached: {asked.stderr.strip()[-200:]}")


def run(
    *words: str, cwd: Path, path: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """A process outside the checkout; `path` is what it imports from, `more` its environment."""
    given = {**os.environ, **more}
    given.pop("PYTHONPATH", None)
    if path is not None:
        given["PYTHONPATH"] = str(path)
    return subprocess.run(
        words, cwd=cwd, env=given, capture_output=True, text=True, timeout=1_800, check=False
    )
