"""Reading and running files of vectors."""

import pytest

from flows.expressions.vectors import is_same, read_vectors, run_vectors


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "vectors.yaml"
        path.write_text(text)
        return path

    return write


def test_a_report_counts_what_passes_and_tells_what_fails(file):
    path = file("""
        contexts: {shop: {total: 5}}
        vectors:
          - {id: right, expr: "total + 1", context: shop, expect: 6}
          - {id: wrong, expr: "total", context: shop, expect: 5.0}
          - {id: fails, template: "${1 / 0}", expect: 1}
          - {id: passes, condition: "true", error: true}
          - {id: late, expr: "1 / 0", error: true, kind: parse}
    """)
    report = run_vectors(path)
    assert report.passed == 1
    assert report.failed == [
        "wrong: gave 5, not 5.0",
        "fails: failed: division by zero (line 1, column 5)",
        "passes: gave True and should fail",
        "late: failed as evaluation, not as parse: division by zero (line 1, column 3)",
    ]


def test_long_inputs_are_written_small(file):
    path = file("""
        vectors:
          - id: long
            expr: {$concat: ["a", {repeat: ".b", times: 3}]}
            context: {a: {$list: {item: {$nest: {leaf: 1, times: 2}}, times: 2}}}
            expect: null
    """)
    [vector] = read_vectors(path)
    assert vector["expr"] == "a.b.b.b"
    assert vector["context"] == {"a": [[[1]], [[1]]]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vectors: [", "is not YAML"),
        ("[1, 2]", "no list of 'vectors'"),
        ("vectors: [{id: a}]", "a vector has an 'id' and one of expr, template, condition"),
        ("vectors: [{id: a, expr: x, context: nowhere}]", "vector a has an unknown context 'nowhere'"),
    ],
)
def test_a_file_that_holds_no_vectors_is_refused(file, text, message):
    with pytest.raises(ValueError, match=message):
        run_vectors(file(text))


@pytest.mark.parametrize(("left", "right"), [(1, 1.0), (1, True), ([1], [1, 1]), ({"a": 1}, {"b": 1}), (None, 0)])
def test_comparing_is_strict(left, right):
    assert not is_same(left, right)
    assert is_same(left, left)
