"""`dpaudit completion SHELL`: a script that completes commands, options and names.

It is made from the parsers of all commands. Its words stand in the script: completing a line starts
no Python.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

EXAMPLE = """examples:
  source <(dpaudit completion bash)                (or append that line to ~/.bashrc)
  dpaudit completion zsh > ~/.zfunc/_dpaudit       (a folder of $fpath)
  dpaudit completion fish > ~/.config/fish/completions/dpaudit.fish"""
SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Value:
    """What may stand in a place: some words, and paths."""

    words: tuple[str, ...] = ()
    files: bool = False
    folders: bool = False


@dataclass(frozen=True)
class Option:
    """An option: its help, and what its value may be; None if it takes none."""

    name: str
    text: str
    value: Value | None


@dataclass(frozen=True)
class Command:
    """A command as its parser has it."""

    name: str
    text: str
    options: tuple[Option, ...]
    argument: Value


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(given: argparse.Namespace) -> int:
    """Print the script."""
    write = {"bash": bash, "zsh": zsh, "fish": fish}[given.shell]
    print("\n".join(write(commands())))
    return 0


def commands() -> list[Command]:
    """All commands, from their parsers."""
    from dpaudit.cli import COMMANDS, build_parser

    names = _names()
    found = []
    for command, text in COMMANDS.items():
        actions = build_parser(command)._actions
        choices = next(a.choices for a in actions if isinstance(a, argparse._SubParsersAction))
        own = choices[command]._actions
        flags = [(word, a) for a in own for word in a.option_strings if word.startswith("--")]
        parts = [_value(command, a, names) for a in own if not a.option_strings]
        argument = Value(
            tuple(word for part in parts for word in part.words),
            any(part.files for part in parts),
            any(part.folders for part in parts),
        )
        listed = tuple(
            Option(word, a.help or "", None if a.nargs == 0 else _value(command, a, names))
            for word, a in flags
        )
        found.append(Command(command, text, listed, argument))
    return found


def _names() -> dict[str, tuple[str, ...]]:
    """The names that are known of a command's or of any argument."""
    from dpaudit.auditor.job import ENGINES
    from dpaudit.auditor.search.adversaries import ADVERSARIES
    from dpaudit.laboratory.experiments import EXPERIMENTS
    from dpaudit.laboratory.scaling import STUDIES
    from dpaudit.machine.feedback import ENVIRONMENTS
    from dpaudit.papers import TITLES
    from dpaudit.play.catalogue import catalogue
    from dpaudit.results.claims import VERDICTS

    return {
        "target": tuple(catalogue()),
        "scaling target": (*catalogue(), *(study.name for study in STUDIES.values())),
        "show name": tuple(catalogue()),
        "reproduce name": tuple(EXPERIMENTS),
        "engine": ENGINES,
        "adversary": tuple(ADVERSARIES),
        # Arms on a finite set are given by --values.
        "environment": tuple(name for name in ENVIRONMENTS if name != "finite"),
        "paper": tuple(TITLES),
        "verdict": VERDICTS,
    }


def _value(command: str, action: argparse.Action, names: dict[str, tuple[str, ...]]) -> Value:
    known = names.get(f"{command} {action.dest}", names.get(action.dest, ()))
    words = tuple(map(str, action.choices)) if action.choices else known
    # A target is a name or a file of the user's; only the laboratory's studies have names alone.
    files = action.metavar == "FILE" or (action.dest == "target" and command != "scaling")
    return Value(words, files, action.metavar == "DIR")


def _values(found: list[Command]) -> Iterator[tuple[str, Value]]:
    """What may follow which options, as a pattern of `case` on "command option"."""
    places: dict[Value, list[str]] = {}
    for command in found:
        for option in command.options:
            if option.value is not None:
                places.setdefault(option.value, []).append(f'"{command.name} {option.name}"')
    for value, patterns in places.items():
        yield " | ".join(patterns), value


