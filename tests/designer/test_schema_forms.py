"""Forms made from JSON Schemas: what is shown, and that the value which comes back is the one that was meant."""

from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from designer.schema_forms import Part, form_for, problems_of, read

ORDER: dict[str, Any] = {
    "type": "object",
    "required": ["order_id", "lines"],
    "properties": {
        "order_id": {"type": "string", "title": "Order number"},
        "total": {"type": "number"},
        "seconds": {"type": "integer", "default": 30},
        "express": {"type": "boolean"},
        "country": {"enum": ["CH", "AT", 3]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}}},
        },
    },
}


def sent(**values: Any) -> QueryDict:
    query = QueryDict(mutable=True)
    for name, value in values.items():
        query[f"input.{name.replace('__', '.')}"] = value
    return query


def parts(form: Part) -> dict[str, Part]:
    return {each.name: each for each in form.parts}


def test_a_form_has_a_part_for_each_property() -> None:
    kinds = {name: part.kind for name, part in parts(form_for(ORDER)).items()}
    assert kinds["input.order_id"] == "text" and kinds["input.total"] == "number" and kinds["input.express"] == "check"
    assert kinds["input.country"] == "choice" and kinds["input.tags"] == "lines" and kinds["input.lines"] == "rows"
    assert kinds["input.address"] == "group"


def test_defaults_fill_the_form_and_titles_name_it() -> None:
    found = parts(form_for(ORDER))
    assert found["input.seconds"].value == 30
    assert found["input.order_id"].label == "Order number"


def test_values_come_back_with_their_types() -> None:
    value, problems = read(
        ORDER,
        sent(
            order_id="O-1",
            total="12,5",
            seconds="7",
            express="yes",
            country='"AT"',
            tags="a\n\nb",
            address__city="Graz",
            lines__0__sku="lamp",
            lines__0__quantity="2",
            lines__4__sku="vase",
            lines__4__quantity="",
        ),
    )
    assert problems == {}
    assert value == {
        "order_id": "O-1",
        "total": 12.5,
        "seconds": 7,
        "express": True,
        "country": "AT",
        "tags": ["a", "b"],
        "address": {"city": "Graz"},
        "lines": [{"sku": "lamp", "quantity": 2}, {"sku": "vase"}],
    }


def test_what_is_left_empty_is_left_out() -> None:
    value, problems = read(ORDER, sent(order_id="O-1", total="", country="", tags="", address__city=""))
    assert value == {"order_id": "O-1", "express": False, "lines": []}
    assert problems == {}


@pytest.mark.parametrize(("name", "text"), [("total", "much"), ("seconds", "1.5"), ("country", "XX")])
def test_what_cannot_be_read_is_told_at_its_field_and_stays_in_it(name: str, text: str) -> None:
    value, problems = read(ORDER, sent(order_id="O-1", **{name: text}))
    assert list(problems) == [f"input.{name}"]
    assert parts(form_for(ORDER, value, problems))[f"input.{name}"].errors


def test_what_the_form_does_not_know_is_asked_for_as_json() -> None:
    schema = {"type": "object", "properties": {"any": {}}}
    assert parts(form_for(schema))["input.any"].kind == "json"
    assert read(schema, sent(any='{"a": [1]}'))[0] == {"any": {"a": [1]}}
    assert read(schema, sent(any="{nope"))[1]


def test_the_engines_problems_find_their_fields() -> None:
    told = [{"field": "input/lines/0/sku", "message": "too short"}, {"field": "input", "message": "missing"}]
    assert problems_of(told) == {"input.lines.0.sku": ["too short"], "input": ["missing"]}


SCHEMAS = st.recursive(
    st.sampled_from([{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"enum": [1, "a"]}, {}]),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(lambda p: {"type": "object", "properties": p}),
        inner.map(lambda items: {"type": "array", "items": items}),
    ),
    max_leaves=6,
)


@given(SCHEMAS, st.dictionaries(st.text(max_size=20), st.text(max_size=20)))
def test_no_schema_and_nothing_sent_ever_crashes(schema: dict[str, Any], values: dict[str, str]) -> None:
    query = QueryDict(mutable=True)
    query.update({f"input.{name}": value for name, value in values.items()})
    value, problems = read(schema, query)
    form_for(schema, value, problems)
