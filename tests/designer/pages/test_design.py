"""The designer's questions: who may ask them, what a save keeps, and how it is refused."""

import json
from typing import Any

import pytest

from designer.presenters.design import published_ids
from flows.loader import load
from flows.models import Flow
from flows.publishing import import_flow, save_draft
from tests.designer.pages.real import FLOWS
from tests.factories import UserFactory, WorkspaceFactory

pytestmark = pytest.mark.django_db

TEXT = (FLOWS / "order-fulfilment.yaml").read_text()
URL = "/flows/order-fulfilment/-/design"


@pytest.fixture
def flow(db) -> Flow:
    return import_flow(WorkspaceFactory(), TEXT, by=None, publish=True).flow


@pytest.fixture
def ed(db):
    return UserFactory(username="ed", groups=["Flow editors"])


def post(client: Any, what: str, **sent: Any) -> Any:
    return client.post(f"{URL}/{what}", json.dumps(sent), content_type="application/json")


def retitled(flow: Flow, name: str = "Set the goods aside") -> str:
    return flow.draft.replace("Reserve the goods", name)


def test_the_page_carries_all_it_needs(flow, eve, as_):
    html = as_(eve).get(URL).content.decode()
    assert 'id="design-start"' in html
    start = json.loads(html.partition('id="design-start" type="application/json">')[2].partition("</script>")[0])
    assert start["can"] == {"change": False, "publish": False, "run": False}
    assert start["state"]["content"] == load(TEXT).content
    assert start["catalogue"]["kinds"]["by_name"].keys() >= {"function", "loop"}


@pytest.mark.parametrize("what", ["", "/draft", "/versions/1"])
def test_a_stranger_may_not_know_of_the_flow(flow, charlie, as_, what):
    assert as_(charlie).get(URL + what).status_code == 404


def test_who_may_look_may_not_save_or_publish(flow, eve, as_):
    assert post(as_(eve), "draft", revision=flow.revision, text=retitled(flow)).status_code == 403
    assert post(as_(eve), "publish", revision=flow.revision).status_code == 403


ASKED = [
    ("draft", {"text": TEXT}),
    ("check", {"text": TEXT}),
    ("publish", {}),
    ("draft", None),
    ("versions/1", None),
]


@pytest.mark.parametrize(
    ("what", "sent"), ASKED, ids=[f"{'GET' if sent is None else 'POST'} {what}" for what, sent in ASKED]
)
@pytest.mark.parametrize("who", ["nobody", "charlie", "eve", "ed"])
def test_each_role_gets_from_each_address_what_it_may_and_no_more(flow, ed, eve, charlie, as_, who, what, sent):
    """Rights are checked where something is done, whatever page the question comes from."""
    client = as_({"nobody": None, "charlie": charlie, "eve": eve, "ed": ed}[who])
    answer = client.get(f"{URL}/{what}") if sent is None else post(client, what, revision=flow.revision, **sent)
    looks = what == "check" or sent is None
    expected = {"nobody": 401, "charlie": 404, "eve": 200 if looks else 403, "ed": 200}
    assert answer.status_code == expected[who]
    flow.refresh_from_db()
    assert (flow.draft, flow.versions.count()) == (TEXT, 1)


@pytest.mark.parametrize("url", [URL, URL.replace("/design", "/export.yaml")])
def test_a_draft_that_cannot_be_read_is_shown_as_text(url, flow, eve, as_):
    type(flow).objects.update(draft="a: [")
    answer = as_(eve).get(url, follow=True)
    assert answer.status_code == 200 and answer.redirect_chain[0][0].endswith("?tab=yaml")
    assert "The draft cannot be read" in answer.content.decode()


def test_signed_out_is_said_in_json(flow, as_):
    answer = post(as_(None), "draft", revision=flow.revision, text=retitled(flow))
    assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in")


def test_a_save_answers_with_the_findings_and_keeps_the_text(flow, ed, as_):
    text = retitled(flow).replace("next_step: refuse }", "next_step: nowhere }")
    answer = post(as_(ed), "draft", revision=flow.revision, text=text, content=load(text).content)
    assert answer.status_code == 200
    assert "INVALID_RULE_TARGET" in {each["code"] for each in answer.json()["findings"]}
    flow.refresh_from_db()
    assert flow.draft == text


