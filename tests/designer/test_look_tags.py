import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.template import Context, Template

from designer import code_view, frame, words

ROOT = Path(__file__).resolve().parents[2]
SPRITE = set(re.findall(r'<symbol id="([\w-]+)"', (ROOT / "static/icons.svg").read_text()))
SOURCES = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("designer/**/*.py"), *ROOT.glob("static/js/*.js")]
NAMED = re.compile(r"""\{% icon "([\w-]+)"|\bicon\("([\w-]+)"\)|with icon="([\w-]+)\"""")


def render(source: str, **context: object) -> str:
    return Template("{% load look %}" + source).render(Context(context))


def test_every_icon_a_page_names_is_in_the_sprite():
    named = {name for file in SOURCES for match in NAMED.findall(file.read_text()) for name in match if name}
    named |= {look.icon for look in words.STATUSES.values()} | {item.icon for item in frame.RAIL}
    assert len(named) > 40
    assert named <= SPRITE


def test_the_sprite_holds_what_its_list_says():
    listed = (ROOT / "scripts/icons.txt").read_text().splitlines()
    assert {name for name in listed if name and not name.startswith("#")} == SPRITE


def test_a_status_is_a_word_a_shape_and_a_hue():
    html = render("{% status 'rolled_back' %}")
    assert "status-rolled-back tone-violet" in html
    assert "#undo-2" in html
    assert html.strip().endswith("Rolled back</span>")


def test_a_moment_has_its_exact_time_as_title_and_for_screen_readers():
    html = render("{% when moment %}", moment=datetime(2020, 5, 4, 8, 30, tzinfo=UTC))
    assert 'datetime="2020-05-04T08:30:00+00:00"' in html
    assert html.count("Mon 4 May 2020, 08:30 UTC") == 2
    assert "4 May 2020</span>" in html


def test_no_moment_and_no_length_are_a_dash():
    assert "–" in render("{% when None %}")
    assert render("{% duration None %}") == "–"
    assert "never" in render("{% when None 'never' %}")


def test_a_short_id_copies_the_whole_one():
    html = render("{% short_id id %}", id="01976a2e-7c1f-7d3a-9b1e-5f60c3d4e5f6")
    assert ">c3d4e5f6</code>" in html
    assert 'data-copy="01976a2e-7c1f-7d3a-9b1e-5f60c3d4e5f6"' in html


@pytest.mark.parametrize(("part", "whole", "shown"), [(3, 40, "8"), (0, 0, "0"), (1, 1, "100")])
def test_a_share_is_a_bar_and_a_figure(part, whole, shown):
    html = render("{% share part whole %}", part=part, whole=whole)
    assert f'width="{shown}%"' in html
    assert f"{shown}&nbsp;%" in html


def test_findings_are_counted_and_say_where():
    finding = {"severity": "error", "code": "x.y", "node": "Pay", "field": "Amount", "message": "<b>", "url": "#pay"}
    html = render("{% include '_problems.html' %}", findings=[finding, {**finding, "severity": "warning"}])
    assert "1 error" in html
    assert "1 warning" in html
    assert "&lt;b&gt;" in html
    assert '<a href="#pay">Pay · Amount</a>' in html


def test_no_findings_show_nothing():
    assert render("{% include '_problems.html' %}", findings=[]).strip() == ""


def test_code_is_escaped_and_its_marked_lines_stand_out():
    html = code_view.draw("a: <b>\n# why\nb: 2", yaml=True, marked=[3])
    assert '<span class="code-key">a</span>: &lt;b&gt;' in html
    assert '<span class="code-comment"># why</span>' in html
    assert html.count("code-line-marked") == 1


@pytest.mark.parametrize(("name", "letters"), [("Mara Lind", "ML"), ("ops@example.org", "oe"), ("", "")])
def test_a_person_has_initials(name, letters):
    assert render("{{ name|initials }}", name=name) == letters
