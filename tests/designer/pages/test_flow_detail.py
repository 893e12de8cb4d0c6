"""One flow: outline in words, text with the doctor beside it, versions, and the form that starts a run."""

import pytest
from django.urls import reverse

from engine.models import Instance
from flows.models import Flow
from flows.publishing import export_flow, import_flow
from tests.designer.pages.real import FLOWS, ORDER, text_of
from tests.factories import FlowFactory, UserFactory, WorkspaceFactory

pytestmark = pytest.mark.django_db

TEXT = (FLOWS / "order-fulfilment.yaml").read_text()
URL = "/flows/order-fulfilment/"


@pytest.fixture
def ed(db):
    return UserFactory(username="ed", groups=["Flow editors"])


@pytest.fixture
def flow(db):
    UserFactory(username="manager", first_name="Manager")
    return import_flow(WorkspaceFactory(), TEXT, by=None, publish=True).flow


def page(client, tab):
    return text_of(client.get(URL, {"tab": tab}))


# --- outline ---------------------------------------------------------------------------------------------------------


def test_the_outline_says_what_each_step_does(flow, eve, as_):
    html = page(as_(eve), "outline")
    for words in (
        "Charge ‹total›",
        "Calls Charge a card",
        "Undone by Refund a charge",
        "Asks Manager",
        "Answers: Clear the order, Refuse the order",
        "if input.total &gt; 800 || steps.book_courier.abroad == true",
        "When the time is up: “Tell the duty manager that nobody checked”",
        "On an error the flow goes on",
        "Tried again up to 2 times",
    ):
        assert words in html


@pytest.mark.parametrize(
    "text", ["", "nodes: 7", "nodes: [1, {id: a}]", "a: [1", "nodes: [{node_type: x, properties: 3}]"]
)
def test_a_draft_in_any_shape_has_a_page(text, eve, as_):
    FlowFactory(path="/flows/order-fulfilment", draft=text)
    for tab in ("outline", "yaml", "versions", "runs", "nonsense"):
        assert as_(eve).get(URL, {"tab": tab}).status_code == 200


# --- the text --------------------------------------------------------------------------------------------------------


def test_saving_keeps_the_text_and_counts_the_revision(flow, ed, as_):
    text = TEXT.replace("Reserve the goods", "Set the goods aside")
    response = as_(ed).post(
        reverse("flow-draft", args=[flow.path]), {"text": text, "revision": flow.revision}, follow=True
    )
    assert "is saved" in text_of(response)
    before = flow.revision
    flow.refresh_from_db()
    assert (flow.draft, flow.revision, flow.changed_by) == (text, before + 1, ed)


def test_saving_over_somebody_elses_change_is_refused_and_keeps_the_text(flow, ed, as_):
    url, stale = reverse("flow-draft", args=[flow.path]), flow.revision
    as_(ed).post(url, {"text": TEXT + "# theirs\n", "revision": stale})
    response = as_(ed).post(url, {"text": TEXT + "# mine\n", "revision": stale})
    assert response.status_code == 409
    assert "Somebody else saved this flow" in text_of(response)
    assert "# mine" in text_of(response)
    flow.refresh_from_db()
    assert flow.draft.endswith("# theirs\n")


def test_text_that_is_no_flow_is_not_saved_and_says_the_line(flow, ed, as_):
    response = as_(ed).post(reverse("flow-draft", args=[flow.path]), {"text": "a: [1", "revision": flow.revision})
    assert response.status_code == 400
    assert "line " in text_of(response)
    flow.refresh_from_db()
    assert flow.draft == TEXT


def test_checking_shows_findings_and_saves_nothing(flow, ed, as_):
    text = TEXT.replace("next_step: refuse }", "next_step: nowhere }")
    sent = {"text": text, "revision": flow.revision, "check": "yes"}
    html = text_of(as_(ed).post(reverse("flow-draft", args=[flow.path]), sent))
    assert "INVALID_RULE_TARGET" in html
    assert 'href="#L' in html
    assert "Not saved yet." in html
    flow.refresh_from_db()
    assert flow.draft == TEXT


def test_who_may_only_look_sees_the_text_without_a_form(flow, eve, as_):
    html = page(as_(eve), "yaml")
    assert "code-view" in html
    assert "Save draft" not in html


# --- versions --------------------------------------------------------------------------------------------------------


def test_publishing_makes_the_next_version_once(flow, ed, as_):
    client = as_(ed)
    text = TEXT.replace("Reserve the goods", "Set the goods aside")
    client.post(reverse("flow-draft", args=[flow.path]), {"text": text, "revision": flow.revision})
    flow.refresh_from_db()
    sent = {"revision": flow.revision, "note": "Clearer words"}
    for said in ("Version 2 is published.", "says the same already"):
        assert said in text_of(client.post(reverse("publish-flow", args=[flow.path]), sent, follow=True))
    assert list(flow.versions.values_list("number", "note")) == [(2, "Clearer words"), (1, "")]
    html = page(client, "versions")
    assert "Clearer words" in html
    assert f"{URL}-/versions/1" in html


def test_a_draft_that_changed_since_it_was_looked_at_is_not_published(flow, ed, as_):
    response = as_(ed).post(reverse("publish-flow", args=[flow.path]), {"revision": flow.revision - 1}, follow=True)
    assert "Somebody saved this flow meanwhile" in text_of(response)
    assert flow.versions.count() == 1


