"""The limits of reference/expressions.md, section 9: they hold, they are not too tight, and they keep things quick."""

import inspect
import sys
from collections.abc import Callable
from typing import Any

import pytest

from flows.expressions import ExpressionError, evaluate_text, parse, parse_template, resolve
from flows.expressions.limits import MAX_WORK
from flows.expressions.markers import split
from tests.soon import soon

NESTS = {
    "parentheses": ("(", "1", ")"),
    "arrays": ("[", "1", "]"),
    "objects": ("{a: ", "1", "}"),
    "keys": ("a[", "0", "]"),
    "arguments": ("a.contains(", "1", ")"),
    "filters": ("x | default(", "1", ")"),
    "bangs": ("!", "true", ""),
    "minuses": ("-", "1", ""),
    "nots": ("not ", "true", ""),
}
CHAINS = ["1 + 1", "1 - 1", "1 * 1", "1 && 1", "0 || 1", "x.a.a", "x.trim().trim()", "x | trim | trim", "x[0][0]"]

EVERY_LEVEL = [
    "zero || one && 1 == 1 + 1 * ({}).a | default(1)",
    "zero || one && 1 == 1 + 1 * none.indexOf({}) | default(1)",
    "zero || one && 1 == 1 + 1 * nothing[{}] | default(1)",
    "zero || one && 1 == 1 + 1 * none | join({}) | length",
]
"""A nesting that passes through every level of the grammar, and is evaluated to its core."""


def nested(kind: str, levels: int) -> str:
    opening, core, closing = NESTS[kind]
    return opening * levels + core + closing * levels


