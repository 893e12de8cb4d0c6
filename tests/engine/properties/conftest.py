"""How many drawn flows are run; ``--property-examples`` asks for more than the suite has time for."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--property-examples", type=int, default=40, help="how many drawn flows are run, with havoc in them"
    )