def test_a_draft_with_errors_is_saved_but_not_published(flow, ed, as_):
    text = TEXT.replace("next_step: refuse }", "next_step: nowhere }")
    as_(ed).post(reverse("flow-draft", args=[flow.path]), {"text": text, "revision": flow.revision})
    flow.refresh_from_db()
    assert "Publish version" not in page(as_(ed), "outline")
    response = as_(ed).post(reverse("publish-flow", args=[flow.path]), {"revision": flow.revision}, follow=True)
    assert "nothing was published" in text_of(response)
    assert flow.versions.count() == 1


def test_a_version_can_be_looked_at_and_exported(flow, eve, as_):
    assert "Reserve the goods" in text_of(as_(eve).get(f"{URL}-/versions/1"))
    assert as_(eve).get(f"{URL}-/versions/7").status_code == 404
    yaml = as_(eve).get(f"{URL}-/export.yaml?version=1")
    assert yaml.content.decode() == TEXT
    assert yaml["Content-Disposition"] == 'attachment; filename="order-fulfilment-1.node.yaml"'
    assert as_(eve).get(f"{URL}-/export.json").content.decode() == export_flow(flow, "json")
    assert as_(eve).get(f"{URL}-/export.exe").status_code == 404


# --- running ---------------------------------------------------------------------------------------------------------

FORM = {
    "input.order_id": "A-7",
    "input.customer": "tim",
    "input.total": "120",
    "input.country": "CH",
    "input.lines.0.sku": "lamp",
    "input.lines.0.quantity": "1",
}


def test_the_form_starts_a_run_and_leads_to_it(flow, bob, as_):
    client, url = as_(bob), reverse("run-form", args=[flow.path])
    assert "Order number" in text_of(client.get(url))
    places = {client.post(url, {**FORM, "key": "k"})["Location"] for _ in range(2)}
    started = Instance.objects.get()
    assert places == {reverse("run-detail", args=[started.pk])}
    assert (started.input, started.started_by) == (ORDER, bob)


def test_a_wrong_value_is_told_at_its_field_and_nothing_is_lost(flow, bob, as_):
    response = as_(bob).post(
        reverse("run-form", args=[flow.path]), {**FORM, "input.total": "-5", "input.customer": "Zoë"}
    )
    html = text_of(response)
    assert response.status_code == 400
    assert "-5 is less than the minimum of 0" in html
    assert 'value="Zoë"' in html
    assert not Instance.objects.exists()


def test_a_number_that_is_missing_is_told_at_its_field(flow, bob, as_):
    html = text_of(as_(bob).post(reverse("run-form", args=[flow.path]), {**FORM, "input.total": ""}))
    assert "total: This is needed." in html


@pytest.mark.parametrize(
    ("text", "words"), [("{", "This is not JSON"), ("[]", "must be a JSON object"), ("{}", "is needed")]
)
def test_json_that_does_not_fit_says_why_and_stays(text, words, flow, bob, as_):
    response = as_(bob).post(reverse("run-form", args=[flow.path]) + "?as=json", {"json": text})
    assert response.status_code == 400
    assert words in text_of(response)
    assert not Instance.objects.exists()


def test_a_flow_that_is_off_or_unpublished_is_not_run(flow, bob, as_):
    Flow.objects.filter(pk=flow.pk).update(enabled=False)
    assert "This flow is switched off." in page(as_(bob), "outline")
    answer = as_(bob).post(reverse("run-form", args=[flow.path]), FORM)
    assert answer.status_code == 400
    assert "This flow is switched off." in text_of(answer)
    assert not Instance.objects.exists()


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "sees", "runs", "changes"), [
    ("ed", 200, 200, 302), ("bob", 200, 200, 403), ("eve", 200, 403, 403), ("charlie", 404, 404, 404),
])  # fmt: skip
def test_who_sees_runs_and_changes_a_flow(who, sees, runs, changes, flow, request, as_):
    client = as_(request.getfixturevalue(who))
    assert client.get(URL).status_code == sees
    assert client.get(f"{URL}-/export.yaml").status_code == sees
    assert client.get(reverse("run-form", args=[flow.path])).status_code == runs
    for name in ("flow-draft", "publish-flow", "switch-flow"):
        sent = {"text": TEXT, "revision": flow.revision, "enabled": "yes"}
        assert client.post(reverse(name, args=[flow.path]), sent).status_code == changes


def test_signed_out_people_sign_in(flow, as_):
    for name in ("flow-detail", "run-form"):
        assert as_(None).get(reverse(name, args=[flow.path]))["Location"].startswith("/sign-in")


@pytest.mark.parametrize("name", ["flow-draft", "publish-flow", "switch-flow"])
def test_changes_are_only_taken_by_post(name, flow, ed, as_):
    assert as_(ed).get(reverse(name, args=[flow.path])).status_code == 405


def test_switching_off_twice_is_harmless(flow, ed, as_):
    for _ in range(2):
        as_(ed).post(reverse("switch-flow", args=[flow.path]), {"enabled": "no"})
    flow.refresh_from_db()
    assert not flow.enabled


def test_a_flow_in_another_place_has_an_address_too(eve, as_):
    flow = FlowFactory(path="/elsewhere/deep/one", title="Deep")
    inside = FlowFactory(path="/flows/team/two", title="Two")
    assert "Deep" in text_of(as_(eve).get(reverse("flow-detail", args=[flow.path])))
    assert reverse("flow-detail", args=[inside.path]) == "/flows/team/two/"
    assert "Two" in text_of(as_(eve).get("/flows/team/two/"))
