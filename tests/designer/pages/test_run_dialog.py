"""The Run dialog: two ways to run, what stands in for whom, what is kept, and who may do which."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from demo.models import StockItem
from engine.models import Instance
from flows import library
from flows.models import Flow, HttpFunction, InputSample, LibraryFunction
from flows.publishing import import_flow
from tests.designer.pages.real import FLOWS, ORDER, run, text_of
from tests.factories import FlowFactory, UserFactory, WorkspaceFactory

pytestmark = pytest.mark.django_db

TEXT = (FLOWS / "order-fulfilment.yaml").read_text()
URL = "/flows/order-fulfilment/-/run"
FORM = {
    "input.order_id": "A-7",
    "input.customer": "tim",
    "input.total": "120",
    "input.country": "CH",
    "input.lines.0.sku": "lamp",
    "input.lines.0.quantity": "1",
}
TEST = {**FORM, "mode": "test", "compressed": "yes", "isolated_branch": "yes", "auto_discard": "yes"}
EVERYTHING = {
    "/shop/stock/reserve", "/shop/stock/release", "/shop/courier/book", "/shop/courier/cancel", "/shop/mail/send",
    "/shop/payment/charge", "/shop/payment/refund", "/shop/courier/hand-over",
}  # fmt: skip


@pytest.fixture(autouse=True)
def forgotten_library():
    """A process keeps what the library says for some seconds; a test's own functions are gone by then."""
    yield
    library.forget()


@pytest.fixture
def flow(db):
    UserFactory(username="manager", first_name="Manager")
    return import_flow(WorkspaceFactory(), TEXT, by=None, publish=True).flow


def place(response, path):
    """Where in the form the mock of that path stands."""
    lines = response.context["mock_lines"]
    return next(n for n, line in enumerate(lines) if line.path == path)


def config_of(response):
    assert response.status_code == 302, text_of(response)
    return Instance.objects.get().test_config


# --- what is shown -------------------------------------------------------------------------------------------------------


def test_every_function_that_can_be_reached_has_a_row_and_everything_is_mocked(flow, bob, as_):
    page = as_(bob).get(URL, {"mode": "test"})
    lines = page.context["mock_lines"]
    assert {line.path for line in lines} == EVERYTHING
    assert {entry.told["behavior"] for line in lines for entry in line.row.entries} == {"mock_output"}
    html = text_of(page)
    for words in ("Charge a card", "called by “Charge ‹total›”", "undoes “Charge ‹total›”", "who never hears of it"):
        assert words in html


def test_what_a_real_call_would_do_is_said(flow, bob, as_):
    warnings = {line.path: line.warning for line in as_(bob).get(URL).context["mock_lines"]}
    assert "changes things outside this test" in warnings["/shop/payment/charge"]


def test_a_lost_call_is_said_to_be_a_plain_failure_where_nothing_can_be_left_open(flow, bob, as_):
    Flow.objects.update(draft=TEXT.replace("/shop/courier/book", "/lib/book"))
    LibraryFunction.objects.update_or_create(path="/shop/mail/send", defaults={"override": {"effect": "read"}})
    lines = {line.path: line for line in as_(bob).get(URL, {"mode": "test"}).context["mock_lines"]}
    assert "no manifest" in lines["/lib/book"].if_lost
    assert "changes nothing" in lines["/shop/mail/send"].if_lost
    assert lines["/shop/payment/charge"].if_lost == ""


def test_what_an_isolated_test_refuses_is_said_beside_the_choice(flow, bob, as_):
    html = text_of(as_(bob).get(URL, {"mode": "test"}))
    assert "HTTP functions would be refused, but this flow calls none." in html and "so it is refused" not in html
    LibraryFunction.objects.filter(path="/shop/payment/charge").delete()
    HttpFunction.objects.create(
        path="/shop/payment/charge", title="Charge at the bank", url="https://bank.example.org/"
    )
    html = text_of(as_(bob).get(URL, {"mode": "test"}))
    assert "Here these are: Charge at the bank." in html
    assert html.count("so it is refused: nothing is sent, and its step fails.") == 2  # its answer, and the blank one


