"""What happens if a step fails, told before it does: the page, and the same over the API."""

import pytest

from flows.publishing import import_flow
from tests.designer.api.conftest import Program
from tests.designer.pages.real import FLOWS, text_of
from tests.factories import UserFactory, WorkspaceFactory

pytestmark = pytest.mark.django_db

TEXT = (FLOWS / "order-fulfilment.yaml").read_text()
URL = "/flows/order-fulfilment/-/if-it-fails/"


@pytest.fixture
def flow(db):
    UserFactory(username="manager", first_name="Manager")
    return import_flow(WorkspaceFactory(), TEXT, by=None, publish=True).flow


def test_the_page_tells_retries_and_what_is_undone_newest_first(flow, eve, as_):
    html = text_of(as_(eve).get(f"{URL}hand_over"))
    places = [
        html.index(words)
        for words in (
            "It is tried 5 more times",
            "The run fails. What was done until then is undone, the newest first:",
            "Refund a charge takes “Charge ‹total›” back",
            "Cancel the courier takes “Book a courier to ‹country›” back",
            "Release goods takes “Reserve the goods” back",
        )
    ]
    assert places == sorted(places)


def test_the_page_tells_where_a_deadline_leads(flow, eve, as_):
    html = text_of(as_(eve).get(f"{URL}risk_review"))
    assert "When its time is up" in html
    assert "The run goes on at “Tell the duty manager that nobody checked”" in html


def test_each_step_of_the_outline_leads_there(flow, eve, as_):
    html = as_(eve).get("/flows/order-fulfilment/").content.decode()
    assert f'href="{URL}hand_over"' in html
    version = as_(eve).get("/flows/order-fulfilment/-/versions/1").content.decode()
    assert f'href="{URL}hand_over?version=1"' in version


def test_a_draft_with_errors_leads_to_them(flow, eve, as_):
    flow.draft = flow.draft.replace("timeout_edge: review_missed", "timeout_edge: nowhere")
    flow.save(update_fields=["draft"])
    response = as_(eve).get(f"{URL}hand_over")
    assert response.status_code == 200
    assert "The draft has errors" in text_of(response)
    assert "It is tried" in text_of(as_(eve).get(f"{URL}hand_over?version=1"))


@pytest.mark.parametrize("place", ["nothing", "hand_over?version=7", "hand_over?version=x"])
def test_what_is_not_there_is_not_found(flow, eve, as_, place):
    assert as_(eve).get(URL + place).status_code == 404


def test_strangers_see_nothing(flow, charlie, as_):
    assert as_(charlie).get(f"{URL}hand_over").status_code == 404


def asked(user, **query):
    return Program(user).get("/api/flows/default/if-it-fails", {"flow_path": "/flows/order-fulfilment", **query})


def test_the_api_tells_the_same(flow, eve):
    found = asked(eve, step="hand_over").json()
    [failure, *_] = found["ways"]
    assert (found["version"], failure["how"]) == (None, "failure")
    assert [line["row"] for line in failure["lines"]] == ["retries", "rolls_back"]
    assert failure["lines"][1]["undo"][0] == "Refund a charge takes “Charge ‹total›” back"
    assert asked(eve, step="hand_over", version=1).json()["ways"] == found["ways"]


@pytest.mark.parametrize(
    ("query", "status"), [({"step": "x"}, 404), ({"step": "hand_over", "version": 9}, 404), ({}, 400)]
)
def test_the_api_refuses_what_is_not_there(flow, eve, query, status):
    assert asked(eve, **query).status_code == status


def test_the_api_refuses_a_draft_with_errors(flow, eve):
    flow.draft = flow.draft.replace("timeout_edge: review_missed", "timeout_edge: nowhere")
    flow.save(update_fields=["draft"])
    refused = asked(eve, step="hand_over")
    assert refused.status_code == 409
    assert "errors" in refused.json()["message"]
