import pytest

from flows.doctor import check
from tests.flows.doctor.cases import RECONCILE, Node, box, flow, step, task


def found(*nodes: Node) -> list[tuple[str, str]]:
    return [(each.node, each.code) for each in check(flow(*nodes)) if each.severity != "suggestion"]


def reads(expression: str, *before: Node) -> list[tuple[str, str]]:
    """What is found when a step behind ``before`` has ``expression`` among its arguments."""
    return found(*before, step("reader", arguments={"x": f"${{{expression}}}"}))


@pytest.mark.parametrize(
    "expression",
    [
        "input.a.b",
        "trigger.event_type",
        "error.message",
        "flow.instance_id",
        "__human_response.action",
        "steps",
        "steps.a.x",
        "steps['a'].x",
        "history.a[0]",
        "visits.reader",
        "history.reader",
        "nowhere | default(1)",
        "steps.a.n-input.n",
        "steps[input.which]",
    ],
)
def test_what_exists_can_be_read(expression):
    assert reads(expression, step("a")) == []


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("nowhere.x", "TEMPLATE_UNKNOWN_ROOT"),
        ("output.x", "TEMPLATE_UNKNOWN_ROOT"),
        ("response.action", "TEMPLATE_UNKNOWN_ROOT"),
        ("steps.ghost", "TEMPLATE_UNKNOWN_STEP"),
        ("visits.ghost", "TEMPLATE_UNKNOWN_STEP"),
        ("history['ghost'][0]", "TEMPLATE_UNKNOWN_STEP"),
        ("steps.reader.x", "TEMPLATE_FORWARD_REF"),
        ("steps.a.", "INVALID_CONDITION"),
        ("", "INVALID_CONDITION"),
    ],
)
def test_what_does_not_exist_cannot_be_read(expression, code):
    assert reads(expression, step("a")) == [("reader", code)]


def test_a_hyphen_in_a_dotted_path_is_one_finding():
    assert reads("steps.make-it.v", step("make-it")) == [("reader", "TEMPLATE_HYPHENATED_STEP_PATH")]
    assert reads("steps.make-it", step("make")) == [("reader", "TEMPLATE_UNKNOWN_ROOT")]  # a subtraction of it
    assert reads("steps.no-such-thing.v") == [("reader", "TEMPLATE_HYPHENATED_STEP_PATH")]
    assert reads("steps['make-it'].v", step("make-it")) == []


def test_a_field_names_the_place_of_the_template():
    nodes = [step("a", arguments={"rows": [1, {"x": "${steps.ghost}"}]})]
    (finding,) = check(flow(*nodes))
    assert finding.field == "arguments.rows.1.x"


def test_a_misspelt_step_is_guessed():
    (finding,) = check(flow(step("reserve_stock"), step("b", arguments={"x": "${steps.reserve_stok.id}"})))
    assert finding.message == "There is no step 'reserve_stok'. Did you mean 'reserve_stock'?"


def test_a_steps_own_output_is_readable_where_it_exists():
    own = {
        "compensation_ref": "/lib/plain",
        "compensation_input_mapping": {"a": "${output.id}", "b": "${steps.a.id}"},
        "resources": {"id": "${steps.a.id}"},
        "undo": {"function_ref": "/lib/plain", "arguments": {"id": "${output.id}"}},
    }
    assert found(step("a", **own)) == []


def test_loop_variables_are_readable_inside_the_loop_alone():
    inside = step("b", arguments={"x": "${row.id}", "n": "${turn}"})
    loop = box("rows", "loop", inside, loop={"over": "${input.rows}", "item": "row", "index": "turn"})
    assert found(loop) == []
    assert found(loop, step("c", arguments={"x": "${row.id}"})) == [("c", "TEMPLATE_UNKNOWN_ROOT")]
    assert found({**loop, "loop": {"times": 3}}) == [("b", "TEMPLATE_UNKNOWN_ROOT")] * 2


def test_nested_loops_share_their_variables():
    inner = box("inner", "loop", step("b", arguments={"x": "${row}", "i": "${iteration + index}"}), loop={"times": 3})
    assert found(box("outer", "loop", inner, loop={"over": "${input.rows}", "item": "row"})) == []


def test_loop_conditions_read_the_body_and_what_ran_before():
    def loop(condition: str) -> Node:
        return box("loop", "loop", step("b"), loop={"while": condition, "until": "steps.b.done"})

    assert found(step("a"), loop("steps.b.more && steps.a.n > iteration"), step("c")) == []
    assert found(loop("steps.c.n"), step("c")) == [("loop", "TEMPLATE_FORWARD_REF")]
    assert found(loop("steps.ghost.n")) == [("loop", "LOOP_CONDITION_UNKNOWN_STEP")]


