"""The German catalogue: whole, compiled, and with the same placeholders as the original."""

import ast
import gettext
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "locale/de/LC_MESSAGES"
PART = re.compile(r'^(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) (".*(?:\n".*)*)', re.MULTILINE)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")


def entries() -> list[dict[str, str]]:
    """Each entry of the .po file: its parts by name, lines joined."""
    blocks = (FOLDER / "django.po").read_text().split("\n\n")[1:]
    parts = (
        [(name, "".join(map(ast.literal_eval, text.split("\n")))) for name, text in PART.findall(b)] for b in blocks
    )
    return [dict(block) for block in parts if block]


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry["msgid"][:40])
def test_every_text_is_translated_with_its_placeholders(entry):
    for name, text in entry.items():
        if name.startswith("msgstr"):
            assert text, "not translated yet"
            assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(entry.get("msgid_plural", entry["msgid"])))


def test_the_compiled_catalogue_is_up_to_date():
    """After a change: python manage.py compilemessages."""
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for entry in entries():
        said = (
            compiled.pgettext(entry["msgctxt"], entry["msgid"])
            if "msgctxt" in entry
            else compiled.gettext(entry["msgid"])
        )
        assert said == entry.get("msgstr", entry.get("msgstr[0]"))
