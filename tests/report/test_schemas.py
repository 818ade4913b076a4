"""Result documents: every kind is read, and what is not one is refused in one line."""

import json
from pathlib import Path

import msgspec
import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.results.documents import KINDS, parse, read, schema_of
from dpaudit.results.made import lean, lines
from tests.report import samples


def test_there_is_a_sample_of_every_kind():
    assert set(samples.ALL) == set(KINDS)


NEWER = {"regret": 2, "scaling": 2}
"""Numbers of schemas that are not 1."""


@pytest.mark.parametrize("kind", samples.ALL)
def test_a_document_of_every_kind_is_read_with_its_fields(kind, tmp_path):
    data = samples.ALL[kind]()
    path = tmp_path / "result.json"
    path.write_text(json.dumps(data))
    found = read(path)
    assert isinstance(found, KINDS[kind])
    assert set(data) <= set(KINDS[kind].__struct_fields__)
    assert found.schema == data["schema"] == schema_of(kind)
    assert data["schema"] == f"dpaudit/{kind}/{NEWER.get(kind, 1)}"


@pytest.mark.parametrize("kind", samples.ALL)
def test_fields_may_be_added_under_the_same_number(kind):
    data = samples.ALL[kind]()
    assert parse({**data, "invented_later": 1}) == parse(data)


def test_an_older_study_of_regret_is_read_and_its_band_is_known_as_normal():
    new = samples.regret()
    later = "changes measured band normal_low normal_high beyond linear metrics".split()
    old = {name: value for name, value in new.items() if name not in later}
    found = parse({**old, "schema": "dpaudit/regret/1"})
    assert (found.band, found.normal_low, found.linear) == ("normal", None, None)
    assert found.high.tolist() == new["high"]
    assert parse(new).band == "guaranteed"


FIXED = {
    "audit": "schema target claim lower_bound upper_bound confidence verdict engine runs seconds "
    "seed witness version",
    "regret": "horizons mean low high runs exact",
}


@pytest.mark.parametrize("kind", FIXED)
def test_the_published_fields_are_there(kind):
    assert set(FIXED[kind].split()) <= set(KINDS[kind].__struct_fields__)


@pytest.mark.parametrize(
    "field", "id paper where statement method verdict detail counterexample tight".split()
)
def test_a_claim_lacks_none_of_its_published_fields(field):
    data = samples.claims()
    del data["claims"][0][field]
    with pytest.raises(UsageError, match=f"`{field}`"):
        parse(data)


def changed(make, **changes):
    return lambda: {**make(), **changes}


def witness(**changes):
    return changed(samples.audit, witness={**samples.audit()["witness"], **changes})


def curve(**changes):
    def make():
        data = samples.reproduction()
        data["curves"][0].update(changes)
        return data

    return make


BAD = {
    "a list": lambda: [1, 2],
    "a number": lambda: 7,
    "no schema": lambda: {"audits": []},
    "another tool's": changed(samples.audit, schema="https://json.schemastore.org/sarif"),
    "unknown kind": changed(samples.audit, schema="dpaudit/opinion/1"),
    "an older number": changed(samples.audit, schema="dpaudit/audit/0"),
    "a newer number": changed(samples.audit, schema="dpaudit/audit/2"),
    "a number that is none": changed(samples.regret, schema="dpaudit/regret/x"),
    "a newer number of regret": changed(samples.regret, schema="dpaudit/regret/3"),
    "half a normal band": changed(samples.regret, normal_high=None),
    "a band of an unknown kind": changed(samples.regret, band="wide"),
    "a normal band of another length": changed(samples.regret, normal_low=[1.0]),
    "number of another type": changed(samples.audit, schema=1),
    "verdict against the numbers": changed(samples.audit, verdict="consistent"),
    "bound against the verdict": changed(samples.audit, lower_bound=0.5),
    "unknown verdict": changed(samples.audit, verdict="private"),
    "text for a number": changed(samples.audit, lower_bound="2"),
    "missing witness": changed(samples.audit, witness=None),
    "claim without a level": changed(
        samples.audit, claim={"notion": "gdp", "epsilon": 1.0, "delta": None}
    ),
    "one table of two": witness(neighbour=None),
    "tables of two shapes": witness(neighbour=[[0.0, 1.0]]),
    "ragged tables": witness(rewards=[[0.0], [0.0, 1.0]], neighbour=[[0.0], [0.0, 1.0]]),
    "empty tables": witness(rewards=[], neighbour=[]),
    "no such round": witness(round=99),
    "columns of two lengths": changed(samples.regret, mean=[1.0]),
    "mean outside its band": changed(samples.regret, mean=[3.0, 400.0, 3288.0]),
    "curve outside its band": curve(mean=[1.0, 2.0, 3.0]),
    "curve of two lengths": curve(horizons=[1, 2]),
    "huge number": changed(samples.audit, lower_bound=10**400),
}