def chained(chain: str, links: int) -> str:
    """``chain`` with its last operator or step repeated ``links`` times."""
    first, step = (chain[:1], chain[1:] if " " in chain else chain[1 : 1 + len(chain[1:]) // 2])
    return first + step * links


@pytest.mark.parametrize("kind", NESTS)
def test_64_levels_of_nesting_read_and_65_do_not(kind):
    parse(nested(kind, 64))
    with pytest.raises(ExpressionError, match="nested deeper than 64 levels") as caught:
        parse(nested(kind, 65))
    assert caught.value.kind == "parse"


def test_nesting_of_all_kinds_is_counted_together():
    text = "not " * 20 + "(" * 20 + "!" * 12 + "-" * 12 + "x" + ")" * 20
    assert parse(text)
    with pytest.raises(ExpressionError, match="nested deeper"):
        parse(f"({text})")


def test_nesting_side_by_side_is_not_counted():
    assert evaluate_text(" + ".join(["-(-(((1))))"] * 200), {}) == 200


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("links", [1, 64, 65, 2000])
def test_a_chain_is_not_nesting(chain, links):
    evaluate_text(chained(chain, links), {"x": None})


def deeper(frames: int, call: Callable[[], object]) -> object:
    return call() if frames == 0 else deeper(frames - 1, call)


@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_the_deepest_expression_in_the_deepest_template_takes_less_than_700_frames(level):
    text = "1"
    for _ in range(64):
        text = level.replace("{}", text)
    value: Any = "${" + text + "}"
    for _ in range(128):
        value = [value]
    spare = sys.getrecursionlimit() - len(inspect.stack(0)) - 700
    deeper(spare, lambda: resolve(value, {"zero": 0, "one": 1, "none": [], "nothing": None}))


def test_the_text_of_an_expression_may_have_65536_characters():
    assert evaluate_text("1".rjust(65_536), {}) == 1
    with pytest.raises(ExpressionError, match="at most 65536 characters"):
        parse("1".rjust(65_537))


@pytest.mark.parametrize(
    "text",
    ["s + s + 'x'", "a.join(s)", "a | join(s)", "(s + s) | upper + 'x'", "a | tojson", "[s, s] | string"],
)
def test_no_string_above_8_mib_is_made(text):
    context = {"s": "m" * (4 * 1024 * 1024), "a": ["m" * (4 * 1024 * 1024)] * 2}
    with pytest.raises(ExpressionError):
        evaluate_text(text.replace("[s, s]", "a"), context)


def test_8_mib_count_bytes_and_may_be_reached():
    context = {"s": "ü" * (2 * 1024 * 1024)}
    assert evaluate_text("(s + s).length()", context) == 8 * 1024 * 1024
    assert len(resolve("${s}${s}", context)) == 4 * 1024 * 1024
    with pytest.raises(ExpressionError, match="more than 8 MiB"):
        resolve("${s}${s}!", context)


def test_values_deeper_than_128_are_refused_where_they_are_walked():
    def nest(levels: int) -> list[Any]:
        return [] if levels == 1 else [nest(levels - 1)]

    ok, deep = nest(128), [nest(128)]
    for text in ("x == y", "x | tojson", "[x].contains(1)", "x.join()"):
        evaluate_text(text.replace("[x]", "x"), {"x": ok, "y": nest(128)})
    for text in ("x == y", "x | tojson", "x != y"):
        with pytest.raises(ExpressionError, match="nested deeper than 128"):
            evaluate_text(text, {"x": deep, "y": [nest(128)]})
    assert evaluate_text("x", {"x": deep}) is deep


def test_work_is_counted_over_all_markers_of_a_value():
    many = {"many": [1] * (MAX_WORK // 2)}
    assert resolve(["${many.contains(2)}"] * 2, many) == [False, False]
    with pytest.raises(ExpressionError, match="too much work") as caught:
        resolve({"a": ["${many.contains(2)}"] * 3}, many)
    assert caught.value.within == ("a", 2)


@pytest.mark.parametrize(
    "text",
    [
        "many == many",
        "many.indexOf(2) < 0",
        "many.join().length()",
        "2 in many",
        "many | tojson | length",
        "[many] == 1",
    ],
)
def test_work_within_the_limit_is_allowed(text):
    size = 100_000
    evaluate_text(text.replace("[many]", "many"), {"many": [1] * size})


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("x == y", {"x": [0] * 300_000, "y": [0] * 300_000}),
        ("x.contains(1)", {"x": [0] * 10_000_000}),
        ("x.contains(y)", {"x": [[]] * 10_000_000, "y": [1]}),
        ("x.join()", {"x": [0] * 10_000_000}),
        ("x | tojson", {"x": [0] * 10_000_000}),
        ("x == y", {"x": dict.fromkeys(map(str, range(300_000))), "y": dict.fromkeys(map(str, range(300_000)))}),
        ("x.toUpperCase()", {"x": "m" * 17_000_000}),
        ("x.depth()", {"x": "a/" * 9_000_000}),
        ("x.parent(1000000)", {"x": "a/" * 2_000_000}),
        ("x.length()", {"x": "ü" * 9_000_000}),
        ("x" + " == y || x" * 3000, {"x": "m" * 1_000_000, "y": "m" * 999_999 + "n"}),
        ("x < y" + " || x < y" * 3000, {"x": "n" * 1_000_000, "y": "n" * 1_000_000}),
    ],
    ids=range(12),
)
def test_too_much_work_is_refused_in_time(text, context):
    with soon(), pytest.raises(ExpressionError, match="too much work|8 MiB" if "||" not in text else None):
        evaluate_text(text, context)


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("x.toUpperCase().length()", {"x": "ü" * 3_500_000}),
        ("x.trim()", {"x": " " * 16_000_000}),
        ("x.depth()", {"x": "a/" * 8_000_000}),
        ("x.depth()", {"x": "/" * 16_000_000}),
        ("x.parent(100000)", {"x": "a/" * 2_000_000}),
        ("x.contains(y)", {"x": "a" * 16_000_000, "y": "a" * 8_000_000 + "b"}),
        ("x | tojson | length", {"x": ["\x00"] * 200_000}),
        ("x | join('-') | length", {"x": [0.1] * 240_000}),
        ("1" + "+1" * 32_000, {}),
        ("a" + ".a" * 32_000, {"a": 1}),
    ],
    ids=range(10),
)
def test_the_most_that_is_allowed_is_worked_out_in_time(text, context):
    with soon():
        evaluate_text(text, context)


@pytest.mark.parametrize(
    "piece", ["${", "{{", "${{", "${ {{ ", "{", "}", "${}", "{{}}", "${{}}", "{{}", "}}{{", "${a} {{"]
)
def test_finding_markers_takes_linear_time(piece):
    """Searching to the end once for each of half a million would take minutes."""
    with soon():
        split((piece * 524_288)[:524_288])


def test_references_of_a_long_template_take_linear_time():
    template = parse_template("${a.b}\n" * 30_000)
    with soon():
        assert len(template.references()) == 30_000
        assert template.references()[-1].line == 30_000
