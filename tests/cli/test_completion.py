"""Shell completion, tried in the shells that are there."""

import re
import shutil
import subprocess
import sys
import time

import pytest

from dpaudit.auditor.job import ENGINES
from dpaudit.cli import COMMANDS, main
from dpaudit.cli.completion import SHELLS
from dpaudit.laboratory.experiments import EXPERIMENTS
from dpaudit.papers import TITLES
from dpaudit.play.catalogue import catalogue


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The scripts by shell, as files."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        code = f"from dpaudit.cli import main; raise SystemExit(main(['completion', {shell!r}]))"
        text = python(code)
        (folder / shell).write_text(text)
    (folder / "learner.py").touch()
    (folder / "results").mkdir()
    return folder


def python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def asked(folder, *command):
    out = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=20
    )
    assert out.stderr == ""
    return out.stdout.split()


def in_bash(folder, line):
    """What bash offers for the last word of a line; `=` is a word of its own, as in readline."""
    words = [word for part in line.split(" ") for word in re.split("(=)", part)]
    quoted = " ".join(f"'{word}'" for word in words)
    code = (
        f"source ./bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _dpaudit; "
        'echo "${COMPREPLY[@]}"'
    )
    return asked(folder, "bash", "--norc", "-c", code)


def in_zsh(folder, line):
    """The same for zsh, with its builtins in the place of which functions print their words."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    code = (
        "compdef() { }; compadd() { shift; print -l -- ${(M)@:#$PREFIX*}; }; "
        "_files() { if [[ $1 == -/ ]]; then print -l -- $PREFIX*(N/); "
        "else print -l -- $PREFIX*(N); fi; }; "
        "compset() { PREFIX=${PREFIX#*=}; }; "
        f"source ./zsh; words=({quoted}); CURRENT={len(words)}; PREFIX='{words[-1]}'; _dpaudit"
    )
    return asked(folder, "zsh", "-f", "-c", code)


def in_fish(folder, line):
    out = asked(
        folder, "fish", "--no-config", "-c", f"source ./fish; complete -C '{line}' | cut -f 1"
    )
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
    "dpaudit reproduce tossou": {name for name in EXPERIMENTS if name.startswith("tossou")},
    "dpaudit scaling theorem-7": {"theorem-7-lower-bound"},
    "dpaudit show ": set(catalogue()),
    "dpaudit completion ": set(SHELLS),
    "dpaudit journal s": {"show"},
    "dpaudit audit --epsilon ": set(),
    "dpaudit audit --see": {"--seed"},
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


def test_every_option_of_every_command_is_in_the_scripts(scripts, capsys):
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            main([command, "--help"])
        named = set(re.findall(r"(?<!\w)--[a-z]+\b", capsys.readouterr().out.split("example")[0]))
        assert "--help" in named
        assert named <= set(in_bash(scripts, f"dpaudit {command} --")), command
        lines = [
            s for s in (scripts / "fish").read_text().splitlines() if f"_command {command}'" in s
        ]
        assert named == {"--" + w for s in lines for w in re.findall(r" -l (\S+)", s)}, command


def test_completing_starts_no_python(scripts):
    began = time.perf_counter()
    for _ in range(10):
        in_bash(scripts, "dpaudit audit --engine ")
    assert time.perf_counter() - began < 3.0  # ten starts of bash; an import alone takes longer
    for shell in SHELLS:
        assert "python" not in (scripts / shell).read_text()


def test_an_unknown_shell_is_one_line(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["completion", "tcsh"])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "bash" in error