def test_where_text_and_definition_disagree_the_definition_wins(flow, ed, as_):
    content = load(retitled(flow)).content
    answer = post(as_(ed), "draft", revision=flow.revision, text=TEXT, content=content)
    assert answer.json()["content"] == content
    assert load(answer.json()["text"]).content == content


def test_a_text_that_cannot_be_read_does_not_lose_the_definition(flow, ed, as_):
    content = load(retitled(flow)).content
    assert post(as_(ed), "draft", revision=flow.revision, text="a: [", content=content).json()["content"] == content


@pytest.mark.parametrize("number", [1.0, 12345678901234567890])
def test_numbers_that_a_browser_rounds_keep_the_text(flow, ed, as_, number):
    text = TEXT.replace("timeout_ms: 20000", f"timeout_ms: {number}")
    rounded = json.loads(json.dumps(load(text).content), parse_int=float)
    assert post(as_(ed), "draft", revision=flow.revision, text=text, content=rounded).json()["text"] == text


def test_a_save_of_an_old_revision_is_refused_with_what_is_stored(flow, ed, as_):
    old = flow.revision
    save_draft(flow, retitled(flow), revision=old, by=ed)
    answer = post(as_(ed), "draft", revision=old, text=TEXT)
    assert answer.status_code == 409
    assert answer.json()["now"]["text"] == retitled(flow)


def test_checking_stores_nothing_and_names_the_line(flow, ed, as_):
    answer = post(as_(ed), "check", text="node_type: raisin:Flow\nproperties: [")
    assert (answer.status_code, answer.json()["line"]) == (400, 3)
    assert post(as_(ed), "check", text=retitled(flow)).json()["content"] == load(retitled(flow)).content
    flow.refresh_from_db()
    assert flow.draft == TEXT


def test_publishing_makes_one_version_however_often_it_is_asked(flow, ed, as_):
    saved = save_draft(flow, retitled(flow), revision=flow.revision, by=ed)
    first = post(as_(ed), "publish", revision=saved.revision, note="Clearer").json()
    again = post(as_(ed), "publish", revision=saved.revision, note="Clearer").json()
    assert (first["number"], first["is_new"], again["number"], again["is_new"]) == (2, True, 2, False)
    assert first["versions"][0]["note"] == "Clearer"


def test_a_draft_with_errors_is_not_published_and_says_why(flow, ed, as_):
    text = TEXT.replace("next_step: refuse }", "next_step: nowhere }")
    saved = save_draft(flow, text, revision=flow.revision, by=ed)
    answer = post(as_(ed), "publish", revision=saved.revision)
    assert answer.status_code == 422
    assert "INVALID_RULE_TARGET" in {each["code"] for each in answer.json()["findings"]}


def test_a_version_is_told_with_its_definition(flow, eve, as_):
    answer = as_(eve).get(f"{URL}/versions/1").json()
    assert answer["content"] == load(TEXT).content
    assert as_(eve).get(f"{URL}/versions/9").status_code == 404


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(flow, ed, as_, body):
    answer = as_(ed).post(f"{URL}/check", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_the_api_serves_the_catalogue_to_who_sees_flows(flow, eve, charlie, as_):
    assert "kinds" in as_(eve).get("/api/flows/default/catalogue").json()
    assert as_(charlie).get("/api/flows/default/catalogue").status_code == 403
    assert as_(None).get("/api/flows/default/catalogue").status_code == 401


def test_a_diagram_says_how_each_step_fared(flow):
    from designer.presenters.diagram import diagram

    shown = diagram("Order", load(TEXT).workflow_data, flow.workspace, {"charge_card": "not_run", "verdict": "failed"})
    assert shown["marks"]["charge_card"] == {"status": "not-run", "word": "Not run", "icon": "circle", "tone": "none"}
    assert shown["marks"]["verdict"]["tone"] == "red"
    assert shown["content"]["nodes"]


def test_ids_of_published_versions_are_known_those_of_the_draft_are_not(flow, ed):
    text = flow.draft.replace("id: refuse", "id: refuse_politely").replace(
        "next_step: refuse ", "next_step: refuse_politely "
    )
    saved = save_draft(flow, text, revision=flow.revision, by=ed)
    assert "refuse" in published_ids(saved)
    assert "refuse_politely" not in published_ids(saved)
    assert published_ids(Flow(pk=0)) == []
