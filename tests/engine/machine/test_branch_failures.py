"""Failures that leave a branch: the run that owns the policy decides, in a transaction of its own."""

import pytest

from engine.models import Instance, Undo, Visit
from tests.engine.machine.scene import container, function

SAFE = {"effect": "write", "idempotent": True}
ALL_SAFE = {f"/lib/{name}": SAFE for name in ("left", "middle", "right", "read", "push")}


def calls(**answers):
    return {
        f"/lib/{name}": [{"fail": each} if isinstance(each, str) else {"return": each} for each in given]
        for name, given in answers.items()
    }


def branch(run, name):
    return Instance.objects.filter(root=run.id, branch_id=name).latest("id")


def both(*, left=None, right=None, **keys):
    return container(
        "both", "parallel", left or function("left", retry_strategy="none"), right or function("right"), **keys
    )


def test_a_step_that_must_succeed_fails_the_run_and_ends_the_other_branches(begin):
    must = function("left", retry_strategy="none", must_succeed=True)
    slow = {"/lib/right": [{"return": {}, "takes": "1h"}]}
    run = begin(
        both(left=must, right=container("on", "and", function("right"), function("next"))),
        functions={**calls(left=["no"], next=[{}]), **slow},
    )
    run.advance("1h")
    assert (run.status, run.error["step_id"]) == ("failed", "left")
    assert run.calls == ["/lib/left", "/lib/right"]
    assert {branch(run, "left").status, branch(run, "on").status} == {"failed", "cancelled"}


def test_on_error_stop_written_out_ends_the_other_branches_at_once(begin):
    slow = {"/lib/right": [{"return": {}, "takes": "1h"}]}
    run = begin(
        both(right=container("on", "and", function("right"), function("next")), on_error="stop", optional=True),
        function("after"),
        functions={**calls(left=["no"], next=[{}], after=[{}]), **slow},
    )
    run.advance("1h")
    assert (run.status, run.calls) == ("completed", ["/lib/left", "/lib/right", "/lib/after"])


def test_on_error_of_a_loop_around_the_parallel_ends_the_iteration(begin):
    run = begin(
        container("rows", "loop", both(), loop={"times": 2}, on_error="continue"),
        functions=calls(left=["no", {}], right=[{}]),
    )
    assert run.status == "completed"
    assert run.steps["rows"]["results"][0] is None


def test_a_whole_group_around_a_parallel_undoes_what_its_branches_did(begin):
    undo = {"function_ref": "/lib/free", "arguments": {"id": "${output.id}"}}
    run = begin(
        container(
            "group",
            "and",
            function("first", undo=undo),
            both(right=function("right", undo=undo), left=function("left", undo=undo, retry_strategy="none")),
            recovery={"redo": "whole_group"},
        ),
        functions=calls(first=[{"id": 1}, {"id": 4}], left=["no", {"id": 2}], right=[{"id": 3}, {"id": 5}], free=[{}]),
    )
    assert run.status == "completed"
    undone = Undo.objects.filter(instance=run.id).order_by("place")
    assert [(each.node_id, each.arguments["id"]) for each in undone][-1] == ("first", 1)
    assert sorted(run.calls) == sorted(["/lib/first", "/lib/left", "/lib/right"] * 2 + ["/lib/free"] * undone.count())
    assert Visit.objects.filter(node_id="left", replaced=1).count() == 1


def test_the_recovery_of_a_parallel_starts_all_its_branches_again(begin):
    run = begin(
        both(recovery={"redo": "whole_group"}), manifests=ALL_SAFE, functions=calls(left=["no", {}], right=[{}])
    )
    assert run.status == "completed"
    assert run.outcomes == {"both": "succeeded", "left": "succeeded", "right": "succeeded"}
    assert Visit.objects.filter(instance=run.id).count() == 1


def test_the_recovery_of_a_parallel_is_bounded_too(begin):
    run = begin(
        both(recovery={"redo": "whole_group", "stop_after": {"failures": 2, "within": "1h"}}),
        manifests=ALL_SAFE,
        functions=calls(left=["no"], right=[{}]),
    )
    assert (run.status, run.calls.count("/lib/left")) == ("failed", 3)


def test_the_recovery_of_a_fan_out_stays_in_its_branch(begin):
    fan = container(
        "fan",
        "parallel",
        function("read", arguments={"n": "${input.item}"}),
        function("push", retry_strategy="none"),
        fan_out={"over": "${input.rows}"},
        recovery={"redo": "whole_group"},
    )
    run = begin(fan, manifests=ALL_SAFE, functions=calls(read=[{}], push=["no", {}]), input={"rows": [1, 2]})
    assert run.status == "completed"
    assert (run.calls.count("/lib/read"), run.calls.count("/lib/push")) == (3, 3)


def test_a_hold_outside_a_branch_holds_the_branch_at_its_step(begin):
    recovery = {"stop_after": {"failures": 0, "within": "1h"}, "then": "hold"}
    run = begin(container("group", "and", both(), recovery=recovery), functions=calls(left=["no"], right=[{}]))
    assert (branch(run, "left").status, branch(run, "left").reason) == ("held", "no")


def test_a_scope_in_a_branch_escalates_to_one_around_it(begin):
    inner = container(
        "inner",
        "and",
        function("left", retry_strategy="none"),
        recovery={"stop_after": {"failures": 0, "within": "1h"}, "then": "escalate"},
    )
    run = begin(
        container("group", "and", both(left=inner), recovery={"redo": "this_step"}),
        functions=calls(left=["no", {}], right=[{}]),
    )
    assert run.status == "completed"
    assert run.calls.count("/lib/left") == 2


def test_failures_of_several_branches_count_in_one_window(begin):
    recovery = {"stop_after": {"failures": 2, "within": "1h"}}
    two = both(right=function("right", retry_strategy="none"))
    run = begin(container("group", "and", two, recovery=recovery), functions=calls(left=["1", {}], right=["2", "3"]))
    assert run.status == "failed"
    assert [each.data["failures"] for each in run.events("recovery_decided")] == [2, 2, 3]


@pytest.mark.parametrize("redo", ["this_step", "whole_group"])
def test_a_branch_of_a_branch_asks_through_the_one_around_it(begin, redo):
    inner = container("inner", "parallel", function("left", retry_strategy="none"), function("middle"))
    run = begin(
        container("group", "and", both(left=inner), recovery={"redo": redo}),
        manifests=ALL_SAFE,
        functions=calls(left=["no", {}], middle=[{}], right=[{}]),
    )
    run.do("restart")
    assert run.status == "completed"
    assert run.calls.count("/lib/left") == 2


@pytest.mark.parametrize("fan_out", [False, True])
def test_a_branch_that_starts_again_sends_the_keys_of_its_forerunner(begin, fan_out):
    key = function("read", idempotency_key="${flow.instance_id}")
    children = (container("one", "and", key, function("left", retry_strategy="none")),)
    over = {"fan_out": {"over": "${input.rows}"}} if fan_out else {}
    group = container("group", "and", container("p", "parallel", *children, **over), recovery={"redo": "whole_group"})
    keyed = {**ALL_SAFE, "/lib/read": {**SAFE, "idempotency_param": "key"}}
    run = begin(group, manifests=keyed, functions=calls(read=[{}], left=["no", {}]), input={"rows": [1]})
    sent = [made.arguments["key"] for made in run.stage.executor.made if made.path == "/lib/read"]
    assert (run.status, len(sent), len(set(sent))) == ("completed", 2, 1)
