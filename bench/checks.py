"""What definitions cost: the doctor on a large one, and the expressions that were made to be expensive."""

import time
from pathlib import Path

from bench.definitions import large
from flows.doctor import check
from flows.expressions.vectors import run_vectors

VECTORS = Path(__file__).parent.parent / "tests" / "conformance" / "expressions.yaml"


def measure(nodes: int) -> dict[str, float]:
    """Milliseconds: the best of five examinations of a flow of so many nodes, and the slowest expression vector."""
    definition = large(nodes)
    return {
        "nodes": nodes,
        "doctor_ms": min(_examined(definition) for _ in range(5)),
        "vector_ms": run_vectors(VECTORS).slowest * 1000,
    }


def _examined(definition: dict[str, object]) -> float:
    begun = time.perf_counter()
    check(definition)
    return (time.perf_counter() - begun) * 1000
