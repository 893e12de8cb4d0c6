"""What expressions see, and how much is read for it (reference/flow-format.md, section 8)."""

import pytest

from engine.machine.turn import Turn
from tests.engine.drawing import call, child_flow, decision, group, loop, pause, task
from tests.engine.machine.walking import fails, walk


def asked(*before, **more):
    """The arguments of ``/lib/ask``: what its templates gave after the nodes before it."""
    templates = more.pop("ask")
    found = walk(*before, call("ask", arguments=templates), **more).go()
    return found.calls[-1].arguments if found.called()[-1:] == ["ask"] else found.error


def test_input_trigger_and_flow_are_there_from_the_start() -> None:
    ask = {"i": "${input.x}", "t": "${trigger.event_type}", "f": "${flow.path} ${flow.version}"}
    assert asked(ask=ask, input={"x": [1]}) == {"i": [1], "t": "manual", "f": "/flows/it 1"}


def test_error_is_null_before_any_failure() -> None:
    assert asked(ask={"e": "${error}", "m": "${error.message.deeper}"}) == {"e": None, "m": None}


FAILED = call("a", retry={"max_retries": 0}, continue_on_fail=True)


@pytest.mark.parametrize("node", [call("a", when="false"), call("a", disabled=True), FAILED])
def test_a_step_that_did_not_succeed_reads_null_at_any_depth(node) -> None:
    assert asked(node, ask={"a": "${steps.a.b.c}"}, answers={"a": [fails()]}) == {"a": None}


def test_flat_variables_are_those_of_the_latest_step_that_has_them() -> None:
    answers = {"a": [{"x": 1, "y": 1}], "b": [{"x": 2}]}
    assert asked(call("a"), call("b"), ask={"x": "${x}", "y": "${y}"}, answers=answers) == {"x": 2, "y": 1}


def test_a_step_that_runs_again_takes_its_older_keys_back() -> None:
    again = loop("l", call("a"), times=2)
    answers = {"a": [{"x": 1, "y": 1}, {"y": 2}]}
    assert asked(again, ask={"y": "${y}", "x": "${x | default('gone')}"}, answers=answers) == {"y": 2, "x": "gone"}


def test_names_with_two_underscores_are_never_flat() -> None:
    error = asked(call("a"), ask={"x": "${__secret}"}, answers={"a": [{"__secret": 1}]})
    assert error["error_type"] == "evaluation"


def test_an_unknown_name_is_a_fault() -> None:
    assert "nowhere" in asked(ask={"x": "${nowhere}"})["message"]


def test_loop_variables_lie_over_the_flat_ones_and_are_gone_after_the_loop() -> None:
    seen = [f"${{{name}}}" for name in ("outer", "item", "place", "n")]
    inner = loop("inner", call("a", arguments={"seen": seen}), over=[7], index="place")
    around = loop("l", inner, over=["x"], item="outer")
    found = walk(call("n"), around, call("after", arguments={"x": "${item}"}), answers={"n": [{"n": 1, "item": 0}]})
    assert found.go().calls[1].arguments == {"seen": ["x", 7, 0, 1]}
    assert found.calls[2].arguments == {"x": 0}


@pytest.mark.parametrize("shape", [{"times": 2}, {"while": "visits.a == null or visits.a < 2"}])
def test_times_and_while_count_from_zero(shape) -> None:
    found = walk(loop("l", call("a", arguments={"n": ["${iteration}", "${index}"]}), **shape)).go()
    assert [each.arguments["n"] for each in found.calls] == [[0, 0], [1, 1]]


def test_visits_count_entries_not_attempts() -> None:
    answers = {"a": [fails(), {}, {}]}
    found = walk(loop("l", call("a", arguments={"n": "${visits.a}"}), times=2), answers=answers).go().wake()
    assert [each.arguments["n"] for each in found.calls] == [1, 1, 2]


