"""What others read of results: files for their continuous integration, attestations, RO-Crates."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpaudit.cli import attesting, build_parser, main
from dpaudit.cli.look.report import run as report
from dpaudit.report.attestation import attestation
from dpaudit.report.crate import NAME
from dpaudit.results.audit import AuditResult
from dpaudit.results.documents import parse
from tests.auditor import learners
from tests.report import samples

ROOT = Path(__file__).parents[2]
FILES = ROOT / "dpaudit" / "guide" / "files"


def test_the_files_are_printed_and_written_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["wrap", "--ci", "pre-commit"]) == 0
    assert capsys.readouterr().out == (FILES / "pre-commit-config.yaml").read_text()
    where = ".github/actions/dpaudit/action.yml"
    assert main(["wrap", "--ci", "github", "--write", where]) == 0
    assert Path(where).read_text() == (FILES / "action.yml").read_text()
    assert main(["wrap", "--ci", "github", "--write", where]) == 2
    assert main(["wrap", "solver.py:Solver", "--ci", "github"]) == 2
    assert main(["wrap"]) == 2
    assert capsys.readouterr().err.count("\n") == 3


def test_the_files_are_what_those_who_read_them_expect():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    action = yaml.safe_load((FILES / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "shell" in step or "uses" in step
        # Inputs reach the shell as variables, never as text of the script.
        assert "${{" not in step.get("run", "")
    used = set(re.findall(r"inputs\.(\w+)", (FILES / "action.yml").read_text()))
    assert used == set(action["inputs"])
    [repo] = yaml.safe_load((FILES / "pre-commit-config.yaml").read_text())["repos"]
    [hook] = repo["hooks"]
    assert repo["repo"] == "local"
    assert {"id", "name", "entry", "language"} <= set(hook)


def script():
    """The action's own step."""
    text = (FILES / "action.yml").read_text()
    return re.search(r"run: \|\n((?: {8}.*\n)+)", text)[1]


def test_the_options_that_the_files_use_are_there():
    words = re.findall(r"dpaudit run (.*?) \|\|", script().replace("\\\n", " "), re.DOTALL)[0]
    build_parser("run").parse_args(["run", *words.replace('"', "").split()])


@pytest.mark.parametrize(
    ("code", "inconclusive", "expected"),
    [(0, "fail", 0), (1, "pass", 1), (2, "pass", 2), (4, "fail", 4), (4, "pass", 0)],
)
def test_the_step_hands_on_what_dpaudit_says(code, inconclusive, expected, tmp_path):
    dpaudit = tmp_path / "dpaudit"
    dpaudit.write_text(f'#!/bin/sh\necho "$@" > asked\necho found > dpaudit.md\nexit {code}\n')
    dpaudit.chmod(0o755)
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "CONFIG": "a b.toml"}
    env |= {"EVIDENCE": "kept", "INCONCLUSIVE": inconclusive, "GITHUB_STEP_SUMMARY": "summary"}
    # As the runner calls it.
    step = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()]
    assert subprocess.run(step, env=env, cwd=tmp_path, check=False).returncode == expected
    assert (tmp_path / "summary").read_text() == "found\n"
    assert "--config a b.toml --evidence kept" in (tmp_path / "asked").read_text()


def audit(**changes) -> AuditResult:
    return parse({**samples.audit(), **changes})


TEXTS = dict.fromkeys(("name", "uri", "downloadLocation", "mediaType"), str)
DESCRIPTOR = {**TEXTS, "digest": dict, "content": str, "annotations": dict}
PREDICATE = {"result": str, "configuration": list, "url": str}
PREDICATE |= dict.fromkeys(("passedTests", "warnedTests", "failedTests"), list)
"""The fields of https://in-toto.io/attestation/test-result/v0.1 and of a resource descriptor."""


def faults(statement):
    """What the specification does not allow."""
    said = []
    if statement.get("_type") != "https://in-toto.io/Statement/v1":
        said.append("type")
    if statement.get("predicateType") != "https://in-toto.io/attestation/test-result/v0.1":
        said.append("predicate type")
    subjects = statement.get("subject") or [{}]
    names = [each.get("name") for each in subjects]
    if len(set(names)) < len(names):
        said.append("subjects' names")
    for each in subjects:
        digest = each.get("digest") or {"": ""}
        if not all(re.fullmatch("[0-9a-f]{64}", d) for d in digest.values()):
            said.append("digest")
    predicate = statement.get("predicate", {})
    if predicate.get("result") not in ("PASSED", "WARNED", "FAILED"):
        said.append("result")
    if not isinstance(predicate.get("configuration"), list):
        said.append("configuration")
    for fields, thing in [
        (PREDICATE, predicate),
        *((DESCRIPTOR, each) for each in predicate.get("configuration") or ()),
    ]:
        said += [k for k, v in thing.items() if not isinstance(v, fields.get(k, ()))]
        if fields is DESCRIPTOR and not {"uri", "digest", "content"} & set(thing):
            said.append("descriptor")
    return said


