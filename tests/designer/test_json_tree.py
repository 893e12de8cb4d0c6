import json
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from designer.json_tree import MAX_ENTRIES, MAX_LINES, MAX_TEXT, Tree

texts = st.text() | st.sampled_from(["<script>", "</details>", "<img src=x onerror=alert(1)>", "{{7*7}}", '"><b>'])
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4))
OURS = {"div", "ul", "li", "span", "details", "summary", "a"}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@given(values)
def test_any_value_is_drawn_with_our_tags_alone_and_each_is_closed(value):
    tags = Tags()
    tags.feed(Tree().draw(value))
    tags.close()
    assert tags.seen <= OURS
    assert not tags.open


def test_values_are_shown_as_json_writes_them_with_their_type():
    html = Tree().draw({"paid": True, "note": None, "total": 49.5, "lines": [], "who": "Zoë & Co"})
    for part in ("true</span>", "null", "49.5", "[]", "empty list", "“Zoë &amp; Co”", "object, 5 entries"):
        assert part in html


def test_a_long_list_is_cut_and_offers_the_download():
    html = Tree(download="/all.json").draw(list(range(MAX_ENTRIES + 7)))
    assert "7 more entries are left out here." in html
    assert 'href="/all.json"' in html


def test_a_long_text_is_folded_and_cut():
    html = Tree().draw({"letter": "x" * (MAX_TEXT + 1)})
    assert f"text of {MAX_TEXT + 1} characters" in html
    assert "1 more character is left out here." in html


def test_a_large_value_makes_a_small_page():
    value = {f"row {n}": {f"cell {m}": m for m in range(90)} for n in range(90)}
    html = Tree().draw(value)
    assert html.count("<li>") <= MAX_LINES + 91
    assert len(html) < len(json.dumps(value)) * 4


def test_a_value_nested_past_reason_is_cut():
    value: list[object] = []
    for _ in range(5_000):
        value = [value]
    assert "Deeper levels are left out here." in Tree().draw(value)


def test_a_huge_number_costs_no_time():
    assert "more than 3,000 digits" in Tree().draw(10**50_000)
