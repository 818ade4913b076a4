"""`dpaudit completion SHELL`: what makes the shell complete commands, options and names.

The shell then asks dpaudit itself, by argcomplete: names of algorithms, papers, studies and
experiments are those that are there.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Callable, Iterable
from typing import Any

from dpaudit.cli import COMMANDS, build_parser, command_of

EXAMPLE = """examples:
  source <(dpaudit completion bash)                (or append that line to ~/.bashrc)
  dpaudit completion zsh > ~/.zfunc/_dpaudit       (a folder of $fpath)
  dpaudit completion fish > ~/.config/fish/completions/dpaudit.fish"""
SHELLS = ("bash", "zsh", "fish")
KNOWN = {
    "name": "dpaudit.play.catalogue:catalogue",
    "target": "dpaudit.play.catalogue:catalogue",
    "engine": "dpaudit.auditor.auditing:ENGINES",
    "adversary": "dpaudit.auditor.adversaries:ADVERSARIES",
    "environment": "dpaudit.machine.feedback:ENVIRONMENTS",
    "verdict": "dpaudit.results.claims:VERDICTS",
    "paper": "dpaudit.papers:TITLES",
    "topic": "dpaudit.guide:pages",
}
"""Where the names for an argument or an option stand; loaded when they are asked for."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(options: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    code = shellcode(["dpaudit"], shell=options.shell, complete_arguments=["-o", "nospace"])
    print(code.strip("\n"))
    return 0


def complete() -> None:
    """Answer the shell, which asks by the environment, and end the process."""
    import argcomplete

    command = command_of(os.environ["COMP_LINE"].split()[1:])
    parser = build_parser(command if command in COMMANDS else None)
    if command in COMMANDS:
        for action in subparser(parser, command)._actions:
            action.completer = completer(command, action)  # type: ignore[attr-defined]
    argcomplete.autocomplete(
        parser,
        always_complete_options=False,
        default_completer=argcomplete.completers.SuppressCompleter(),
    )


def subparser(parser: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser:
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return found.choices[command]  # type: ignore[no-any-return]


def completer(command: str, action: argparse.Action) -> Callable[..., Iterable[str]]:
    """What may stand in the place of an argument or of an option's value: names and paths."""
    from argcomplete.completers import DirectoriesCompleter, FilesCompleter

    # A target is a name or a file of the user's; only the laboratory's studies have names alone.
    files = action.metavar in ("FILE", "OLD", "NEW", "PLACE") or (
        action.dest == "target" and command != "scaling"
    )

    def offered(prefix: str, parsed_args: argparse.Namespace, **more: Any) -> Iterable[str]:
        names = list(action.choices or _names(command, action.dest, parsed_args))
        if action.metavar == "DIR":
            return [*names, *DirectoriesCompleter()(prefix=prefix)]
        return [*names, *FilesCompleter()(prefix=prefix)] if files else names

    return offered


def _names(command: str, place: str, parsed: argparse.Namespace) -> Iterable[str]:
    if (command, place) == ("reproduce", "name"):
        from dpaudit.laboratory.experiments import EXPERIMENTS

        return EXPERIMENTS
    if place == "show":
        from dpaudit.ledger.claims import claims_of

        return [claim.id for claim in claims_of(parsed.paper)] if parsed.paper else []
    if place not in KNOWN:
        return []
    module, _, name = KNOWN[place].partition(":")
    found = getattr(importlib.import_module(module), name)
    names = list(found() if callable(found) else found)
    if (command, place) == ("scaling", "target"):
        from dpaudit.laboratory.scaling import STUDIES

        names += [study.name for study in STUDIES.values()]
    # Arms on a finite set are given by --values.
    return [name for name in names if (place, name) != ("environment", "finite")]