def test_an_attestation_is_as_specified_and_says_what_was_found():
    held = audit(verdict="consistent", lower_bound=0.5, untested=[])
    broken = audit(verdict="violated", lower_bound=2.0, claim={"notion": "pure", "epsilon": 1.0})
    open_ = audit(verdict="inconclusive", lower_bound=0.5)
    cut = audit(verdict="consistent", lower_bound=0.5, untested=[], complete=False)
    for audits, result in (
        ([held], "PASSED"), ([held, open_], "WARNED"), ([cut], "WARNED"), ([], "WARNED"),
        ([held, open_, broken], "FAILED"),
    ):  # fmt: skip
        statement = json.loads(attestation(audits, {"a.py": "0" * 64}))
        assert faults(statement) == []
        assert statement["predicate"]["result"] == result
        lists = (statement["predicate"][f"{how}Tests"] for how in ("passed", "warned", "failed"))
        assert sum(map(len, lists)) == len(audits)
        for each in statement["predicate"]["configuration"]:
            assert base64.b64decode(each["content"]).startswith(b"dpaudit audit ")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda s: s.update(_type="https://in-toto.io/Statement/v0.1"), "type"),
        (lambda s: s["subject"].append(s["subject"][0]), "subjects' names"),
        (lambda s: s["subject"][0].pop("digest"), "digest"),
        (lambda s: s["predicate"].update(result="OK"), "result"),
        (lambda s: s["predicate"].pop("configuration"), "configuration"),
        (lambda s: s["predicate"].update(lowerBound=1.0), "lowerBound"),
        (lambda s: s["predicate"]["configuration"][0].pop("content"), "descriptor"),
    ],
)
def test_what_the_specification_does_not_allow_is_seen(change, fault):
    held = audit(verdict="consistent", lower_bound=0.5, untested=[])
    statement = json.loads(attestation([held], {"a.py": "0" * 64}))
    change(statement)
    assert fault in faults(statement)


def test_the_subjects_are_the_audited_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helper.py").write_text("X = 1\n")
    Path("learner.py").write_text(f"import helper\n{Path(learners.__file__).read_text()}")
    words = "audit learner.py:Blind --epsilon 1 --rounds 2 --runs 400 --workers 1"
    main([*words.split(), "--attestation", "seal.json"])
    found = json.loads(Path("seal.json").read_text())
    digests = {
        name: hashlib.sha256(Path(name).read_bytes()).hexdigest()
        for name in ("helper.py", "learner.py")
    }
    assert {each["name"]: each["digest"]["sha256"] for each in found["subject"]} == digests
    assert found["predicate"]["result"] == "WARNED"  # a blind learner tests nothing
    given = build_parser("audit").parse_args([*words.split(), "--attestation", "seal.json"])
    attesting.attest(given, ["learner.py:Blind"])
    assert attesting.attested(given) == digests
    Path("helper.py").write_text("X = 2\n")
    with pytest.raises(ValueError, match=r"helper\.py changed while it was audited"):
        attesting.attested(given)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The committed results, and the page of two of them with the crate's metadata."""
    out = tmp_path_factory.mktemp("results") / "reports"
    shutil.copytree(ROOT / "reports", out, ignore=shutil.ignore_patterns("*.html", ".*"))
    sources = [str(out / f"{name}.json") for name in ("catalogue", "optima")]
    given = build_parser("report").parse_args(["report", *sources, "--out", str(out)])
    assert report(given) == 0
    return out


def test_a_crate_has_every_file_of_the_folder_with_its_digest(folder):
    told = json.loads((folder / NAME).read_text())
    entities = {each["@id"]: each for each in told["@graph"]}
    assert entities[NAME]["about"] == {"@id": "./"}
    assert entities[NAME]["conformsTo"] == {"@id": told["@context"].removesuffix("/context")}
    root = entities["./"]
    assert {"name", "description", "datePublished", "license"} <= set(root)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", root["datePublished"])
    parts = {each["@id"] for each in root["hasPart"]}
    assert {"index.html", "catalogue.json", "kernel.json", "proofs/dp-ts.json"} <= parts
    for name in parts:
        content = (folder / name).read_bytes()
        assert entities[name]["sha256"] == hashlib.sha256(content).hexdigest()
        assert entities[name]["contentSize"] == str(len(content))
    linked = re.findall(r'"@id": "([^"]*)"', json.dumps(told["@graph"]))
    assert set(linked) <= {*entities, entities[NAME]["conformsTo"]["@id"]}


def elsewhere(code, *words):
    """What code prints that needs packages which dpaudit does not; `make libraries` puts them in an
    environment of their own, and DPAUDIT_LIBRARIES is the Python of another one."""
    own = ROOT / ".venv-libraries" / "bin" / "python"
    for python in (sys.executable, own, os.environ.get("DPAUDIT_LIBRARIES")):
        if python is not None and Path(python).exists():
            command = [python, "-c", code, *map(str, words)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if "No module named" not in done.stderr:
                assert done.returncode == 0, done.stderr
                return done.stdout
    return pytest.skip("the package that reads it is not installed: make libraries")


READS_CRATE = """
import sys
from rocrate.rocrate import ROCrate
print(*sorted(each.id for each in ROCrate(sys.argv[1]).get_by_type("File")), sep="\\n")
"""
READS_STATEMENT = """
import json, sys
from google.protobuf.json_format import ParseDict
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1.statement_pb2 import Statement as Message
given = json.loads(sys.argv[1])
Statement.copy_from_pb(ParseDict(given, Message())).validate()
print(ParseDict(given["predicate"], TestResult()).result)
"""


def test_the_crate_is_read_by_the_package_for_crates(folder):
    found = elsewhere(READS_CRATE, folder).split()
    told = json.loads((folder / NAME).read_text())["@graph"]
    assert found == sorted(each["@id"] for each in told if each["@type"] == "File")


def test_the_attestation_is_read_by_the_bindings_of_the_specification():
    held = audit(verdict="consistent", lower_bound=0.5, untested=[])
    assert elsewhere(READS_STATEMENT, attestation([held], {"a.py": "0" * 64})) == "PASSED\n"
