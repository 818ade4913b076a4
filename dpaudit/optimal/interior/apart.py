"""The branches of a large program, each in a process of its own, with one thread for its matrices:
together they are as fast as the cores are many."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from dpaudit.errors import Unfinished
from dpaudit.optimal.interior.game import Game
from dpaudit.optimal.interior.newton import Branch
from dpaudit.optimal.program import Floats

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Apart:
    """`Hands` that are processes; they end with this one, or when it lets go of them."""

    def __init__(self, game: Game) -> None:
        command = [sys.executable, "-m", "dpaudit.optimal.interior.apart"]
        environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
        self.processes = [
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,  # an interrupt is the caller's business
            )
            for _ in range(game.arms)
        ]
        self._tell([(game.question, game.ratio)] * game.arms)

    def each(self, what: str, given: Sequence[Floats]) -> list[Any]:
        self._tell([(what, one) for one in given])
        try:
            return [pickle.load(process.stdout) for process in self.processes if process.stdout]
        except EOFError:
            raise Unfinished("the solver (interior point) has lost one of its processes") from None

    def _tell(self, messages: Sequence[Any]) -> None:
        for process, message in zip(self.processes, messages, strict=True):
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # `each` will have no answer
                pickle.dump(message, process.stdin, protocol=5)
                process.stdin.flush()

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if pipe:
                        pipe.close()
            process.wait()


def main() -> None:
    """Answers until its caller is gone."""
    asked, said = sys.stdin.buffer, sys.stdout.buffer
    try:
        branch = Branch(Game(*pickle.load(asked)), [])
        while True:
            what, given = pickle.load(asked)
            pickle.dump(getattr(branch, what)(given), said, protocol=5)
            said.flush()
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
