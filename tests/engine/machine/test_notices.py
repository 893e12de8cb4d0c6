"""Who is told when a scope gives up, as the pure machine decides it: once for every ``then`` that applies."""

from typing import Any

from engine.machine.happenings import ResumeAsked
from tests.engine.drawing import call, child_flow, group, loop
from tests.engine.machine.walking import Walk, fails, later, replace, walk

ONCE = {"max_retries": 0}


def recovery(then: str, notify: Any = "desk", failures: int = 0, **more: Any) -> dict[str, Any]:
    return {"stop_after": {"failures": failures, "within": "1h"}, "then": then, "notify": notify, **more}


def failing(name: str = "a", **properties: Any) -> dict[str, Any]:
    return call(name, retry=ONCE, **properties)


def told(found: Walk) -> list[tuple[str, str, str]]:
    return [(each.target, each.decision, each.scope) for each in found.notices]


def test_a_scope_that_holds_tells_what_failed_and_why() -> None:
    step = failing(action="Charge {{ input.who }}")
    found = walk(group("g", step, recovery=recovery("hold")), answers={"a": [fails("no money")]}, input={"who": "Ida"})
    notice = found.go().notices[0]
    assert (notice.target, notice.decision, notice.scope) == ("desk", "hold", "g")
    assert (notice.node_id, notice.step, notice.why) == ("a", "Charge Ida", "no money")
    assert len(found.notices) == 1


def test_nobody_is_told_of_a_redo() -> None:
    found = walk(group("g", failing(), recovery=recovery("hold", failures=2)), answers={"a": [fails(), fails(), {}]})
    assert (found.go().status, found.notices) == ("completed", [])


def test_the_flow_itself_is_a_scope_too() -> None:
    assert told(walk(failing(), answers={"a": [fails()]}, recovery=recovery("fail")).go()) == [("desk", "fail", "")]


def test_every_scope_that_gives_up_tells_its_own_target() -> None:
    inner = group("inner", failing(), recovery=recovery("escalate", "inner-desk"))
    quiet = group("quiet", inner, recovery=recovery("escalate", None))
    outer = group("outer", quiet, recovery=recovery("hold", "outer-desk"))
    found = walk(outer, answers={"a": [fails()]}, recovery=recovery("fail", "nobody-asks")).go()
    assert told(found) == [("inner-desk", "escalate", "inner"), ("outer-desk", "hold", "outer")]


def test_a_scope_that_escalates_to_nobody_is_told_once_and_the_run_fails() -> None:
    found = walk(group("g", failing(), recovery=recovery("escalate")), answers={"a": [fails()]}).go()
    assert (found.status, told(found)) == ("failed", [("desk", "escalate", "g")])


def test_one_that_escalates_to_a_redo_tells_each_time_that_it_does() -> None:
    inner = group("inner", failing(), recovery=recovery("escalate", "inner-desk"))
    found = walk(group("outer", inner, recovery={"notify": "outer-desk"}), answers={"a": [fails(), fails(), {}]}).go()
    assert (found.status, told(found)) == ("completed", [("inner-desk", "escalate", "inner")] * 2)


def test_a_run_that_is_held_again_after_a_resume_tells_again() -> None:
    found = walk(group("g", failing(), recovery=recovery("hold")), answers={"a": [fails()]}).go()
    later(found, minutes=1).go(ResumeAsked({"status": "held", "error": None, "reason": "no", "unknown": None}))
    assert (found.status, told(found)) == ("held", [("desk", "hold", "g")] * 2)


def test_the_rounds_of_a_scope_without_a_bound_come_to_an_end_that_is_told() -> None:
    found = walk(group("g", failing(), recovery={"notify": "desk"}), answers={"a": [fails()]}).go()
    assert (found.status, told(found)) == ("failed", [("desk", "fail", "g")])


def test_what_needs_no_recovery_tells_nobody() -> None:
    passes = loop("l", failing(), times=2, on_error="continue")
    nodes = group("g", failing("b", optional=True), passes, recovery=recovery("hold"))
    found = walk(nodes, answers={"a": [fails()], "b": [fails()]}).go()
    assert (found.status, found.notices) == ("completed", [])


def test_a_name_that_is_none_tells_nobody() -> None:
    for name in ("", None, 7, ["desk"]):
        found = walk(group("g", failing(), recovery=recovery("hold", name)), answers={"a": [fails()]}).go()
        assert (found.status, found.notices) == ("held", [])


def test_a_run_that_is_cancelled_tells_nobody() -> None:
    found = walk(group("g", child_flow("c"), recovery=recovery("hold"))).go()
    found.cancel().end_children("cancelled")
    assert (found.status, found.notices) == ("cancelled", [])


def test_an_isolated_test_run_only_notes_who_would_be_told() -> None:
    found = walk(group("g", failing(), recovery=recovery("hold")), answers={"a": [fails()]})
    found.run.facts = replace(found.run.facts, is_test=True)
    assert (found.go().status, found.notices) == ("held", [])
    assert [(each["node_id"], each["target"]) for each in found.seen("notify_skipped")] == [("g", "desk")]