def test_history_holds_the_latest_twenty_outputs_that_succeeded() -> None:
    found = walk(
        loop("l", call("a"), times=25, on_error="continue"),
        call("ask", arguments={"h": "${history.a}"}),
        answers={"a": [{"n": n} for n in range(23)] + [fails(code="x"), {"n": 24}]},
        manifests={"/lib/a": {"errors": {"fatal": ["x"]}}},
    ).go()
    assert [each["n"] for each in found.calls[-1].arguments["h"]] == [*range(4, 23), 24]


def test_history_of_the_open_step_has_what_it_gave_before() -> None:
    found = walk(
        loop("l", call("a", arguments={"h": "${history.a | default([])}"}), times=2), answers={"a": [{"n": 1}]}
    )
    assert found.go().calls[1].arguments == {"h": [{"n": 1}]}


def test_the_latest_answer_of_a_person_has_a_name_of_its_own() -> None:
    found = walk(task("t"), task("u"), call("ask", arguments={"h": "${__human_response.ok}"})).go()
    assert found.answered(ok=1).answered(ok=2).calls[-1].arguments == {"h": 2}


def test_a_child_flow_inherits_variables_but_not_what_a_person_said() -> None:
    found = walk(task("t"), loop("l", child_flow("c"), over=["x"]), input={"i": 1, "ok": 0}).go()
    found.answered(ok=2)
    assert found.children[0].input == {"i": 1, "ok": 2, "item": "x"}


def test_output_exists_for_what_undoes_a_step_and_nowhere_else() -> None:
    assert asked(ask={"x": "${output}"})["error_type"] == "evaluation"


def test_a_template_reads_the_outputs_it_names_and_no_others() -> None:
    nodes = [call(f"a{n}") for n in range(30)]
    found = walk(*nodes, pause("p"), call("ask", arguments={"x": "${steps.a3.n}"}), answers={"a3": [{"n": 3}]}).go()
    found.restart()
    found.reads = 0
    assert found.wake().calls[-1].arguments == {"x": 3}
    assert found.reads <= 1 + len(nodes), "the output of a completed run is folded from all of them"


def test_a_condition_over_the_input_reads_nothing() -> None:
    found = walk(call("a"), pause("p"), decision("d", "input.x == null"), pause("q")).go()
    found.restart()
    found.reads = 0
    assert found.wake().reads == 0


def test_history_of_one_step_reads_that_step_alone() -> None:
    found = walk(call("a"), call("b"), pause("p"), call("ask", arguments={"x": "${history.a}"}), pause("q")).go()
    found.restart()
    found.reads = 0
    assert (found.wake().calls[-1].arguments, found.reads) == ({"x": [{}]}, 1)


def test_every_name_of_a_context_can_be_read() -> None:
    found = walk(call("a"), loop("l", pause("p"), over=[1]), answers={"a": [{"n": 1}]}).go()
    names = dict(Turn(found.run, found.world, None).context())
    assert (names["n"], names["item"], names["steps"]["a"]) == (1, 1, {"n": 1})


# --- what a run gives ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "answers", "output"),
    [
        ([], {}, {}),
        ([call("a")], {"a": [{"x": 1}]}, {"x": 1}),
        ([call("a")], {"a": [[1, 2]]}, [1, 2]),
        ([call("a"), call("b")], {"a": [{"x": 1}], "b": [7]}, {"x": 1}),
        ([call("a"), call("b")], {"a": [5], "b": [None]}, {}),
        ([call("a")], {"a": [{"__x": 1}]}, {}),
        ([call("a", when="false")], {}, {}),
        ([group("g", call("a"))], {"a": ["text"]}, "text"),
        ([decision("d", "true")], {}, {"decision": True, "branch_taken": "yes"}),
    ],
)
def test_a_run_gives_its_flat_variables_or_the_last_value(nodes, answers, output) -> None:
    assert walk(*nodes, answers=answers).go().output == output


def test_a_failed_run_gives_nothing() -> None:
    assert walk(call("a"), call("b", arguments={"x": "${y}"}), answers={"a": [{"x": 1}]}).go().output is None
