"""The command line. Each command lives in a module of its own, loaded when it is called."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from dpaudit.cli.place import check_place, limits
from dpaudit.cli.terminal import check_outputs, say
from dpaudit.cli.values import check_values
from dpaudit.errors import Unfinished, UsageError, extras_for, in_strangers_code, shortened
from dpaudit.run import heard

HELD, VIOLATED, USAGE, UNFINISHED, INCONCLUSIVE = 0, 1, 2, 3, 4
"""Exit codes: nothing violated; violated; bad usage or input; not finished; no violation found, but
none of interest could have been."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM, errno.EMFILE)
"""Errors of the system that no other input would mend."""
COMMANDS = {
    "guide": ("look", "short pages on how to use dpaudit, and on what its answers mean"),
    "audit": ("work", "audit a learner, or the whole catalogue, for privacy"),
    "run": ("work", "all audits that a project's pyproject.toml lists"),
    "wrap": ("look", "which adapter somebody's code needs, and a test of its privacy"),
    "algorithms": ("look", "list the catalogue"),
    "regret": ("work", "how a learner's regret grows, simulated or exact"),
    "scaling": ("work", "the papers' regret bounds as experiments with answers"),
    "compare": ("best", "which learner is best, on one instance or on a suite"),
    "reproduce": ("work", "the papers' own experiments, run again"),
    "prove": ("work", "what an algorithm releases at most, for every horizon"),
    "optimal": ("work", "the least regret of any private learner, with a certificate"),
    "curve": ("look", "what the actions of a whole learner give away, exactly"),
    "claims": ("work", "the papers' lemmas, constants and theorems, checked"),
    "report": ("look", "the results as HTML pages that are read from disk"),
    "diff": ("over_time", "what got worse between two results"),
    "history": ("over_time", "what became of each audit, version by version"),
    "bisect": ("over_time", "the commit since which a learner breaks its claim"),
    "journal": ("look", "what a journal of blocks holds"),
    "questions": ("look", "what the papers leave open, and what dpaudit says on it"),
    "show": ("look", "one algorithm: its card and its pseudo-code"),
    "completion": ("look", "a script that lets the shell complete commands, options and names"),
}
"""In which room a command's module is, and what the command does."""
OF_THE_LEDGER = ("claims", "optimal", "questions", "report", "reproduce", "scaling")
"""Commands that need the extra `laws`, and what it brings."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {shortened(message, 140)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(USAGE)


def build_parser(command: str | None) -> Parser:
    """The parser, with the options of one command; the others only by name."""
    parser = Parser(
        prog="dpaudit",
        description="Is a private bandit or online-learning algorithm as private and as good as "
        "its paper says?",
        epilog="exit codes: 0 nothing violated, 1 violated, 2 bad usage or input, 3 not finished, "
        "4 inconclusive",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, (_, summary) in COMMANDS.items():
        module = _module(name) if name == command else None
        sub = commands.add_parser(
            name,
            help=summary,
            description=summary,
            epilog=module.EXAMPLE if module else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if module:
            module.options(sub)
    return parser


def command_of(words: Sequence[str]) -> str | None:
    return next((word for word in words if not word.startswith("-")), None)


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"dpaudit.cli.{COMMANDS[command][0]}.{command}")


def main(arguments: Sequence[str] | None = None) -> int:
    if "_ARGCOMPLETE" in os.environ:
        from dpaudit.cli.look.completion import complete

        complete()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        parser = build_parser(command_of(words))
        options = parser.parse_args(words)
        if options.version:
            from dpaudit import __version__

            print(f"dpaudit {__version__}")
            return HELD
        if options.command is None:
            parser.print_help()
            return USAGE
        check_place()
        check_values(options)
        check_outputs(options)
        if lacking := limits(options.command):
            print(lacking, file=sys.stderr)
        brings = "laws" if options.command in OF_THE_LEDGER else ""
        with extras_for(options.command, brings), in_strangers_code():
            return int(_module(options.command).run(options))
    except UsageError as error:
        say("")
        print(shortened(f"dpaudit: {error}"), file=sys.stderr)
        return USAGE
    except Unfinished as error:
        print(shortened(f"dpaudit: not finished: {error}"), file=sys.stderr)
        return UNFINISHED
    except BrokenPipeError:
        sys.stderr.close()
        return HELD
    except OSError as error:  # what a command reads or writes without saying why it cannot
        say("")
        what = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
        print(shortened(f"dpaudit: {what}"), file=sys.stderr)
        return UNFINISHED if error.errno in FULL else USAGE
    except MemoryError:
        say("")
        print("dpaudit: not finished: memory is used up", file=sys.stderr)
        return UNFINISHED
    except KeyboardInterrupt:
        say("")
        print("dpaudit: interrupted", file=sys.stderr)
        return UNFINISHED
    finally:
        heard.show()
