"""What the doctor is told about the look-ups of an expression."""

import pytest

from flows.expressions import Hyphen, Key, parse, parse_condition, parse_template


def paths(text: str) -> list[str]:
    return ["".join([found.root, *map(shown, found.path)]) for found in parse(text).references()]


def shown(key: Key) -> str:
    return f"[{key.name}]" if key.is_bracket else f".{key.name}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2", []),
        ("input", ["input"]),
        ("input.a['b c'].d[0]", ["input.a[b c].d[0]"]),
        ("(steps.a).b", ["steps.a.b"]),
        ("steps.a.trim().b", ["steps.a"]),
        ("steps[input.key].b", ["steps", "input.key"]),
        ("a.b == c || !d and -e in [1]", ["a.b", "c", "d", "e"]),
        ("x.contains(y.z) && (q | default(w))", ["x", "y.z", "q", "w"]),
    ],
)
def test_every_look_up_is_listed_in_the_order_of_the_text(text, expected):
    assert paths(text) == expected


def test_a_key_says_how_it_is_written():
    [found] = parse("steps['a-b'].c").references()
    assert found.path == (Key("a-b", is_bracket=True), Key("c", is_bracket=False))


@pytest.mark.parametrize(
    ("text", "forgiven"),
    [
        ("check.status | default(other)", [True, False]),
        ("(check).a[key] | trim | d", [True, False]),
        ("(a + b) | default(0)", [False, False]),
        ("-a | default(0)", [False]),
        ("a | trim", [False]),
        ("(a | upper) | default('')", [True]),
    ],
)
def test_a_default_forgives_its_operand_and_nothing_else(text, forgiven):
    assert [found.is_forgiven for found in parse(text).references()] == forgiven


@pytest.mark.parametrize(
    ("text", "hyphen"),
    [
        ("steps.create-user.id", Hyphen("create-user", is_tight=True)),
        ("steps.a-b-c.v", Hyphen("a-b-c", is_tight=True)),
        ("2 * steps.step-1.v", Hyphen("step-1", is_tight=True)),
        ("steps.make - it.v", Hyphen("make-it", is_tight=False)),
        ("my-var", Hyphen("my-var", is_tight=True)),
        ("steps['a']-b", None),
        ("(steps.a)-b", None),
        ("steps.a.length()-b", None),
        ("steps.a + -b", None),
        ("steps.a - (b)", None),
    ],
)
def test_a_subtraction_that_may_be_a_name_is_told(text, hyphen):
    assert parse(text).references()[0].hyphen == hyphen


def test_the_place_is_that_in_the_whole_field():
    [found] = parse_condition("{{\n  input.total > 5 }}").references()
    assert (found.line, found.column) == (2, 3)


def test_a_template_says_in_which_string_a_reference_stands():
    template = parse_template({"a": ["x ${input.b}\n{{ steps.c }}"], "d": "${e}", "f": "${1 +}"})
    places = [(found.root, found.within, found.line, found.column) for found in template.references()]
    assert places == [("input", ("a", 0), 1, 5), ("steps", ("a", 0), 2, 4), ("e", ("d",), 1, 3)]
