"""The expression vectors: every one within its second, the hostile ones within their memory."""

import tracemalloc
from pathlib import Path
from time import process_time

import pytest

from flows.expressions.vectors import SECONDS, Vector, failure_of, read_vectors, run_vectors

FILE = Path(__file__).parents[2] / "conformance" / "expressions.yaml"
VECTORS = {vector["id"]: vector for vector in read_vectors(FILE)}
MEGABYTE = 1024 * 1024


@pytest.fixture(params=VECTORS)
def vector(request: pytest.FixtureRequest) -> Vector:
    return VECTORS[request.param]


def test_a_vector_is_answered_as_required_within_a_second(vector):
    start = process_time()
    assert failure_of(vector) is None
    assert process_time() - start < SECONDS


@pytest.mark.parametrize("name", [name for name in VECTORS if name.startswith("hostile-size")])
def test_a_hostile_vector_takes_less_than_64_megabytes(name):
    tracemalloc.start()
    try:
        failure_of(VECTORS[name])
        assert tracemalloc.get_traced_memory()[1] < 64 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_the_file_passes_as_a_whole():
    report = run_vectors(FILE)
    assert (report.passed, report.failed) == (891, [])