def test_a_container_cannot_read_what_runs_inside_it():
    router = box("or", "or", step("b"), rules=[{"condition": "steps.b.ok", "next_step": "b"}])
    assert found(router) == [("or", "TEMPLATE_FORWARD_REF")]
    assert found(box("and", "and", step("b", when="steps.and.x"))) == [("b", "TEMPLATE_FORWARD_REF")]


def test_a_routers_choice_is_readable_from_its_branches_on():
    why = step("b", arguments={"x": "${steps.route__router.reasoning}"})
    rules = [{"condition": "input.big", "next_step": "b"}]
    routed = box("route", "or", why, step("c"), router={"agent_ref": "/agents/sorter"}, rules=rules)
    assert found(routed, step("d", arguments={"x": "${steps.route__router.routed_to}"})) == []
    assert found(step("early", arguments=why["properties"]["arguments"]), routed) == [("early", "TEMPLATE_FORWARD_REF")]
    unrouted = box("route", "or", why, rules=rules)
    assert found(unrouted) == [("b", "TEMPLATE_UNKNOWN_STEP")]


def test_answers_are_readable_in_a_response_condition():
    assert found(task(response_condition="response.action == 'yes' || responses.length() > 2")) == []


def test_probes_are_readable_in_their_reconcile_alone():
    reconcile = {**RECONCILE, "result": {"id": "${steps.probe.id}", "was": "${steps.a.id}"}}
    nodes = [step("a"), step("b", on_unknown="reconcile", reconcile=reconcile)]
    assert found(*nodes) == []
    outside = step("c", arguments={"x": "${steps.probe.id}"})
    assert found(*nodes, outside) == [("c", "RECONCILE_ID_USED_OUTSIDE")]


def test_probes_read_what_their_step_can_read():
    probes = [step("one", arguments={"x": "${steps.a.id}"}), step("two", arguments={"x": "${steps.one.id}"})]
    reconcile = {"steps": probes, "outcome": "steps.two.ok"}
    assert found(step("a"), step("b", on_unknown="reconcile", reconcile=reconcile)) == []
    forward = {"steps": [step("one", arguments={"x": "${steps.b.id}"})], "outcome": "true"}
    late = step("b", on_unknown="reconcile", reconcile=forward)
    assert found(late) == [("one", "TEMPLATE_FORWARD_REF")]


def test_a_condition_may_be_a_boolean_or_wrapped_in_one_marker():
    assert found(step("a", step_type="decision", condition=True), step("b", when="{{ input.n > 1 }}")) == []


@pytest.mark.parametrize("condition", [["a"], {"a": 1}, "${input.n} > 5", "input.n >", "a b"])
def test_a_condition_that_is_no_expression_is_refused(condition):
    assert found(step("a", step_type="decision", condition=condition)) == [("a", "INVALID_CONDITION")]


def test_a_rule_without_a_condition_is_warned_about():
    assert found(box("or", "or", step("b"), rules=[{"next_step": "b"}])) == [("or", "EMPTY_CONDITION")]


def maybe(*nodes: Node) -> list[tuple[str, str]]:
    return [(each.node, each.message) for each in check(flow(*nodes)) if each.code == "MAYBE_NOT_RUN_REF"]


def test_a_step_that_may_not_have_run_is_pointed_out_with_the_reason():
    reader = step("z", arguments={"x": "${steps.b.v}"})
    jump = step("d", step_type="decision", condition="input.n", yes_branch="z")
    reasons = {
        "it has a condition of its own": [step("b", when="input.n"), reader],
        "it is disabled": [step("b", disabled=True), reader],
        "'d' may jump over it": [jump, step("b"), reader],
        "'p' may choose another branch": [
            box("p", "or", box("g", "and", step("b")), rules=[{"condition": "true", "next_step": "g"}]), reader,
        ],
        "a branch of 'p' keeps its outputs to itself": [box("p", "parallel", step("b")), reader],
        "a branch of 'p' does not see the steps around it": [step("b"), box("p", "parallel", reader)],
    }  # fmt: skip
    for reason, nodes in reasons.items():
        assert [(node, reason in message) for node, message in maybe(*nodes)] == [("z", True)], reason


def test_a_step_under_the_same_guard_has_run():
    pair = [step("b"), step("z", arguments={"x": "${steps.b.v}"})]
    jump = step("d", step_type="decision", condition="input.n", yes_branch="end")
    assert maybe(box("g", "and", *pair, when="input.n")) == []
    assert maybe(box("p", "parallel", *pair, fan_out={"over": "${input.xs}"})) == []
    assert maybe(jump, *pair) == []


def test_a_default_says_that_the_author_knows():
    assert maybe(step("b", when="input.n"), step("z", arguments={"x": "${steps.b.v | default(0)}"})) == []
