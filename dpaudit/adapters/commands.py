"""A learner in any language: a program that is told each round in a line of JSON.

    {"new": {"arms": 2, "epsilon": 1.0, "seed": 17}}      a new learner, nothing is answered
    {"t": 1}                                              answered by the arm: 0, or {"arm": 0}
    {"t": 1, "context": [0.5, 0.5]}                       the same, where there are contexts
    {"reward": 0.5}                                       nothing is answered

One program plays many runs, one after the other. It ends when its standard input does.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from dpaudit.adapters.made import UNIT, Made, learner_class
from dpaudit.errors import UsageError, shortened
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
    **given: Any,
) -> type[Made]:
    """A learner class of a program. `given` is told with every new learner."""
    words = tuple(shlex.split(command) if isinstance(command, str) else command)
    if not words:
        raise UsageError("command: got none, allowed is a program with its arguments")

    class Adapted(Made):
        code = _code(words)

        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            self.program = _running(words, seconds)
            new = {name: value for name, value in offer.items() if name != "rng"}
            self.program.tell({"new": new | given | more}, 0)

        def select(self, t: int, context: Any = None) -> int:
            shown = {} if context is None else {"context": [float(x) for x in context]}
            self.program.tell({"t": t} | shown, t)
            return self.program.arm(t)

        def observe(self, t: int, arm: int, reward: Any) -> None:
            value = reward if isinstance(reward, float) else [float(x) for x in reward]
            self.program.tell({"reward": value}, t)

    made = learner_class(Adapted, Program, feedback=feedback, rewards=rewards, hands_on=False)
    made.__qualname__ = made.__name__ = os.path.basename(words[-1])
    return made


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
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise self._stopped(t, "has ended") from None

    def arm(self, t: int) -> int:
        """The arm it answers with."""
        line = self._line(t)
        try:
            said = json.loads(line)
            arm = said["arm"] if isinstance(said, dict) else said
        except (ValueError, KeyError):
            arm = None
        if not isinstance(arm, int) or isinstance(arm, bool):
            raise self._stopped(
                t, f"answered {shortened(line.decode(errors='replace'), 80)!r}, no arm"
            )
        return arm

    def _line(self, t: int) -> bytes:
        assert self.process.stdout is not None
        file = self.process.stdout.fileno()
        while b"\n" not in self.kept:
            ready, _, _ = select.select([file], [], [], self.seconds)
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
        return UsageError(f"command: {place(t)} {self.name} {what}{ended}")
