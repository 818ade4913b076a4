"""README and guide are true: what stands in ```python and in bare ``` blocks is run.

A command whose exit code is not 0 says so in its comment: `# …, exits with 1`.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = {"README": ROOT / "README.md"} | {
    path.stem: path for path in sorted((ROOT / "dpaudit" / "guide").glob("*.md"))
}


def blocks(text, language):
    found = re.findall(r"^```(\w*)\n(.*?)^```", text.read_text(), re.S | re.M)
    return [body for name, body in found if name == language]


def file_of(code):
    """The file that a block is, if its first line says so: `# leaky.py`."""
    said = re.match(r"# ([\w-]+\.py)\n", code)
    return said[1] if said else None


def files():
    """The files that texts show, by name; who shows one again shows the same."""
    found = {}
    for text in TEXTS.values():
        for code in blocks(text, "python"):
            if name := file_of(code):
                assert found.setdefault(name, code) == code, f"{text.name} has another {name}"
    return found


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory, certificates):
    """A folder with the files that are shown. Certificates that other tests have made of this
    code need not be made again."""
    if not (ROOT / "reports/certificates").exists():
        shutil.copytree(certificates, ROOT / "reports/certificates")
    folder = tmp_path_factory.mktemp("newcomer")
    for name, code in files().items():
        (folder / name).write_text(code)
    return folder


def run(words, folder):
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


RUN = """
import json, sys, traceback
for name, code in json.load(open(sys.argv[1])).items():
    try:
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    except BaseException:
        print("FAILED", name, traceback.format_exc(limit=-3), sep="\\n")
"""


def test_the_python_of_readme_and_guide_runs(newcomer):
    """Each text's blocks one after the other, all texts in one process."""
    code = {
        name: "\n".join(b for b in blocks(text, "python") if file_of(b) is None)
        for name, text in TEXTS.items()
    }
    # The control: code that fails is seen, and what follows it runs.
    code = {"control": "1 / 0", **{name: body for name, body in code.items() if body}}
    (newcomer / "code.json").write_text(json.dumps(code))
    out = run(["-c", RUN, "code.json"], newcomer)
    assert out.returncode == 0, out.stderr
    assert re.findall("^FAILED\n(.*)$", out.stdout, re.M) == ["control"], out.stdout
    assert "\nviolated 1." in out.stdout


def commands():
    """Commands with the exit code that is expected, each once."""
    found = {}
    for text in TEXTS.values():
        for line in "".join(blocks(text, "")).splitlines():
            command, _, remark = line.partition("#")
            if command.startswith("dpaudit "):
                said = re.search(r"exits with (\d)", remark)
                found[command.strip()] = int(said[1]) if said else found.get(command.strip(), 0)
    return found.items()


@pytest.mark.parametrize(("command", "expected"), commands())
def test_each_command_of_readme_and_guide_runs(command, expected, newcomer):
    out = run(["-m", *shlex.split(command)], newcomer)
    assert out.returncode == expected, out.stderr
    assert out.stdout


def test_readme_and_guide_name_the_make_targets_that_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    code = r"^```.*?^```|`[^`]+`"
    texts = "".join(m for t in TEXTS.values() for m in re.findall(code, t.read_text(), re.S | re.M))
    named = set(re.findall(r"\bmake ([a-z]+)", texts))
    assert {"audit", "test"} <= named <= targets