def _cases(
    found: list[Command], offer: Callable[[Value], str], typed: str, offered: Callable[[str], str]
) -> Iterator[str]:
    """What may follow an option, a command, or nothing yet: the middle of both shells' `case`."""
    for places, value in _values(found):
        yield f"    {places}) {offer(value)} ;;"
    yield "    *)"
    yield '        case "$command" in'
    for command in found:
        flags = " ".join(option.name for option in command.options)
        yield f"        {command.name})"
        yield f"            if [[ {typed} == -* ]]; then {offered(flags)}"
        yield f"            else {offer(command.argument)}; fi ;;"
    everything = " ".join([*(command.name for command in found), "--help", "--version"])
    yield f'        "") {offered(everything)} ;;'
    yield "        esac ;;"


BASH_HEAD = """# dpaudit completion for bash; made by: dpaudit completion bash
_dpaudit() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    local command="" words="" paths="" i
    # --option=value comes as three words.
    if [[ $current == = ]]; then
        current=""
    elif [[ $previous == = ]]; then
        previous="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            command="${COMP_WORDS[i]}"
            break
        fi
    done
    case "$command $previous" in"""
BASH_TAIL = """    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    local IFS=$'\\n'
    case "$paths" in
    files) COMPREPLY+=($(compgen -f -- "$current")) ;;
    folders) COMPREPLY+=($(compgen -d -- "$current")) ;;
    esac
}
complete -o filenames -F _dpaudit dpaudit"""


def bash(found: list[Command]) -> Iterator[str]:
    """The script for bash."""
    yield BASH_HEAD
    yield from _cases(found, _bash_value, "$current", lambda words: f"words={shlex.quote(words)}")
    yield BASH_TAIL


def _bash_value(value: Value) -> str:
    paths = "files" if value.files else "folders" if value.folders else ""
    return f"words={shlex.quote(' '.join(value.words))} paths={shlex.quote(paths)}"


ZSH_HEAD = """#compdef dpaudit
# dpaudit completion for zsh; made by: dpaudit completion zsh
_dpaudit() {
    local command="" previous="${words[CURRENT-1]}" i
    for ((i = 2; i < CURRENT; i++)); do
        if [[ ${words[i]} != -* ]]; then
            command="${words[i]}"
            break
        fi
    done
    # --option=value is one word.
    if [[ $PREFIX == --*=* ]]; then
        previous="${PREFIX%%=*}"
        compset -P '*='
    fi
    case "$command $previous" in"""
ZSH_TAIL = """    esac
}
if [[ "${funcstack[1]}" == _dpaudit ]]; then
    _dpaudit "$@"
else
    compdef _dpaudit dpaudit
fi"""


def zsh(found: list[Command]) -> Iterator[str]:
    """The script for zsh."""
    yield ZSH_HEAD
    yield from _cases(found, _zsh_value, "$PREFIX", lambda words: f"compadd -- {words}")
    yield ZSH_TAIL


def _zsh_value(value: Value) -> str:
    parts = [f"compadd -- {' '.join(value.words)}"] if value.words else []
    if value.files or value.folders:
        parts.append("_files" if value.files else "_files -/")
    return "; ".join(parts or [":"])


FISH_HEAD = """# dpaudit completion for fish; made by: dpaudit completion fish
function __dpaudit_command
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if not string match -q -- '-*' $word
            test "$word" = "$argv[1]"
            return
        end
    end
    test -z "$argv[1]"
end
complete -c dpaudit -f
complete -c dpaudit -n '__dpaudit_command ""' -l version -d 'print the version'
complete -c dpaudit -n '__dpaudit_command ""' -l help -d 'show the help'"""


def fish(found: list[Command]) -> Iterator[str]:
    """The script for fish."""
    yield FISH_HEAD
    for command in found:
        word = f"-a {command.name} -d {_fish_quoted(command.text)}"
        yield f"complete -c dpaudit -n '__dpaudit_command \"\"' {word}"
    for command in found:
        start = f"complete -c dpaudit -n '__dpaudit_command {command.name}'"
        if command.argument != Value():
            yield f"{start} {_fish_value(command.argument)}"
        for option in command.options:
            takes = "" if option.value is None else f" -r {_fish_value(option.value)}"
            text = _fish_quoted(option.text)
            yield f"{start} -l {option.name.removeprefix('--')}{takes} -d {text}"


def _fish_value(value: Value) -> str:
    words = [*value.words, *(["(__fish_complete_directories)"] if value.folders else [])]
    paths = "-F" if value.files else "-f"
    return f"{paths} -a {_fish_quoted(' '.join(words))}" if words else paths


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