def test_each_line_says_in_short_what_was_chosen(flow, bob, as_):
    config = {"mock_functions": {"/shop/payment/charge": [{"behavior": "mock_error"}, {"behavior": "mock_timeout"}]}}
    sample = InputSample.objects.create(flow=flow, title="Late", input=ORDER, test_config=config)
    lines = {line.path: line.gist for line in as_(bob).get(URL, {"sample": sample.pk}).context["mock_lines"]}
    assert lines["/shop/payment/charge"] == "fails with … · never answers"
    assert lines["/shop/mail/send"] == "real"


def test_the_last_real_answer_can_be_pinned(flow, bob, as_):
    StockItem.objects.create(sku="lamp", title="Lamp", available=9)
    real = run(flow.versions.get(), user=bob, **ORDER)
    assert real.status == "completed"
    pinned = {line.path: line.pinned for line in as_(bob).get(URL, {"mode": "test"}).context["mock_lines"]}
    assert json.loads(pinned["/shop/stock/reserve"])["reservation"].startswith("R-")
    assert pinned["/shop/payment/refund"] == ""


def test_a_flow_without_a_version_can_only_be_tested(flow, bob, as_):
    FlowFactory(path="/flows/draft", draft="nodes: []")
    page = as_(bob).get("/flows/draft/-/run")
    assert page.context["mode"] == "test"
    assert "Publish it first" in text_of(page)
    assert as_(bob).post("/flows/draft/-/run", {"mode": "real", "json": "{}"}).status_code == 400
    assert not Instance.objects.exists()


def test_a_draft_that_cannot_be_read_is_said_and_real_runs_go_on(flow, bob, as_):
    Flow.objects.filter(pk=flow.pk).update(draft="nodes: [")
    page = as_(bob).get(URL, {"mode": "test"})
    assert "The draft cannot be read" in text_of(page)
    assert as_(bob).post(URL, TEST).status_code == 400
    assert as_(bob).post(URL, {**FORM, "mode": "real"}).status_code == 302


@pytest.mark.parametrize(
    "text",
    [
        "nodes: 7",
        "nodes: [1, {id: a}]",
        "{nodes: [], input_schema: 7}",
        "{nodes: [], input_schema: {type: nonsense}}",
        "nodes: [{id: s, node_type: raisin:FlowContainer, container_type: ai_sequence, ai_config: {explicit_tools: 3}}]",
        "nodes: [{id: t, node_type: raisin:FlowStep, properties: {step_type: human_task, task_type: 3, options: 3}}]",
    ],
)
def test_a_draft_in_any_shape_has_a_dialog(text, flow, bob, as_):
    Flow.objects.filter(pk=flow.pk).update(draft=text)
    assert as_(bob).get(URL, {"mode": "test"}).status_code == 200
    assert as_(bob).post(URL, {"mode": "test", "json": "{}", "draft-json": "{}"}).status_code in (302, 400)


def test_a_draft_that_asks_for_other_input_has_fields_of_its_own(flow, bob, as_):
    text = TEXT.replace(
        "order_id: { type: string, title: Order number", "order_id: { type: string, title: Number of the order"
    )
    Flow.objects.filter(pk=flow.pk).update(draft=text)
    html = text_of(as_(bob).get(URL))
    assert 'name="input.order_id"' in html and 'name="draft.order_id"' in html
    sent = {name.replace("input.", "draft."): value for name, value in TEST.items()}
    wrong = as_(bob).post(URL, {**sent, "draft.total": "-5"})
    assert "total: -5 is less than the minimum of 0" in text_of(wrong)
    assert as_(bob).post(URL, sent).status_code == 302
    assert Instance.objects.get().input == ORDER


# --- starting ------------------------------------------------------------------------------------------------------------


def test_a_real_run_is_what_it_is_without_a_word(flow, bob, as_):
    assert as_(bob).post(URL, FORM).status_code == 302
    assert Instance.objects.get().is_test is False


def test_a_test_run_mocks_all_that_nobody_spoke_of(flow, bob, as_):
    config = config_of(as_(bob).post(URL, TEST))
    assert config["default_behavior"] == "mock_output"
    assert set(config["mock_functions"]) == EVERYTHING
    assert (config["time"], config["isolated_branch"], config["auto_discard"]) == ("compressed", True, True)
    assert Instance.objects.get().is_test is True


