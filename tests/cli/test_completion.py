"""Shell completion, tried in the shells that are there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpaudit.auditor.auditing import ENGINES
from dpaudit.cli import COMMANDS, main
from dpaudit.cli.look.completion import SHELLS
from dpaudit.laboratory.experiments import EXPERIMENTS
from dpaudit.papers import TITLES
from dpaudit.play.catalogue import catalogue

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The scripts by shell, as files, and a `dpaudit` that they find."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        code = f"from dpaudit.cli import main; raise SystemExit(main(['completion', {shell!r}]))"
        (folder / shell).write_text(python(code))
    command = folder / "bin" / "dpaudit"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpaudit "$@"\n')
    command.chmod(0o755)
    (folder / "work" / "results").mkdir(parents=True)
    (folder / "work" / "learner.py").touch()
    return folder


def python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def in_shell(folder, *command, **more):
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    out = subprocess.run(
        command,
        cwd=folder / "work",
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **more},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert out.stderr == ""
    return out.stdout.split()


def in_bash(folder, line):
    """What bash offers for the last word of a line."""
    code = (
        f"source {folder}/bash; COMP_LINE='{line}'; COMP_POINT={len(line)}; COMP_TYPE=9; "
        '_python_argcomplete dpaudit; echo "${COMPREPLY[@]}"'
    )
    return in_shell(folder, "bash", "--norc", "-c", code)


def in_zsh(folder, line):
    """The same for zsh, which shows a word with its description."""
    code = (
        "compdef() { }; _describe() { print -l -- ${(P)2}; }; "
        f"source {folder}/zsh; BUFFER='{line}'; CURSOR={len(line)}; words=(dpaudit); "
        "_python_argcomplete"
    )
    return [word.partition(":")[0] for word in in_shell(folder, "zsh", "-f", "-c", code)]


def in_fish(folder, line):
    code = f"source {folder}/fish; complete -C '{line}' | cut -f 1"
    out = in_shell(folder, "fish", "--no-config", "-c", code)
    return [word.rpartition("=")[2] if "=" in line else word for word in out]


ASK = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}
here = [
    pytest.param(
        shell, marks=pytest.mark.skipif(not shutil.which(shell), reason=f"{shell} is not installed")
    )
    for shell in SHELLS
]
EXPECTED = {
    "dpaudit ": set(COMMANDS),
    "dpaudit cl": {"claims"},
    "dpaudit audit rnm-ftnl-r": {"rnm-ftnl-repaired"},
    "dpaudit audit --engine ": set(ENGINES),
    "dpaudit audit rnm-ftnl --engine tw": {"two-world"},
    "dpaudit audit --engine=ex": {"exact"},
    "dpaudit audit --adversary p": {"punish-last"},
    "dpaudit regret --environment d": {"deterministic"},
    "dpaudit claims --paper ": set(TITLES),
    "dpaudit claims --verdict l": {"loose"},
    "dpaudit claims --paper hu_hegde_2022 --show beta-p": {"beta-parameters"},
    "dpaudit reproduce tossou": {name for name in EXPERIMENTS if name.startswith("tossou")},
    "dpaudit scaling theorem-7": {"theorem-7-lower-bound"},
    "dpaudit show ": set(catalogue()),
    "dpaudit completion ": set(SHELLS),
    "dpaudit journal s": {"show"},
    "dpaudit audit --epsilon ": set(),
    "dpaudit audit --see": {"--seed", "--sees"},
    "dpaudit show --gate": set(),
}


@pytest.mark.parametrize("shell", here)
def test_words_complete(shell, scripts):
    for line, wanted in EXPECTED.items():
        found = set(ASK[shell](scripts, line))
        if line in ("dpaudit ", "dpaudit journal s"):  # beside options or files
            assert wanted <= found, line
        else:
            assert found == wanted, line


@pytest.mark.parametrize("shell", here)
def test_files_and_folders_complete(shell, scripts):
    def names(line):
        return {word.rstrip("/") for word in ASK[shell](scripts, line)}

    assert "learner.py" in names("dpaudit audit --json ")
    assert "learner.py" in names("dpaudit audit ")  # beside the catalogue
    assert names("dpaudit audit --out ") == {"results"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_every_command_is_offered(command, scripts, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    named = set(re.findall(r"(?<!\w)--[a-z]+\b", capsys.readouterr().out.split("example")[0]))
    assert "--help" in named
    assert named <= set(in_bash(scripts, f"dpaudit {command} --")), command


def test_completing_options_loads_nothing_heavy(scripts):
    code = (
        "import os, sys\n"
        "os._exit = lambda code: print(sorted({'numpy', 'numba', 'scipy', 'sympy'}"
        " & set(sys.modules))) or sys.exit(code)\n"
        "from dpaudit.cli import main; main()"
    )
    line = "dpaudit audit --se"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    # The shell's end of the pipe; without it argcomplete has nobody to answer.
    answers = {"_ARGCOMPLETE_STDOUT_FILENAME": str(scripts / "answer")}
    assert in_shell(scripts, sys.executable, "-c", code, **asked, **answers) == ["[]"]
    assert set((scripts / "answer").read_text().split("\v")) == {"--seconds", "--seed", "--sees"}


def test_a_command_that_nobody_completes_does_not_load_argcomplete():
    code = (
        "import sys\nfrom dpaudit.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print('argcomplete' in sys.modules)"
    )
    assert python(code).splitlines()[-1] == "False"


def test_an_unknown_shell_is_one_line(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["completion", "tcsh"])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "bash" in error
