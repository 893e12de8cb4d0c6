"""The expression vectors: every one is answered, the hostile ones without taking much memory.

That they take less than a second each is measured: ``flow eval --vectors`` says so on the machine it runs on.
"""

import tracemalloc
from pathlib import Path

import pytest

from flows.expressions.vectors import Vector, failure_of, read_vectors, run_vectors
from tests.soon import SOON, soon

FILE = Path(__file__).parents[2] / "conformance" / "expressions.yaml"
VECTORS = {vector["id"]: vector for vector in read_vectors(FILE)}
MEGABYTE = 1024 * 1024


@pytest.fixture(params=VECTORS)
def vector(request: pytest.FixtureRequest) -> Vector:
    return VECTORS[request.param]


def test_a_vector_is_answered_as_required(vector):
    with soon():
        assert failure_of(vector) is None


@pytest.mark.parametrize("name", [name for name in VECTORS if name.startswith("hostile-size")])
def test_a_hostile_vector_takes_less_than_64_megabytes(name):
    tracemalloc.start()
    try:
        failure_of(VECTORS[name])
        assert tracemalloc.get_traced_memory()[1] < 64 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_the_file_passes_as_a_whole():
    report = run_vectors(FILE, within=SOON)
    assert (report.passed, report.failed) == (891, [])


def test_a_vector_that_takes_too_long_fails():
    report = run_vectors(FILE, within=0)
    assert report.passed + len(report.failed) == 891
    assert all("which is more than 0 s" in line for line in report.failed)