@pytest.mark.parametrize(
    ("typed", "behaviours"),
    [
        ({"behavior": "real"}, [{"behavior": "real"}]),
        ({"behavior": "passthrough", "delay": "20"}, [{"behavior": "passthrough", "mock_delay_ms": 20}]),
        ({"behavior": "mock_output", "output": '{"id": 1}'}, [{"behavior": "mock_output", "mock_output": {"id": 1}}]),
        ({"behavior": "mock_timeout"}, [{"behavior": "mock_timeout"}]),
        ({"behavior": "mock_unknown", "message": "lost"}, [{"behavior": "mock_unknown", "message": "lost"}]),
        (
            {"behavior": "mock_error", "message": "no", "code": "card_declined", "status": "402"},
            [{"behavior": "mock_error", "mock_error": {"message": "no", "code": "card_declined", "status": 402}}],
        ),
        (
            {"behavior": "mock_error", "times": "2", "output": "7"},
            [{"behavior": "mock_error", "mock_error": {}}] * 2 + [{"behavior": "mock_output", "mock_output": 7}],
        ),
    ],
    ids=lambda value: str(value)[:50],
)  # fmt: skip
def test_each_behaviour_means_what_it_says(typed, behaviours, flow, bob, as_):
    n = place(as_(bob).get(URL), "/shop/payment/charge")
    sent = {f"mock.{n}.0.{name}": value for name, value in typed.items()}
    assert config_of(as_(bob).post(URL, {**TEST, **sent}))["mock_functions"]["/shop/payment/charge"] == behaviours


def test_consecutive_calls_have_answers_of_their_own_whatever_their_numbers(flow, bob, as_):
    n = place(as_(bob).get(URL), "/shop/payment/charge")
    sent = {f"mock.{n}.0.behavior": "mock_timeout", f"mock.{n}.7.behavior": "mock_output", f"mock.{n}.7.output": "1"}
    told = config_of(as_(bob).post(URL, {**TEST, **sent}))["mock_functions"]["/shop/payment/charge"]
    assert [each["behavior"] for each in told] == ["mock_timeout", "mock_output"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"reply": "choice:refuse"}, [{"response": {"action": "refuse"}}]),
        ({"reply": "answer", "response": '{"action": "clear"}'}, [{"response": {"action": "clear"}}]),
        ({"reply": "expire"}, [{"behavior": "expire"}]),
    ],
)  # fmt: skip
def test_people_are_answered_for(reply, expected, flow, bob, as_):
    config = config_of(as_(bob).post(URL, {**TEST, **{f"task.0.0.{name}": value for name, value in reply.items()}}))
    assert config["mock_tasks"] == {"risk_review": expected}


def test_without_a_word_people_are_waited_for(flow, bob, as_):
    assert "mock_tasks" not in config_of(as_(bob).post(URL, {**TEST, "task.0.0.reply": "wait"}))


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"behavior": "mock_output", "output": "{"}, "This is not JSON"),
        ({"behavior": "mock_error", "status": "four"}, "a whole number from 100"),
        ({"behavior": "mock_error", "times": "0"}, "a whole number from 1"),
        ({"behavior": "mock_output", "output": "1", "delay": "-1"}, "a whole number from 0"),
    ],
)
def test_what_cannot_be_read_is_told_at_its_field_and_nothing_is_lost(typed, words, flow, bob, as_):
    n = place(as_(bob).get(URL), "/shop/payment/charge")
    answer = as_(bob).post(URL, {**TEST, **{f"mock.{n}.0.{name}": value for name, value in typed.items()}})
    html = text_of(answer)
    assert answer.status_code == 400 and words in html
    assert answer.context["mock_lines"][n].row.entries[0].told.items() >= typed.items()
    assert 'value="A-7"' in html
    assert not Instance.objects.exists()


def test_a_draft_with_errors_is_refused_with_their_places(flow, bob, as_):
    Flow.objects.filter(pk=flow.pk).update(draft=TEXT.replace("next_step: refuse }", "next_step: nowhere }"))
    answer = as_(bob).post(URL, TEST)
    assert answer.status_code == 400
    assert "verdict" in text_of(answer)
    assert not Instance.objects.exists()


