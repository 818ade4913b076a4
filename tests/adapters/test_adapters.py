"""Learners that were not written for us, one line of glue each."""

import gc
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit.adapters import from_cli, from_loop, from_methods, loops
from dpaudit.cli import main
from dpaudit.errors import UsageError
from dpaudit.play.catalogue import resolve_target
from dpaudit.play.learner import step
from dpaudit.play.reach.chance import Chance
from dpaudit.run.plain import Parcel, pack
from tests.adapters import noise_of_strangers, strangers

TABLE = np.random.default_rng(5).integers(0, 2, (30, 3)).astype(float)


def play(made, seed=0, table=TABLE, **parameters):
    """The arms that a learner plays on a table."""
    rounds, arms = table.shape
    who = resolve_target(made).told(horizon=rounds, delta=0.0, parameters=parameters)

    def fresh():
        return who(arms=arms, epsilon=1.0, rng=np.random.default_rng(seed))

    return step("stranger", fresh, arms, rounds, lambda t, _: table[t - 1])


def program(tmp_path, text, **options):
    file = tmp_path / "program.py"
    file.write_text(text)
    return from_cli([sys.executable, str(file)], **options)


@pytest.fixture(params=["threads", "greenlet"])
def switching(request, monkeypatch):
    """How a loop is turned inside out."""
    if request.param == "greenlet":
        pytest.importorskip("greenlet")
    else:
        monkeypatch.setattr(loops, "_inside_out", lambda: loops.Threaded)
    return request.param


def test_methods_play_what_glue_by_hand_plays():
    made = from_methods(strangers.Solver, select="run_one_step")
    assert [play(made, seed) for seed in range(20)] == [
        play(strangers.Plain, seed) for seed in range(20)
    ]


def test_a_loop_plays_what_its_learner_plays(switching):
    made = from_loop(strangers.loop)
    assert [play(made, seed) for seed in range(20)] == [
        play(strangers.Plain, seed) for seed in range(20)
    ]


def test_parameters_reach_the_constructor_and_others_are_refused():
    made = from_methods(strangers.Solver, select="run_one_step")
    assert play(made, scale=100.0) != play(made)
    assert play(made, scale=1.0) == play(made)
    with pytest.raises(UsageError, match=r"scal: Solver does not take it; allowed is .*scale"):
        play(made, scal=100.0)
    with pytest.raises(UsageError, match="scale: Plain does not take it; it takes no parameters"):
        play(strangers.Plain, scale=2.0)


def test_what_nobody_knows_is_named():
    class Odd:
        def __init__(self, n_arms, flavour):
            pass

    with pytest.raises(UsageError, match="nobody knows what to hand over as 'flavour'"):
        play(from_methods(Odd))
    with pytest.raises(UsageError, match="select: Odd has no method one of select"):
        play(from_methods(Odd, flavour=1))


def test_one_step_and_labels():
    made = from_methods(strangers.Agent, step="act", arms=["blue", "red"])
    chosen = play(made, table=TABLE[:, :2])
    assert set(chosen) == {0, 1}
    with pytest.raises(UsageError, match="chose 'red', which is not among arms"):
        play(from_methods(strangers.Agent, step="act", arms=["blue", "green"]))


def test_one_step_that_is_told_the_last_arm():
    class Hears(strangers.Stepped):
        def step(self, last_reward, last_arm):
            heard.append((last_reward, last_arm))
            return super().step(last_reward, last_arm)

    heard = []
    chosen = play(from_methods(Hears, step="step"), table=TABLE[:, :2])
    paid = [float(TABLE[t, arm]) for t, arm in enumerate(chosen)]
    assert heard == [(None, None), *zip(paid[:-1], chosen[:-1], strict=True)]


def test_the_range_of_rewards():
    seen = []

    class Centred:
        def __init__(self):
            pass

        def act(self):
            return 0

        def learn(self, reward):
            seen.append(reward)

    play(from_methods(Centred, rewards=(-1.0, 1.0)))
    assert seen == (2 * TABLE[:, 0] - 1).tolist()


def test_a_loop_that_ends_or_fails_is_named_with_the_round(switching):
    with pytest.raises(UsageError, match="loop ended by itself, before round 4"):
        play(from_loop(strangers.short_loop))
    with pytest.raises(UsageError, match="in round 2 it raised ArithmeticError: no more"):
        play(from_loop(strangers.failing_loop))


def test_loops_that_are_not_wanted_any_more_end(switching):
    made = from_loop(strangers.loop)
    before = threading.active_count()
    for seed in range(50):
        play(made, seed, TABLE[:5])
    gc.collect()
    for thread in threading.enumerate():
        if thread.daemon:
            thread.join(timeout=0.2)
    assert threading.active_count() <= before + 5


def test_a_program_plays_and_its_code_binds_the_answer(tmp_path):
    made = program(tmp_path, strangers.PROGRAM)
    assert play(made) == play(made)
    assert len({tuple(play(made, seed)) for seed in range(20)}) > 15
    assert play(made, scale=50.0) != play(made)
    about = pack(resolve_target(made), Parcel())
    assert pack(resolve_target(program(tmp_path, strangers.PROGRAM)), Parcel()) == about
    changed = strangers.PROGRAM.replace("gauss(0", "gauss(1")
    assert pack(resolve_target(program(tmp_path, changed)), Parcel()) != about


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (strangers.DIES, "in round 3 .* has ended with code 7"),
        (strangers.BABBLES, "in round 1 .* answered .arm number .*, no arm"),
        (strangers.HANGS, "in round 1 .* has not answered within 0.3 s"),
        ("import sys; sys.exit(3)", "in round . .* has ended with code 3"),
    ],
)
def test_a_program_that_fails_is_named_with_the_round(tmp_path, text, said):
    with pytest.raises(UsageError, match=said):
        play(program(tmp_path, text, seconds=0.3 if text == strangers.HANGS else 20.0))


