"""What scripted functions answer, call by call."""

from datetime import timedelta
from uuid import uuid4

import pytest

from engine.outcomes import Failed, Pending, Succeeded, Unknown
from engine.ports import Call
from engine.scenarios.clock import START, VirtualClock
from engine.scenarios.script import ScriptedExecutor, WorkerDied

pytestmark = pytest.mark.django_db

MANIFEST = {"input_schema": {"type": "object", "properties": {"order": {"type": "string"}}}}


def call(path, **arguments):
    return Call(
        kind="function",
        path=path,
        arguments=arguments,
        instance_id=uuid4(),
        node_id="step",
        visit=1,
        visit_seq=1,
        attempt=1,
        idempotency_key="key",
        deadline_at=START + timedelta(minutes=10),
    )


def executor(*answers):
    return ScriptedExecutor({"/lib/a": answers}, {"/lib/a": MANIFEST}, VirtualClock())


def test_consecutive_calls_take_consecutive_answers_and_the_last_repeats() -> None:
    script = executor({"return": 1}, {"return": {"n": 2}})
    assert [script.start(call("/lib/a")) for _ in range(3)] == [Succeeded(1), Succeeded({"n": 2}), Succeeded({"n": 2})]


def test_an_answer_cannot_be_changed_by_who_receives_it() -> None:
    script = executor({"return": {"n": []}})
    script.start(call("/lib/a")).output["n"].append("changed")
    assert script.start(call("/lib/a")) == Succeeded({"n": []})


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"fail": "no"}, Failed("no")),
        ({"fail": {"message": "no", "code": "c", "status": 402, "retry_after": 30}}, Failed("no", "c", 402, 30)),
        ({"unknown": "lost"}, Unknown("lost", "connection_lost")),
    ],
)
def test_a_failure_is_what_the_scenario_says(answer, result) -> None:
    assert executor(answer).start(call("/lib/a")) == result


def test_an_exception_is_a_failure_with_its_class_as_code() -> None:
    result = executor({"raise": "ZeroDivisionError"}).start(call("/lib/a"))
    assert isinstance(result, Failed)
    assert result.code == "ZeroDivisionError"
    assert "ArithmeticError" in result.raised


def test_a_crash_goes_past_every_handler_of_exceptions() -> None:
    with pytest.raises(WorkerDied):
        try:
            executor({"crash": True}).start(call("/lib/a"))
        except Exception:
            pytest.fail("caught on its way")


def test_a_call_that_takes_its_time_is_answered_later() -> None:
    script = executor({"return": 1, "takes": "2s"}, {"hang": True})
    assert script.start(call("/lib/a")) == script.start(call("/lib/a")) == Pending()
    due = script.next_due()
    assert due is not None
    assert (due.due_at, due.result) == (START + timedelta(seconds=2), Succeeded(1))
    script.forget([due])
    assert script.next_due() is None
    assert len(script.outstanding) == 1


def test_a_function_without_a_script_is_not_in_the_library() -> None:
    script = executor()
    result = script.start(call("/lib/nowhere"))
    assert isinstance(result, Failed)
    assert (result.code, script.made) == ("function_not_found", [])


def test_arguments_that_do_not_fit_the_manifest_fail_without_a_call() -> None:
    script = executor({"return": 1})
    result = script.start(call("/lib/a", order=7))
    assert isinstance(result, Failed)
    assert (result.error_type, result.code, script.made) == ("validation", "invalid_arguments", [])
    assert script.start(call("/lib/a", order="O-1")) == Succeeded(1)


def test_every_call_is_recorded_with_its_arguments() -> None:
    script = executor({"crash": True})
    with pytest.raises(WorkerDied):
        script.start(call("/lib/a", order="O-1"))
    assert [(made.path, made.arguments) for made in script.made] == [("/lib/a", {"order": "O-1"})]
