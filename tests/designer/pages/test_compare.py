"""The page that compares two versions of a flow: what it compares, and for whom."""

import json
from itertools import pairwise

import pytest

from flows.models import Flow
from flows.publishing import import_flow, publish, save_draft
from tests.designer.pages.real import FLOWS
from tests.factories import WorkspaceFactory

pytestmark = pytest.mark.django_db

TEXT = (FLOWS / "order-fulfilment.yaml").read_text()
URL = "/flows/order-fulfilment/-/compare"
NAMES = ("Reserve the goods", "Set the goods aside", "Keep the goods", "Hold the goods")


@pytest.fixture
def flow(db) -> Flow:
    """Versions 1 to 3, each with another name for one step, and a draft with a fourth."""
    flow = import_flow(WorkspaceFactory(), TEXT, by=None, publish=True).flow
    for before, after in pairwise(NAMES):
        flow = save_draft(flow, flow.draft.replace(before, after), revision=flow.revision, by=None)
        if after != NAMES[-1]:
            publish(flow, by=None)
    return flow


def compared(client, query: str) -> tuple[str, str]:
    """Under which name the step goes before and after."""
    html = client.get(URL + query).content.decode()
    data = json.loads(html.partition('id="compare-data" type="application/json">')[2].partition("</script>")[0])
    before, after = (json.dumps(data[side]) for side in ("before", "after"))
    return tuple(next(name for name in NAMES if name in side) for side in (before, after))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (2, 3)),
        ("?before=1", (0, 3)),
        ("?after=2", (0, 1)),
        ("?after=1", (0, 0)),
        ("?before=3&after=1", (2, 0)),
        ("?before=draft&after=draft", (3, 3)),
    ],
)
def test_the_address_says_what_is_compared(flow, eve, as_, query, expected):
    before, after = expected
    assert compared(as_(eve), query) == (NAMES[before], NAMES[after])


def test_both_sides_can_be_chosen(flow, eve, as_):
    html = as_(eve).get(f"{URL}?before=1&after=2").content.decode()
    assert '<option value="1" selected>Version 1</option>' in html
    assert '<option value="2" selected>Version 2</option>' in html
    assert html.count('<option value="draft">The draft</option>') == 2


@pytest.mark.parametrize(
    "query", ["?before=4", "?after=0", "?before=x", "?before=²", "?after=-1", f"?before={'9' * 40}"]
)
def test_a_version_that_is_not_there_is_not_found(flow, eve, as_, query):
    assert as_(eve).get(URL + query).status_code == 404


def test_without_a_version_the_page_says_what_it_is_for(db, eve, as_):
    import_flow(WorkspaceFactory(), TEXT, by=None, draft=True)
    html = as_(eve).get(URL).content.decode()
    assert "Nothing is published yet" in html
    assert "compare-data" not in html


def test_a_draft_that_cannot_be_read_is_said_and_versions_are_still_compared(flow, eve, as_):
    Flow.objects.filter(pk=flow.pk).update(draft="a: [1")
    html = as_(eve).get(URL).content.decode()
    assert "The draft cannot be read" in html
    assert "compare-data" not in html
    assert compared(as_(eve), "?before=1&after=2") == NAMES[:2]


def test_a_stranger_may_not_know_of_the_flow(flow, charlie, as_):
    assert as_(charlie).get(URL).status_code == 404


def test_versions_lead_to_their_comparison(flow, eve, as_):
    html = as_(eve).get("/flows/order-fulfilment/?tab=versions").content.decode()
    assert f'href="{URL}?before=2"' in html
    assert f'href="{URL}?after=2"' in html
    assert f'href="{URL}?after=1"' not in html
    assert f'href="{URL}?before=1"' in as_(eve).get("/flows/order-fulfilment/-/versions/1").content.decode()


def test_comparing_costs_a_fixed_number_of_queries(flow, eve, as_, queries):
    client = as_(eve)
    few = queries(client, URL)
    for before, after in pairwise((NAMES[-1], "Guard the goods", "Count the goods", "Weigh the goods")):
        flow = save_draft(flow, flow.draft.replace(before, after), revision=flow.revision, by=None)
        publish(flow, by=None)
    assert queries(client, URL) == few