def assert_refused(path, capsys):
    with pytest.raises(UsageError) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)
    assert main(["report", "--out", str(path.parent / "out"), str(path)]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert not (path.parent / "out").exists()


@pytest.mark.parametrize("case", BAD)
def test_a_foreign_old_or_tampered_document_is_refused_in_one_line(case, tmp_path, capsys):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(BAD[case]()))
    assert_refused(path, capsys)


RAW = {
    "empty": "",
    "truncated": json.dumps(samples.audit())[:-40],
    "NaN": json.dumps(samples.audit()).replace("1.59449", "NaN"),
    "Infinity": json.dumps(samples.audit()).replace("1.59449", "Infinity"),
    "too large for a float": json.dumps(samples.audit()).replace("1.59449", "1e999"),
    "deeply nested": "[" * 100_000,
    "not JSON": "<html></html>",
}


@pytest.mark.parametrize("case", RAW)
def test_what_is_no_json_is_refused_in_one_line(case, tmp_path, capsys):
    path = tmp_path / "result.json"
    path.write_text(RAW[case])
    assert_refused(path, capsys)


def test_a_file_that_is_missing_binary_or_a_folder_is_refused_in_one_line(tmp_path, capsys):
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    folder = tmp_path / "folder"
    folder.mkdir()
    for path in (tmp_path / "missing.json", binary, folder):
        assert_refused(path, capsys)


CATALOGUE = Path(__file__).parents[2] / "reports" / "catalogue.json"


def test_a_committed_result_is_written_again_byte_for_byte():
    text = CATALOGUE.read_text()
    found = read(CATALOGUE)
    assert lines(lean(found.public())) + "\n" == text
    [entry] = [a for a in json.loads(text)["audits"] if a["target"] == "rnm-ftnl"][:1]
    result = parse(entry)
    assert json.dumps(lean(result.public())) == json.dumps(entry)
    # The control: another rounding of a single number shows.
    other = msgspec.structs.replace(result, estimate=result.estimate + 1e-15)
    assert other.json() != result.json()


LEFT_OUT = {"name", "mends", "tradeoff", "batch", "contexts", "delay", "neighbours", "sees"}
LEFT_OUT |= {"limit", "clock", "evidence"}
"""Where there is nothing to say, such as of learners that see and tell no more than others."""


@pytest.mark.parametrize("kind", ["audit", "regret"])
def test_every_field_is_written_in_its_place(kind):
    names = [field.encode_name for field in msgspec.structs.fields(KINDS[kind])]
    written = list(parse(samples.ALL[kind]()).public())
    assert written == [name for name in names if name in written]
    assert set(names) - set(written) <= LEFT_OUT


def test_the_result_of_an_audit_is_the_document_that_is_read():
    result = dpaudit.audit("rnm-ftnl", epsilon=1.0, rounds=4)
    again = parse(json.loads(result.json()))
    assert again == result
    assert type(again) is type(result) is dpaudit.AuditResult
    assert again.sentence() == result.sentence()
    assert result.witness["event"] == again.witness.event
    with pytest.raises(KeyError):
        result.witness["no such field"]


def test_a_regret_study_is_the_document_that_is_read():
    result = dpaudit.regret("ucb1", means=[0.7, 0.3], horizon=100, runs=20, points=4)
    again = parse(json.loads(result.json()))
    assert again == result
    assert again != dpaudit.regret("ucb1", means=[0.7, 0.3], horizon=100, runs=20, points=5)
    assert (again.mean == result.mean).all()
    assert again.horizons.dtype == result.horizons.dtype


def test_results_know_nothing_of_the_report(monkeypatch):
    result = parse(samples.audit())
    monkeypatch.setattr("dpaudit.results.render", lambda _, form: form)
    assert (result._repr_html_(), result._repr_markdown_()) == ("html", "markdown")
