"""The list of flows and the beginnings of new ones."""

import zipfile
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from engine.states import Status
from flows.models import Flow
from tests.designer.pages.real import FLOWS, text_of
from tests.factories import FlowFactory, FlowVersionFactory, InstanceFactory, UserFactory

pytestmark = pytest.mark.django_db

NEW = "/flows/-/new"


@pytest.fixture
def ed(db):
    """He edits and publishes."""
    return UserFactory(username="ed", groups=["Flow editors"])


def test_a_row_says_where_the_flow_stands(bob, as_):
    version = FlowVersionFactory(flow__title="Orders", flow__draft="newer")
    for status in (Status.COMPLETED, Status.FAILED, Status.ROLLED_BACK, Status.COMPLETED):
        InstanceFactory(version=version, status=status)
    html = text_of(as_(bob).get("/flows/"))
    for words in ("Orders", "Version 1", "Draft is newer", '<td class="number">4</td>', "50&nbsp;%"):
        assert words in html


def test_test_runs_and_child_runs_count_for_nothing(bob, as_):
    version = FlowVersionFactory()
    parent = InstanceFactory(version=version, is_test=True)
    InstanceFactory(version=version, parent=parent)
    assert '<td class="number">0</td>' in text_of(as_(bob).get("/flows/"))


def test_a_list_asks_the_same_queries_for_two_flows_and_for_twenty(bob, as_, queries):
    client = as_(bob)
    for _ in range(2):
        InstanceFactory(version=FlowVersionFactory(flow__draft="nodes: []"))
    queries(client, "/flows/")
    few = queries(client, "/flows/")
    for _ in range(18):
        InstanceFactory(version=FlowVersionFactory(flow__draft="nodes: []"))
    queries(client, "/flows/")  # the doctor looks at each new draft once
    assert queries(client, "/flows/") == few


def test_a_search_finds_names_and_descriptions(bob, as_):
    FlowFactory(title="Orders"), FlowFactory(title="Leave", description="holiday requests")
    html = text_of(as_(bob).get("/flows/", {"q": "holiday"}))
    assert "Leave" in html
    assert "Orders" not in html
    assert "No flow by that name" in text_of(as_(bob).get("/flows/", {"q": "zzz\x00"}))


def test_who_sees_no_flows_is_led_to_the_inbox(charlie, bob, as_):
    FlowFactory(title="Secret")
    html = text_of(as_(charlie).get("/flows/"))
    assert "Secret" not in html
    assert "You see no flows" in html
    assert as_(charlie).get("/")["Location"] == "/inbox/"
    assert as_(bob).get("/")["Location"] == "/flows/"


def test_signed_out_people_sign_in_and_the_list_is_only_read(bob, as_):
    assert as_(None).get("/flows/")["Location"].startswith("/sign-in")
    assert as_(None).get("/")["Location"].startswith("/sign-in")
    assert as_(bob).post("/flows/").status_code == 405


# --- new --------------------------------------------------------------------------------------------------------------


def test_an_empty_flow_begins_as_a_draft(ed, as_):
    response = as_(ed).post(NEW, {"how": "empty", "title": "My first flow!"})
    flow = Flow.objects.get()
    assert (flow.path, flow.title, flow.changed_by) == ("/flows/my-first-flow", "My first flow!", ed)
    assert response["Location"] == reverse("design", args=[flow.path]) == "/flows/my-first-flow/-/design"
    assert not flow.versions.exists()


def test_a_template_is_offered_until_it_is_used(ed, as_):
    assert "Order fulfilment" in text_of(as_(ed).get(NEW))
    as_(ed).post(NEW, {"how": "template", "template": "order-fulfilment"})
    assert Flow.objects.get().draft == (FLOWS / "order-fulfilment.yaml").read_text()
    assert "Order fulfilment" not in text_of(as_(ed).get(NEW)).split("</nav>")[-1]