def test_a_program_that_is_not_there():
    with pytest.raises(UsageError, match="command: cannot run no-such-program"):
        play(from_cli("no-such-program --fast"))
    with pytest.raises(UsageError, match="command: got none"):
        from_cli("")


def test_a_program_that_remembers_other_runs_is_not_believed(tmp_path):
    made = program(tmp_path, strangers.REMEMBERS)
    result = dpaudit.audit(made, epsilon=1.0, arms=2, rounds=3, runs=100)
    assert "on the runs before it: each run was played in a process" in result.notes[0]
    assert not dpaudit.audit(
        program(tmp_path, strangers.PROGRAM), epsilon=1.0, arms=2, rounds=3, runs=100
    ).notes


def audited(made, **options):
    asked = {"epsilon": 1.0, "arms": 2, "rounds": 4, "runs": 6000, "confidence": 1 - 1e-6}
    return dpaudit.audit(made, **asked | options)


def test_a_leak_is_found_through_an_adapter():
    assert audited(from_loop(strangers.leaky_loop)).verdict == "violated"


def test_a_strangers_generator_is_set_for_every_run(monkeypatch):
    """The module's generator is not in the module that adapts, nor beside it."""
    theirs = types.ModuleType("a_module_of_strangers")
    monkeypatch.setitem(sys.modules, theirs.__name__, theirs)
    exec(Path(noise_of_strangers.__file__).read_text(), vars(theirs))
    made = from_methods(theirs.Responder)
    assert audited(made, epsilon=1.0).verdict != "violated"
    made = from_methods(theirs.Responder, eps=3.0)
    assert audited(made, epsilon=1.0).verdict == "violated"
    assert theirs.RNG in [generator for _, generator in Chance(made).found]
    made.made_of = None
    assert theirs.RNG not in [generator for _, generator in Chance(made).found]


def test_wrap_writes_a_test_that_runs(tmp_path, monkeypatch, capsys):
    (tmp_path / "solver.py").write_text("import numpy as np\n" + _source(strangers.Solver))
    monkeypatch.chdir(tmp_path)
    assert main(["wrap", "solver.py:Solver", "--write", "test_it.py", "--epsilon", "0.5"]) == 0
    text = (tmp_path / "test_it.py").read_text()
    assert "from_methods(Solver, select='run_one_step', observe='update')" in text
    compile(text, "test_it.py", "exec")
    assert main(["wrap", "solver.py:Solver", "--write", "test_it.py"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_wrap_writes_a_test_of_a_file_in_a_package(tmp_path):
    """Started anywhere: what the file imports of its project is found, and the test that is written
    is of the adapted class, by a name that the command line takes."""
    package = tmp_path / "bandits" / "private"
    package.mkdir(parents=True)
    (tmp_path / "bandits" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (tmp_path / "bandits" / "base.py").write_text("class Base:\n    pass\n")
    (package / "near.py").write_text("import bandits.base\nBase = bandits.base.Base\n")
    source = _source(strangers.Stepped).replace("class Stepped:", "class Stepped(Base):")
    (package / "solver.py").write_text(f"import numpy as np\nfrom .near import Base\n\n\n{source}")
    ours = [sys.executable, "-m", "dpaudit"]
    told = [
        "wrap",
        str(package / "solver.py") + ":Stepped",
        "--write",
        "test_it.py",
        "--rounds",
        "3",
    ]
    subprocess.run([*ours, *told], cwd=tmp_path, check=True, capture_output=True)
    text = (tmp_path / "test_it.py").read_text()
    assert "from bandits.private.solver import Stepped" in text
    assert "def test_stepped_is_private" in text
    tried = [sys.executable, "-m", "pytest", "-q", "test_it.py", "--dpaudit-runs", "300"]
    done = subprocess.run(tried, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "again         dpaudit audit test_it.py:Learner --epsilon 1" in done.stdout
    again = [
        *ours,
        "audit",
        "test_it.py:Learner",
        "--epsilon",
        "1",
        "--rounds",
        "3",
        "--runs",
        "100",
    ]
    done = subprocess.run(again, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stderr


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Stepped", "from_methods(Stepped, step='step')"),
        ("Solver", "from_methods(Solver, select='run_one_step', observe='update')"),
        ("Plain", "dp_audit(Plain,"),
        ("loop", "from_loop(loop)"),
        ("leaky_loop", "from_loop(leaky_loop)"),
    ],
)
def test_wrap_proposes(name, line, capsys):
    assert main(["wrap", f"{strangers.__file__}:{name}"]) == 0
    assert line in capsys.readouterr().out


def test_wrap_says_what_it_looked_for_and_what_is_there(capsys):
    assert main(["wrap", "collections:OrderedDict"]) == 2
    assert "looked for names like select" in capsys.readouterr().err
    assert main(["wrap", "json:dumps"]) == 2
    assert "none of its parameters is pull or env" in capsys.readouterr().err


def _source(thing):
    import inspect

    return inspect.getsource(thing)
