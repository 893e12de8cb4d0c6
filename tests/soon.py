"""Work whose amount may not explode: far more time than it needs, and far less than it would take if it did.

How fast something is belongs into ``make bench``, where it is compared with what the machine can do. A test only tells work that
grows with its input from work that grows with its square.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from typing import Final

SOON: Final = 20.0
"""Seconds of this process's own work: others may be using the machine."""


@contextmanager
def soon() -> Iterator[None]:
    """Fail when what is done inside takes more than :data:`SOON`."""
    start = process_time()
    yield
    assert process_time() - start < SOON
