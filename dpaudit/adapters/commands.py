"""A learner in any language: a program that is told each round in a line of JSON.

    {"new": {"arms": 2, "epsilon": 1.0, "seed": 17}}      a new learner, nothing is answered
    {"t": 1}                                              answered by the arm: 0, or {"arm": 0}
    {"t": 1, "context": [0.5, 0.5]}                       the same, where there are contexts
    {"reward": 0.5}                                       nothing is answered
    {"publish": "released"}                               answered {"released": 0.3}
    {"publish": "outputs"}                                answered {"outputs": [0.1, "arm 0"]}
    {"publish": "reports"}                                answered {"reports": [[1, 0], [0, 1]]}

What it publishes is asked for where `publishes` names it: `released` after each round, the others
at the end of a run. One that may end a run early (`stops`) answers {"arm": null} there. One program
plays many runs, one after the other. It ends when its standard input does.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

from dpaudit.adapters.made import UNIT, Made, learner_class
from dpaudit.errors import UsageError, shortened
from dpaudit.play.kinds.setting import METHODS
from dpaudit.run.process import die_with_parent, place

ANSWER = 8.0
"""Seconds that a program may take for an arm, if nothing else is said."""
LONGEST = 2**16
"""Bytes of an answer."""
_programs: dict[tuple[int, tuple[str, ...]], Program] = {}
"""Those that run, by the process that started them: a fork starts its own."""


def from_cli(
    command: str | Sequence[str],
    *,
    seconds: float = ANSWER,
    feedback: str = "bandit",
    rewards: tuple[float, float] = UNIT,
    publishes: str = "",
    stops: bool = False,
    **given: Any,
) -> type[Made]:
    """A learner class of a program. `given` is told with every new learner. `publishes`: what it is
    asked for besides arms, some of outputs, released and reports, joined by +; `stops`: whether it
    may answer null in the place of an arm, which ends the run."""
    words = tuple(shlex.split(command) if isinstance(command, str) else command)
    if not words:
        raise UsageError("command: got none, allowed is a program with its arguments")
    named = str(publishes).split("+") if publishes else []
    if not set(named) <= set(METHODS):
        raise UsageError(
            f"publishes: got {shortened(repr(publishes), 60)}, allowed are {', '.join(METHODS)}, "
            "joined by +"
        )

    class Adapted(Made):
        code = _code(words)

        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            self.program, self.t = _running(words, seconds), 0
            new = {name: value for name, value in offer.items() if name != "rng"}
            self.program.tell({"new": new | given | more}, 0)

        def select(self, t: int, context: Any = None) -> int | None:
            shown = {} if context is None else {"context": [float(x) for x in context]}
            self.t = t
            self.program.tell({"t": t} | shown, t)
            return self.program.arm(t, stops=stops)

        def observe(self, t: int, arm: int, reward: Any) -> None:
            value = reward if isinstance(reward, float) else [float(x) for x in reward]
            self.program.tell({"reward": value}, t)

    for what in named:
        setattr(Adapted, what, _asking_for(what))
    how: dict[str, Any] = {"feedback": feedback, "rewards": rewards, "stops": stops}
    made = learner_class(Adapted, Program, hands_on=False, **how)
    made.__qualname__ = made.__name__ = os.path.basename(words[-1])
    return made


def _asking_for(what: str) -> Callable[..., Any]:
    """The method that asks the program for what it publishes, after a round or at the end."""
    return lambda self, *_: self.program.published(what, self.t)


def _code(words: tuple[str, ...]) -> str:
    """Digest of the command and of the files that it names: what an answer is about."""
    whole = hashlib.sha256()
    for word in words:
        whole.update(word.encode() + b"\0")
        found = shutil.which(word) if word == words[0] else word
        if found is not None and os.path.isfile(found):
            with open(found, "rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:32]


def _running(words: tuple[str, ...], seconds: float) -> Program:
    key = os.getpid(), words
    if key not in _programs or _programs[key].process.poll() is not None:
        _programs[key] = Program(words, seconds)
    return _programs[key]


def _read(line: bytes) -> Any:
    """What a line says; the line itself where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def _shown(line: bytes) -> str:
    return shortened(repr(line.decode(errors="replace")), 60)


class Program:
    """A running program."""

    def __init__(self, words: tuple[str, ...], seconds: float) -> None:
        self.name, self.seconds, self.kept = " ".join(words), seconds, b""
        parent = os.getpid()
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                preexec_fn=lambda: die_with_parent(parent),
            )
        except OSError as error:
            raise UsageError(f"command: cannot run {self.name} ({error.strerror})") from None

    def tell(self, line: dict[str, Any], t: int) -> None:
        assert self.process.stdin is not None
        if self.kept:  # which would be taken for the next answer, and each after it be late by one
            raise self._stopped(t, f"said {_shown(self.kept)} without being asked")
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise self._stopped(t, "has ended") from None

    def arm(self, t: int, *, stops: bool) -> int | None:
        """The arm it answers with; None where the run ends, if it may."""
        line = self._line(t)
        said = _read(line)
        arm = said.get("arm", line) if isinstance(said, dict) else said
        if isinstance(said, dict):
            for what in sorted(set(METHODS) & set(said)):
                raise self._stopped(
                    t,
                    f"answered {what} beside its arm, which is asked for apart: publishes={what!r}",
                )
        if arm is None and stops:
            return None
        if not isinstance(arm, int) or isinstance(arm, bool):
            raise self._stopped(t, f"answered {_shown(line)}, no arm")
        return arm

    def published(self, what: str, t: int) -> Any:
        """What it publishes: numbers, words, null and lists of these; reports are a list."""
        self.tell({"publish": what}, t)
        line = self._line(t)
        said = _read(line)
        if not isinstance(said, dict) or list(said) != [what]:
            raise self._stopped(t, f'answered {_shown(line)}, allowed is {{"{what}": ...}}')
        if what == "reports" and not isinstance(said[what], list):
            raise self._stopped(t, f"answered {_shown(line)}, reports that are no list")
        return said[what]

    def _line(self, t: int) -> bytes:
        assert self.process.stdout is not None
        file = self.process.stdout.fileno()
        until = time.monotonic() + self.seconds
        while b"\n" not in self.kept:
            ready, _, _ = select.select([file], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise self._stopped(t, f"has not answered within {self.seconds:g} s")
            read = os.read(file, LONGEST)
            if not read:
                raise self._stopped(t, "has ended")
            self.kept += read
            if len(self.kept) > LONGEST:
                raise self._stopped(t, "answers without an end of line")
        line, _, self.kept = self.kept.partition(b"\n")
        return line

    def _stopped(self, t: int, what: str) -> UsageError:
        self.process.kill()
        code = self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        ended = f" with code {code}" if what == "has ended" else ""
        return UsageError(f"command: {place(t)} {shortened(self.name, 60)} {what}{ended}")
