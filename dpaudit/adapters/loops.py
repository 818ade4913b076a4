"""An algorithm that owns the loop and asks for rewards, turned inside out."""

from __future__ import annotations

import importlib
import queue
import threading
import weakref
from collections.abc import Callable
from typing import Any

from dpaudit.adapters.made import UNIT, Made, learner_class
from dpaudit.adapters.offered import called
from dpaudit.errors import UsageError

FAR = 10**9
"""A horizon for those that ask for one where none is known."""


class Ended(BaseException):
    """Raised inside a loop whose learner is not wanted any more."""


class Environment:
    """What a loop is handed that wants an environment: `pull`, and how many arms there are."""

    def __init__(self, pull: Callable[[int], Any], arms: int) -> None:
        self.pull = self.step = self.draw = self.get_reward = pull
        self.arms = self.n_arms = self.K = self.nbArms = arms

    def __call__(self, arm: int) -> Any:
        return self.pull(arm)


def from_loop(
    run: Callable[..., Any],
    *,
    horizon: int | None = None,
    feedback: str = "bandit",
    rewards: tuple[float, float] = UNIT,
    stops: bool = False,
    **given: Any,
) -> type[Made]:
    """A learner class of a function that calls `pull(arm)` and gets the reward.

    Its parameters say what it wants: `pull`, or `env` for an object with `pull` and `n_arms`; arms,
    epsilon, delta, rng, seed, horizon. Its horizon is that of the audit if it is not told another;
    it is stopped where it is not asked any more. `stops`: that it returns before the last round is
    no error, but what is seen of it. With the package greenlet a switch costs a
    microsecond, with threads some thirty.
    """

    class Adapted(Made):
        at_once = True

        def begin(self, offer: dict[str, Any], more: dict[str, Any]) -> None:
            offer["horizon"] = horizon or offer.get("horizon", FAR)

            arms = self.arms  # `self` in the loop would keep both alive for ever

            def body(pull: Callable[[int], Any]) -> None:
                called(run, offer | {"pull": Environment(pull, arms)}, given | more)

            self.inside = _inside_out()(body)

        def select(self, t: int) -> Any:
            arm = self.inside.next()
            if arm is None and not stops:
                raise UsageError(
                    f"the loop ended by itself, before round {t} was played; if it may, stops=True"
                )
            return arm.item() if hasattr(arm, "item") else arm

        def observe(self, t: int, arm: int, reward: Any) -> None:
            self.inside.answer(reward)

    return learner_class(Adapted, run, feedback=feedback, rewards=rewards, stops=stops)


def _inside_out() -> Any:
    try:
        greenlet = importlib.import_module("greenlet")
    except ImportError:
        return Threaded
    return lambda body: Switched(body, greenlet)


class Switched:
    """By greenlet: two stacks in one thread."""

    def __init__(self, body: Callable[..., None], greenlet: Any) -> None:
        here = greenlet.getcurrent
        outside: list[Any] = [None]

        def pull(arm: int) -> Any:
            return outside[0].switch(arm)

        def run(_: Any) -> None:
            body(pull)

        self.outside, self.here = outside, here
        self.loop = greenlet.greenlet(run)
        self.reward: Any = None

    def next(self) -> Any:
        """The arm that the loop asks for; None where it has ended."""
        self.outside[0] = self.here()
        return self.loop.switch(self.reward) if not self.loop.dead else None

    def answer(self, reward: Any) -> None:
        self.reward = reward


class Threaded:
    """By a thread, of which at any time only one of the two runs."""

    def __init__(self, body: Callable[..., None]) -> None:
        asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def pull(arm: int) -> Any:
            asked.put(("arm", arm))
            reward = answers.get()
            if reward is Ended:
                raise Ended
            return reward

        def run() -> None:
            if answers.get() is Ended:
                return
            try:
                body(pull)
            except Ended:
                return
            except BaseException as error:
                asked.put(("error", error))
                return
            asked.put(("end", None))

        self.asked, self.answers, self.ended = asked, answers, False
        threading.Thread(target=run, daemon=True).start()
        self.reward: Any = None
        weakref.finalize(self, answers.put, Ended)

    def next(self) -> Any:
        """The arm that the loop asks for; None where it has ended."""
        if self.ended:
            return None
        self.answers.put(self.reward)
        what, value = self.asked.get()
        if what == "error":
            raise value
        self.ended = what == "end"
        return value

    def answer(self, reward: Any) -> None:
        self.reward = reward
