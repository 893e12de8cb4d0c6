"""Retries: how many, after which delay, and what is never retried (design/recovery.md, "Retries and classes")."""

from datetime import timedelta
from itertools import pairwise

import pytest

from engine.outcomes import Failed, TimedOut, Unknown, WorkerLost
from tests.engine.drawing import call, task
from tests.engine.machine.walking import START, fails, walk


def delays(node, *results, random=0.0, manifest=None):
    """The delays in seconds before each retry, until the run ends or is held."""
    found = walk(node, answers={"a": list(results)}, random=random, manifests={"/lib/a": manifest})
    found.go()
    spans = []
    while found.rows("wakeup"):
        before = found.now
        found.wake()
        spans.append((found.now - before).total_seconds())
    return spans


def test_without_a_word_a_function_is_tried_four_times() -> None:
    assert delays(call("a"), fails()) == [10, 30, 60]


def test_the_last_delay_of_the_table_repeats_and_is_capped() -> None:
    assert delays(call("a", retry={"max_retries": 6}), fails()) == [10, 30, 60, 120, 120, 120]
    assert delays(call("a", retry={"max_retries": 4, "max_delay_ms": 45_000}), fails()) == [10, 30, 45, 45]


@pytest.mark.parametrize(
    ("preset", "spans"),
    [
        ("none", []),
        ("quick", [1, 2, 4]),
        ("standard", [2, 4, 8, 16, 32]),
        ("aggressive", [5, 10, 20, 40, 80, 120, 120, 120, 120, 120]),
        ("llm", [10, 20, 40, 80, 120]),
        ("eager", [10, 30, 60]),
    ],
)
def test_a_preset_doubles_its_delay_to_its_cap(preset, spans) -> None:
    assert delays(call("a", retry_strategy=preset), fails()) == spans


def test_retry_takes_its_count_from_the_preset_and_its_delays_from_nowhere_else() -> None:
    node = call("a", retry={"base_delay_ms": 500}, retry_strategy="quick")
    assert delays(node, fails()) == [0.5, 1, 2]


def test_the_manifest_decides_where_the_step_is_silent() -> None:
    manifest = {"retry": {"max_retries": 2, "base_delay_ms": 3000}}
    assert delays(call("a"), fails(), manifest=manifest) == [3, 6]
    assert delays(call("a", retry={"max_retries": 1}), fails(), manifest=manifest) == [10]


def test_jitter_only_lengthens() -> None:
    node = call("a", retry={"max_retries": 2, "base_delay_ms": 1000, "jitter": 0.5})
    assert delays(node, fails(), random=0.5) == [1.25, 2.5]


def test_retry_after_raises_a_delay_and_never_lowers_it() -> None:
    asked = [Failed("busy", status=429, retry_after=wait) for wait in (25.0, 1.0, 90.0)]
    assert delays(call("a"), *asked, {}) == [25, 30, 90]


def test_a_retry_after_that_names_a_moment_is_waited_for() -> None:
    moment = START + timedelta(seconds=70)
    asked = [Failed("busy", status=429, retry_after=when.isoformat()) for when in (moment, START - timedelta(days=1))]
    assert delays(call("a"), *asked, {}) == [70, 30]


def test_each_visit_has_the_full_budget() -> None:
    found = walk(call("a"), call("b"), answers={"a": [fails(), {}], "b": [fails(), {}]})
    assert found.go().wake().wake().called() == ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("failure", "fatal", "transient", "tries"),
    [
        (fails(code="declined", status=500), ["declined"], ["5xx"], 1),
        (fails(code="declined", status=500), ["5xx"], ["declined"], 4),
        (fails(status=429), ["4xx"], ["429"], 4),
        (fails(status=429), ["429"], ["4xx"], 1),
        (fails(code="KeyError", raised=("KeyError", "LookupError")), ["LookupError"], [], 1),
        (fails(status=404, raised=("builtins.KeyError",)), ["4xx"], ["builtins.KeyError"], 4),
        (fails(code="x"), ["x"], ["x"], 1),
        (fails(code="Declined"), ["declined"], [], 4),
        (fails(), ["4xx", "5xx", "x"], [], 4),
        (WorkerLost(), ["worker_lost"], [], 1),
    ],
)
def test_the_most_exact_class_decides(failure, fatal, transient, tries) -> None:
    manifest = {"effect": "read", "errors": {"fatal": fatal, "transient": transient}}
    assert len(delays(call("a"), failure, manifest=manifest)) == tries - 1


def test_an_output_that_breaks_its_schema_is_a_failure_that_can_be_fatal() -> None:
    manifest = {"output_schema": {"type": "object"}, "errors": {"fatal": ["invalid_output"]}}
    assert delays(call("a"), [1], manifest=manifest) == []


def test_a_passed_deadline_is_not_retried_unless_the_function_only_reads() -> None:
    assert delays(call("a"), TimedOut()) == []
    assert delays(call("a"), TimedOut(), manifest={"effect": "read"}) == [10, 30, 60]


def test_a_task_for_nobody_is_tried_again_and_given_out_once_somebody_is_there() -> None:
    found = walk(task("t", assignee="/users/nobody")).go()
    assert (found.rests, found.rows("inboxtask")) == ("retry", {})


def test_an_ambiguous_call_is_issued_again_with_the_same_key_where_that_is_safe() -> None:
    manifest = {"effect": "write", "idempotent": True}
    found = walk(call("a"), answers={"a": [Unknown("lost"), {}]}, manifests={"/lib/a": manifest}).go().wake()
    first, second = found.calls
    assert (first.attempt, second.attempt, first.idempotency_key) == (1, 2, second.idempotency_key)


def test_an_ambiguous_call_holds_the_run_where_a_second_one_could_act_twice() -> None:
    found = walk(call("a"), answers={"a": [WorkerLost()]}, manifests={"/lib/a": {"effect": "write"}}).go()
    assert (found.status, found.decision.hold.reason, found.rows("wakeup")) == ("held", "unknown_outcome", {})
    assert [row["result"] for row in found.rows("attempt").values()] == ["worker_lost"]


@pytest.mark.parametrize(
    "retry",
    [
        {"max_retries": 100, "base_delay_ms": 1000},
        {"max_retries": 1, "base_delay_ms": 2**52},
        {"max_retries": 1, "base_delay_ms": 1e15, "jitter": 1},
    ],
)
def test_a_delay_beyond_every_calendar_ends_at_a_hundred_years(retry) -> None:
    found = walk(call("a", retry=retry), answers={"a": [fails()]}).go()
    [row] = found.rows("wakeup").values()
    assert row["due_at"] <= START + timedelta(days=36_500)
    for _, _ in zip(range(70), pairwise(range(100)), strict=False):
        found.now = START
        if found.rows("wakeup"):
            found.wake()
    assert found.status in ("waiting", "failed")


@pytest.mark.parametrize("wait", [1e300, 1e18, float("inf"), "9999-12-31T23:59:59Z"])
def test_a_retry_after_that_makes_no_sense_ends_at_a_hundred_years(wait) -> None:
    found = walk(call("a"), answers={"a": [fails(retry_after=wait)]}).go()
    assert found.rests == "retry"


@pytest.mark.parametrize("limit", [1e300, 1e18, float("inf")])
def test_a_deadline_beyond_every_calendar_is_a_hundred_years_away(limit) -> None:
    found = walk(call("a", timeout_ms=limit), call("b")).go()
    assert found.calls[0].deadline_at <= START + timedelta(days=36_500)
