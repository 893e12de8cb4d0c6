"""Templated values, beyond what the vectors say: sharing, errors, warnings, caches."""

from typing import Any

import pytest

from flows.expressions import ExpressionError, parse_template, resolve

CONTEXT = {"input": {"id": "O-1", "tags": ["a", "b"], "n": None}}


def test_a_constant_template_is_the_value_itself():
    value = {"a": [1, "text"], "b": {"c": None}}
    template = parse_template(value)
    assert template.is_constant
    assert template.resolve({}) is value


def test_what_is_around_a_marker_is_new_and_the_rest_is_shared():
    value = {"changes": ["${input.id}"], "stays": [1]}
    result = resolve(value, CONTEXT)
    assert result == {"changes": ["O-1"], "stays": [1]}
    assert result["changes"] is not value["changes"]
    assert result["stays"] is value["stays"]
    assert resolve("${input.tags}", CONTEXT) is CONTEXT["input"]["tags"]


def test_members_keep_their_order():
    value = {"z": "${input.id}", "a": 1, "m": "{{ input.n }}"}
    assert list(resolve(value, CONTEXT)) == ["z", "a", "m"]


def test_a_template_may_be_resolved_again_in_another_context():
    template = parse_template({"x": ["${a}"]})
    assert template.resolve({"a": 1}) == {"x": [1]}
    assert template.resolve({"a": 2}) == {"x": [2]}


def test_reading_never_raises_and_resolving_raises_the_first_error():
    template = parse_template({"a": "${1 +} {{ ok }}", "b": ["{{ 2 + }}", "${}"]})
    assert [(error.kind, error.within, error.column) for error in template.errors] == [
        ("parse", ("a",), 6),
        ("parse", ("b", 0), 7),
        ("parse", ("b", 1), 3),
    ]
    assert not template.is_constant
    for _ in range(2):
        with pytest.raises(ExpressionError) as caught:
            template.resolve({})
        assert caught.value.within == ("a",)


@pytest.mark.parametrize(
    ("text", "unbalanced"),
    [("fee ${100", True), ("a {{ b", True), ("${a} {{", True), ("${'{'}", True), ("${a} {b}", False), ("}} {", False)],
)
def test_an_unterminated_marker_is_told_and_stays_text(text, unbalanced):
    template = parse_template([text])
    assert template.unbalanced is unbalanced
    assert not template.errors


def test_only_an_unterminated_marker_leaves_a_template_constant():
    assert parse_template({"fee": "${100"}).is_constant


def test_a_string_with_markers_may_have_1048576_characters():
    [error] = parse_template("${" + "x" * 1_048_576).errors
    assert error.kind == "evaluation"
    assert parse_template("x" * 1_048_577).is_constant


def test_a_structure_may_nest_128_levels():
    def nested(levels: int) -> Any:
        value: Any = "${input.id}"
        for _ in range(levels):
            value = [value]
        return value

    assert resolve(nested(128), CONTEXT) == eval("[" * 128 + "'O-1'" + "]" * 128)
    with pytest.raises(ExpressionError, match="nested deeper than 128 levels"):
        resolve(nested(129), CONTEXT)


def test_a_structure_within_itself_is_refused():
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ExpressionError, match="nested deeper"):
        resolve(value, {})


def test_a_string_full_of_errors_tells_ten():
    assert len(parse_template("${}" * 1000).errors) == 10


def test_long_texts_read_as_short_ones_do():
    text = "x" * 5000 + "${input.id}"
    assert resolve(text, CONTEXT) == "x" * 5000 + "O-1"
    with pytest.raises(ExpressionError) as caught:
        resolve("x" * 5000 + "\n${nosuch}", CONTEXT)
    assert (caught.value.line, caught.value.column) == (2, 3)