@pytest.mark.parametrize("way", ["file", "text"])
def test_a_flow_comes_in_as_a_file_or_as_text(way, ed, as_):
    text = (FLOWS / "shift-cover.yaml").read_text()
    sent = SimpleUploadedFile("x.yaml", text.encode()) if way == "file" else text
    as_(ed).post(NEW, {"how": "text", way: sent})
    assert Flow.objects.get().path == "/flows/shift-cover"


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"how": "empty", "title": "!!!"}, "Give the flow a name"),
        ({"how": "template", "template": "nothing"}, "This template is gone"),
        ({"how": "text", "text": " "}, "Paste a flow"),
        ({"how": "text", "text": "a: [1"}, "line "),
        ({"how": "text", "text": "just words"}, "This is no flow"),
        ({"how": "text", "text": "nodes: []"}, "The flow has no name"),
        ({"how": "text", "file": SimpleUploadedFile("x", b"\xff\xfe\x00")}, "not UTF-8"),
    ],
)
def test_what_cannot_be_brought_in_says_why(sent, words, ed, as_):
    response = as_(ed).post(NEW, sent)
    assert response.status_code == 400
    assert words in text_of(response)
    assert not Flow.objects.exists()


def test_a_flow_of_the_same_name_is_not_written_over_unasked(ed, as_):
    text = (FLOWS / "shift-cover.yaml").read_text()
    flow = FlowFactory(path="/flows/shift-cover", draft="old")
    assert as_(ed).post(NEW, {"how": "text", "text": text}).status_code == 400
    flow.refresh_from_db()
    assert flow.draft == "old"
    as_(ed).post(NEW, {"how": "text", "text": text, "overwrite": "yes"})
    flow.refresh_from_db()
    assert flow.draft == text


@pytest.mark.parametrize(("who", "status"), [("bob", 403), ("eve", 403), ("charlie", 403)])
def test_who_may_not_make_flows(who, status, request, as_):
    client = as_(request.getfixturevalue(who))
    assert client.get(NEW).status_code == status
    assert client.post(NEW, {"how": "empty", "title": "X"}).status_code == status
    assert "New flow" not in text_of(client.get("/flows/"))
    assert not Flow.objects.exists()


# --- several at once --------------------------------------------------------------------------------------------------

IMPORT = "/flows/-/import"


def several(*names):
    return [SimpleUploadedFile(f"{name}.yaml", (FLOWS / f"{name}.yaml").read_bytes()) for name in names]


def test_several_files_come_in_as_drafts(ed, as_):
    answer = as_(ed).post(IMPORT, {"files": several("shift-cover", "order-fulfilment")})
    assert answer["Location"] == "/flows/"
    assert set(Flow.objects.values_list("path", flat=True)) == {"/flows/shift-cover", "/flows/order-fulfilment"}


def test_an_archive_comes_in_with_its_folders(ed, as_):
    held = BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        made.writestr(
            "hr/cover.node.yaml", (FLOWS / "shift-cover.yaml").read_text().replace("name: shift-cover", "name: cover")
        )
    as_(ed).post(IMPORT, {"files": [SimpleUploadedFile("all.zip", held.getvalue())]})
    assert Flow.objects.get().path == "/flows/hr/cover"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (SimpleUploadedFile("x.zip", b"no archive"), "The archive cannot be read"),
        (SimpleUploadedFile("x.yaml", b"just words"), "This is no flow"),
        (SimpleUploadedFile("x.yaml", b"#" * 6_000_000), "too large"),
    ],
)
def test_several_of_which_one_is_none_say_why(file, words, ed, as_):
    response = as_(ed).post(IMPORT, {"files": [*several("shift-cover"), file]})
    assert (response.status_code, words in text_of(response)) == (400, True)
    assert not Flow.objects.exists()


def test_several_do_not_write_over_unasked(ed, as_):
    flow = FlowFactory(path="/flows/shift-cover", draft="old")
    assert as_(ed).post(IMPORT, {"files": several("shift-cover")}).status_code == 400
    as_(ed).post(IMPORT, {"files": several("shift-cover"), "overwrite": "yes"})
    flow.refresh_from_db()
    assert flow.draft == (FLOWS / "shift-cover.yaml").read_text()


def test_who_may_not_make_flows_brings_none_in(bob, as_):
    assert as_(bob).post(IMPORT, {"files": several("shift-cover")}).status_code == 403
    assert as_(bob).get(IMPORT).status_code == 405