def test_the_same_form_starts_one_run_however_often_it_is_sent(flow, bob, as_):
    client = as_(bob)
    assert len({client.post(URL, {**TEST, "key": "k"})["Location"] for _ in range(2)}) == 1


# --- inputs to begin with ------------------------------------------------------------------------------------------------


def test_an_input_is_kept_with_its_mocks_and_taken_again(flow, bob, as_):
    client = as_(bob)
    n = place(client.get(URL), "/shop/payment/charge")
    kept = client.post(URL, {**TEST, f"mock.{n}.0.behavior": "mock_timeout", "do": "keep", "title": "Never paid"})
    assert not Instance.objects.exists()
    page = client.get(kept["Location"])
    assert page.context["mode"] == "test"
    assert page.context["mock_lines"][n].row.entries[0].told["behavior"] == "mock_timeout"
    assert 'value="A-7"' in text_of(page)


def test_a_sample_kept_again_replaces_the_one_of_that_name(flow, bob, as_):
    for total in ("1", "2"):
        as_(bob).post(URL, {**FORM, "input.total": total, "do": "keep", "title": "Small"})
    assert InputSample.objects.get().input["total"] == 2


def test_a_sample_needs_a_name(flow, bob, as_):
    assert "Give the sample a name" in text_of(as_(bob).post(URL, {**FORM, "do": "keep", "title": " "}))
    assert not InputSample.objects.exists()


def test_the_last_inputs_are_there_to_be_taken_again(flow, bob, as_):
    earlier = run(flow.versions.get(), user=bob, **ORDER)
    html = text_of(as_(bob).get(URL))
    assert "A-7 · tim · 120" in html
    assert 'value="A-7"' in text_of(as_(bob).get(URL, {"from": str(earlier.pk)}))


def test_a_test_run_is_taken_again_with_its_mocks(flow, bob, as_):
    client = as_(bob)
    n = place(client.get(URL), "/shop/payment/charge")
    fails = {
        f"mock.{n}.0.{name}": value for name, value in {"behavior": "mock_error", "times": "2", "output": "7"}.items()
    }
    client.post(URL, {**TEST, **fails, "task.0.0.reply": "choice:clear"})
    earlier = Instance.objects.get()
    page = client.get(URL, {"from": str(earlier.pk), "mode": "test"})
    entries = page.context["mock_lines"][n].row.entries
    assert [(each.told["behavior"], each.told.get("times")) for each in entries] == [
        ("mock_error", "2"),
        ("mock_output", None),
    ]
    assert page.context["task_lines"][0].row.entries[0].told["reply"] == "choice:clear"


# --- who may -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "status"), [("bob", 302), ("eve", 403), ("charlie", 404)])
def test_who_may_test(who, status, flow, request, as_):
    assert as_(request.getfixturevalue(who)).post(URL, TEST).status_code == status


def test_who_may_only_run_cannot_test(flow, as_):
    runs = UserFactory(username="rob", is_staff=True)
    runs.user_permissions.add(Permission.objects.get(codename="run_flow"))
    page = as_(runs).get(URL, {"mode": "test"})
    assert "You may not start test runs" in text_of(page)
    assert as_(runs).post(URL, TEST).status_code == 400
    assert as_(runs).post(URL, FORM).status_code == 302


def test_a_sample_is_deleted_by_whoever_kept_it_or_may_change_the_flow(flow, bob, eve, ada, as_):
    for _again in range(2):
        as_(bob).post(URL, {**FORM, "do": "keep", "title": "Small"})
        url = reverse("drop-sample", args=[flow.path, InputSample.objects.get().pk])
        other = UserFactory(groups=["Operators"])
        assert [as_(each).post(url).status_code for each in (eve, other)] == [403, 403]
        assert as_(ada if _again else bob).post(url).status_code == 302
        assert as_(bob).post(url).status_code == 404


def test_a_sample_of_another_flow_is_not_found(flow, bob, as_):
    other = FlowFactory()
    sample = InputSample.objects.create(flow=other, title="x", input={})
    assert as_(bob).get(URL, {"sample": sample.pk}).status_code == 404
    assert as_(bob).get(URL, {"sample": "x"}).status_code == 404
