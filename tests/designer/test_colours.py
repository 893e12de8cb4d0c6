"""Contrast of the colours in static/css/variables.css: 4.5:1 for words, 3:1 for shapes, in both themes."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "static/css"
CSS = (FOLDER / "variables.css").read_text()
BOTH = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
COLOURS = {name: {"light": light, "dark": dark} for name, light, dark in BOTH.findall(CSS)}
COLOURS["text-on-accent"] = {"light": "#ffffff", "dark": "#ffffff"}
HUES = ["blue", "amber", "green", "red", "violet", "orange", "grey"]
BACKS = ["page", "surface", "raised", "sunken", "hover"]

WORDS = [(words, back) for words in ("text", "text-quiet", "accent-text") for back in BACKS]
WORDS += [(f"{hue}-text", back) for hue in HUES for back in (f"{hue}-tint", "page", "surface", "raised")]
WORDS += [("text", f"{hue}-tint") for hue in HUES]
WORDS += [("text", "accent-tint"), ("text-quiet", "accent-tint"), ("accent-text", "accent-tint")]
WORDS += [("text-on-accent", back) for back in ("accent", "accent-hover", "danger", "danger-hover")]
SHAPES = [(shape, back) for shape in ("line-control", "focus", "accent-line") for back in ("page", "surface", "raised")]


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("words", "back"), WORDS)
def test_words_can_be_read(words, back, theme):
    assert contrast(COLOURS[words][theme], COLOURS[back][theme]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("shape", "back"), SHAPES)
def test_shapes_can_be_seen(shape, back, theme):
    assert contrast(COLOURS[shape][theme], COLOURS[back][theme]) >= 3


def test_no_style_sheet_but_the_variables_names_a_colour():
    for file in FOLDER.glob("*.css"):
        named = re.findall(r"#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(", file.read_text())
        assert file.name == "variables.css" or not named, f"{file.name}: {named}"
