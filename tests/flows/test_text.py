import json

import pytest
import yaml
from hypothesis import given

from flows.text import MAX_BYTES, DocumentError, read, read_all, write_json, write_yaml
from tests.strategies import json_values, unhurried


def exact(value: object) -> str:
    """A form in which 1, 1.0 and true differ."""
    return json.dumps(value)


@unhurried
@given(json_values)
def test_yaml_reads_back_what_was_written(value):
    assert exact(read(write_yaml(value), format="yaml").value) == exact(value)


@unhurried
@given(json_values)
def test_json_reads_back_what_was_written(value):
    assert exact(read(write_json(value), format="json").value) == exact(value)


@unhurried
@given(json_values)
def test_other_yaml_readers_read_the_same(value):
    assert exact(yaml.safe_load(write_yaml(value))) == exact(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("2030-01-07T10:00:00Z", "2030-01-07T10:00:00Z"),
        ("12:30", "12:30"),
        ("0123", "0123"),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        ("0x1F", 31),
        ("9007199254740993", 9007199254740993),
        ("1.0", 1.0),
        ("'1'", "1"),
        ("~", None),
        ("", None),
    ],
)
def test_a_plain_scalar_means_what_yaml_1_2_says(text, value):
    assert exact(read(text).value) == exact(value)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
REFUSED = {
    "a bomb of aliases": (BOMB, "too_many_values"),
    "a bomb of long texts": (f"a: &a {'x' * 99_999}\nb: [{', '.join(['*a'] * 999)}]", "too_many_values"),
    "too many values": (f"[{'1,' * 200_001}]", "too_many_values"),
    "six megabytes": ("x" * (MAX_BYTES + 1), "too_large"),
    "a hundred thousand brackets": ("a: " + "[" * 100_000, "too_deep"),
    "deep JSON": ('{"a":' * 5_000 + "1" + "}" * 5_000, "too_deep"),
    "an alias deepens what is deep": (
        "a: &a " + "[" * 100 + "]" * 100 + "\nb: " + "[" * 100 + "*a" + "]" * 100,
        "too_deep",
    ),
    "an alias to what is around it": ("a: &x [*x]", "alias"),
    "an alias to nothing": ("a: *nowhere", "alias"),
    "an alias as a name": ("a: &x b\n*x : c", "alias"),
    "a tag": ("a: !!python/object:os.system x", "tag"),
    "a merge key": ("a: &a {b: 1}\nc: {<<: *a}", "tag"),
    "a name twice": ("a: 1\nb: 2\na: 3", "duplicate_key"),
    "a name twice in JSON": ('{"a": 1, "a": 2}', "duplicate_key"),
    "a number as a name": ("1: x", "key_not_text"),
    "a list as a name": ("? [a]\n: x", "key_not_text"),
    "not a number": ("a: .nan", "not_a_number"),
    "not a number in JSON": ('{"a": NaN}', "not_a_number"),
    "infinity": ("a: -.inf", "not_a_number"),
    "a number beyond all numbers": ("a: 1e999", "not_a_number"),
    "a number of 5,000 digits": (f"a: {'9' * 5_000}", "not_a_number"),
    "half a character": ('{"a": "\\ud800"}', "encoding"),
    "bytes that are no UTF-8": (b"a: \xff", "encoding"),
    "two documents": ("a: 1\n---\nb: 2", "several_documents"),
    "broken YAML": ("a: b: c", "syntax"),
    "a control character": ("a: \x00", "syntax"),
}


@pytest.mark.parametrize(("text", "code"), REFUSED.values(), ids=REFUSED)
def test_what_no_flow_needs_is_refused(text, code):
    with pytest.raises(DocumentError) as caught:
        read(text)
    assert caught.value.code == code


def test_an_error_names_its_line():
    with pytest.raises(DocumentError, match="^line 3: 'a' stands here twice") as caught:
        read("a: 1\nb: 2\na: 3")
    assert (caught.value.line, caught.value.column) == (3, 1)


def test_json_and_yaml_know_the_lines():
    text = '{\n"nodes": [\n{"id": "a"},\n{"id":\n"b"}]}'
    assert read(text, format="json").lines == read(text, format="yaml").lines
    assert read(text).lines["nodes", 1, "id"] == 4


def test_an_alias_becomes_a_copy():
    value = read("a: &x {n: [1]}\nb: *x").value
    value["a"]["n"].append(2)
    assert value["b"] == {"n": [1]}


def test_json_with_a_yaml_habit_is_still_read():
    assert read("{nodes: [a, b], }").value == {"nodes": ["a", "b"]}


def test_every_document_of_a_text_is_read():
    assert [each.value for each in read_all("a: 1\n---\nb: 2\n")] == [{"a": 1}, {"b": 2}]


def test_texts_of_several_lines_stay_readable():
    assert write_yaml({"prompt": "Sum up.\nBe brief.\n"}) == "prompt: |\n  Sum up.\n  Be brief.\n"
