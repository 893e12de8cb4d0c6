"""The page about the doctor's codes is the one that the table gives."""

from pathlib import Path

from flows.doctor import CODES
from flows.doctor.page import page

PAGE = Path(__file__).resolve().parents[3] / "docs" / "doctor-codes.md"


def test_the_page_is_up_to_date() -> None:
    """After a change: python -m flows.doctor.page > docs/doctor-codes.md."""
    assert PAGE.read_text() == page()


def test_every_code_stands_on_it_once() -> None:
    assert all(page().count(f"| `{code}` |") == 1 for code in CODES)
