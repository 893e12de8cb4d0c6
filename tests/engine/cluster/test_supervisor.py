"""Keeping programs running, with real programs."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from engine.cluster import supervisor as module
from engine.cluster.linux import die_with_parent
from engine.cluster.supervisor import Program, Supervisor
from tests.engine.cluster.conftest import eventually, is_alive

pytestmark = pytest.mark.chaos

SLEEP = ["sleep", "600"]
FAMILY = ["sh", "-c", "sleep 600 & sleep 600 & wait"]
STUBBORN = ["sh", "-c", "trap '' TERM; while true; do sleep 600; done"]
QUICK = ["sh", "-c", "exit 7"]


class Running:
    """A supervisor in a process of its own."""

    def __init__(self, log: Path, programs: Sequence[Program], grace: float) -> None:
        self._log = log
        log.touch()
        self.process = multiprocessing.get_context("fork").Process(
            target=self._run, args=(os.getpid(), programs, grace)
        )
        self.process.start()
        self.root = psutil.Process(self.process.pid)

    def _run(self, parent: int, programs: Sequence[Program], grace: float) -> None:
        die_with_parent(parent)
        module.CHECK_EVERY = 0.2
        with self._log.open("a", buffering=1) as log:
            Supervisor(programs, grace=grace, directory=os.getcwd(), say=lambda line: print(line, file=log)).run()
        os._exit(0)  # not through what pytest has registered to be done at the end

    def lines(self) -> list[str]:
        return self._log.read_text().splitlines()

    def below(self, name: str) -> list[psutil.Process]:
        """The processes below it that run this program; none is counted before its tether has become it."""
        return [child for child in self.root.children(recursive=True) if is_alive(child) and child.name() == name]

    def end(self, within: float) -> None:
        """Wait for its end and fail if any process is left."""
        members = self.root.children(recursive=True)
        self.process.join(within)
        assert self.process.exitcode == 0
        eventually(lambda: not any(is_alive(member) for member in members), within=5)


Supervise = Callable[..., Running]


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Supervise]:
    started: list[Running] = []

    def start(*commands: Sequence[str], is_stuck: Callable[[float], bool] | None = None, grace: float = 5) -> Running:
        programs = [Program(f"program {n}", lambda c=c: c, is_stuck) for n, c in enumerate(commands)]  # type: ignore[misc]
        started.append(Running(tmp_path / "log", programs, grace))
        return started[-1]

    yield start
    for running in started:
        for process in [*running.root.children(recursive=True), running.root] if is_alive(running.root) else []:
            process.kill()
        running.process.join()


def test_all_programs_run_until_it_is_stopped(supervise: Supervise) -> None:
    running = supervise(SLEEP, SLEEP)
    eventually(lambda: len(running.below("sleep")) == 2)
    running.root.terminate()
    running.end(within=8)
    assert running.lines() == ["program 0 started", "program 1 started", "stopping", "stopped"]


def test_a_killed_program_is_started_again(supervise: Supervise) -> None:
    running = supervise(SLEEP)
    eventually(lambda: running.below("sleep"))
    running.below("sleep")[0].kill()
    eventually(lambda: len(running.lines()) == 3 and running.below("sleep"))
    assert running.lines()[1] == "program 0 ended (signal SIGKILL), starts again in 0.4 s"


def test_a_program_that_keeps_ending_is_started_less_and_less_often(supervise: Supervise) -> None:
    running = supervise(QUICK)
    eventually(lambda: len(running.lines()) >= 4)
    assert [line for line in running.lines() if "ended" in line] == [
        f"program 0 ended (exit code 7), starts again in {pause} s" for pause in ("0.4", "0.8")
    ]


def test_a_command_that_does_not_exist_harms_nobody_else(supervise: Supervise) -> None:
    running = supervise(["no-such-command"], SLEEP)
    eventually(lambda: running.below("sleep") and any("program 0 ended" in line for line in running.lines()))


def test_the_children_of_a_killed_program_end_with_it(supervise: Supervise) -> None:
    running = supervise(FAMILY)
    eventually(lambda: len(running.below("sleep")) == 2)
    family = running.below("sleep")
    running.below("sh")[0].kill()
    eventually(lambda: not any(is_alive(member) for member in family))


def test_a_program_that_does_not_stop_is_killed_after_the_grace(supervise: Supervise) -> None:
    running = supervise(STUBBORN, grace=0.5)
    eventually(lambda: running.below("sleep"))
    running.root.terminate()
    running.end(within=8)
    assert "program 0 did not stop and is killed" in running.lines()


def test_a_second_signal_does_not_wait_for_the_grace(supervise: Supervise) -> None:
    running = supervise(STUBBORN, grace=60)
    eventually(lambda: running.below("sleep"))
    running.root.send_signal(signal.SIGINT)
    eventually(lambda: "stopping" in running.lines())
    running.root.send_signal(signal.SIGINT)
    running.end(within=8)


def test_programs_are_stopped_when_the_supervisor_is_killed(supervise: Supervise) -> None:
    running = supervise(SLEEP, SLEEP)
    eventually(lambda: len(running.below("sleep")) == 2)
    programs = running.below("sleep")
    running.root.kill()
    eventually(lambda: not any(is_alive(program) for program in programs), within=8)


def test_a_program_without_a_sign_of_life_is_killed_and_started_again(supervise: Supervise) -> None:
    running = supervise(SLEEP, is_stuck=lambda running_for: running_for > 0.5)
    eventually(lambda: running.lines().count("program 0 started") == 2)
    assert running.lines()[1] == "program 0 gives no sign of life and is killed"


def test_one_suspicion_alone_kills_nothing(supervise: Supervise) -> None:
    answers = iter([True, False, True, False])
    running = supervise(SLEEP, is_stuck=lambda running_for: next(answers, False))
    time.sleep(1.3)
    assert running.lines() == ["program 0 started"]


def test_a_check_that_cannot_be_made_kills_nothing(supervise: Supervise) -> None:
    def broken(running_for: float) -> bool:
        raise OSError("the database is away")

    running = supervise(SLEEP, is_stuck=broken)
    time.sleep(1)
    assert running.lines() == ["program 0 started"]


def test_a_tether_becomes_its_command(supervise: Supervise) -> None:
    running = supervise([sys.executable, "-c", "import sys; sys.exit(5)"])
    eventually(lambda: "program 0 ended (exit code 5), starts again in 0.4 s" in running.lines())
