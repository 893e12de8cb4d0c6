"""Every address of runs, the inbox and flows is asked by every role for what is somebody else's.

Rights are checked where something is done, not on the page that leads there (reference/designer-anchors.md, report 20).
"""

from uuid import UUID

import pytest
from django.contrib.auth.models import Group
from django.urls import URLPattern, get_resolver, reverse

from designer import bulk, bulk_errands, saved_views
from designer.run_query import Count, RunQuery
from engine import errands
from engine.models import Event, InboxTask, Instance
from flows.models import Flow
from tests.designer.pages.real import FLOWS, LARGE, run
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

LOOKS, ACTS, OPERATES, ADMINISTERS, ANSWERS, CHANGES, OWNS = (
    "looks", "acts", "operates", "administers", "answers", "changes", "owns",
)  # fmt: skip
ADDRESSES = {
    "run-detail": ("GET", LOOKS),
    "run-body": ("GET", LOOKS),
    "run-step": ("GET", LOOKS),
    "run-value": ("GET", LOOKS),
    "step-value": ("GET", LOOKS),
    "run-as-scenario": ("GET", LOOKS),
    "cancel-run": ("POST", ACTS),
    "retry-run-now": ("POST", ACTS),
    "start-run-again": ("POST", ACTS),
    "resume-run": ("POST", OPERATES),
    "abandon-run": ("POST", OPERATES),
    "delete-run": ("POST", ADMINISTERS),
    "task": ("GET", ANSWERS),
    "hand-over-task": ("POST", ANSWERS),
    "flow-detail": ("GET", LOOKS),
    "flow-version": ("GET", LOOKS),
    "export-flow": ("GET", LOOKS),
    "if-it-fails": ("GET", LOOKS),
    "compare-versions": ("GET", LOOKS),
    "design": ("GET", LOOKS),
    "flow-draft": ("POST", CHANGES),
    "publish-flow": ("POST", CHANGES),
    "switch-flow": ("POST", CHANGES),
    "run-form": ("GET", ACTS),
    "drop-sample": ("POST", ACTS),
    "delete-run-view": ("POST", OWNS),
    "bulk-errand": ("GET", OWNS),
    "bulk-errand-body": ("GET", OWNS),
    "stop-bulk-errand": ("POST", OWNS),
}
"""By the name of an address that takes an id or a path: the method, and what one must be allowed to."""
ELSEWHERE = {
    "design-draft",
    "design-check",
    "design-publish",
    "design-samples",
    "design-preview",
    "design-editing",
    "design-version",
}
"""Those that the designer's script calls, which answer in JSON: tests/designer/pages/test_design.py asks them."""
FORMS = {"export-runs"}
"""Take the name of a form and no id."""

REFUSED = {
    "nobody": dict.fromkeys((LOOKS, ACTS, OPERATES, ADMINISTERS, ANSWERS, CHANGES, OWNS), 302),  # to the sign-in
    "charlie": {LOOKS: 404, ACTS: 404, OPERATES: 404, ADMINISTERS: 404, ANSWERS: 403, CHANGES: 404, OWNS: 404},
    "eve": {ACTS: 403, OPERATES: 403, ADMINISTERS: 403, ANSWERS: 403, CHANGES: 403, OWNS: 404},
    "bob": {ADMINISTERS: 403, ANSWERS: 403, CHANGES: 403, OWNS: 404},
    "ada": {},
}
"""What each role gets where it may not; what is missing it may."""


@pytest.fixture
def world(order, alice):
    """What Alice has: a run that waits, a task that asks the manager, a view and an errand of her own, with every id by name."""
    instance = run(order, user=alice, **LARGE)
    Flow.objects.update(draft=(FLOWS / "order-fulfilment.yaml").read_text())
    view = saved_views.save(alice, "default", name="Hers", query="", is_shared=False)
    hers = bulk_errands.Filtered(RunQuery(), "", (), Count(1, more=False))
    errand = bulk_errands.ask(alice, "default", bulk.CANCEL, hers)
    return {
        "run_id": instance.pk,
        "seq": 1,
        "what": "input",
        "task_id": InboxTask.objects.get().pk,
        "path": instance.flow.path,
        "number": 1,
        "form": "yaml",
        "step": "charge_card",
        "sample_id": 1,
        "view_id": view.pk,
        "errand_id": errand,
    }


def addresses() -> dict[str, URLPattern]:
    """The pages' addresses that name something, by name."""
    found = {each.name: each for each in get_resolver("designer.urls").url_patterns if isinstance(each, URLPattern)}
    return {name: each for name, each in found.items() if each.pattern.converters and name is not None}


def test_no_address_that_names_something_is_forgotten_here():
    assert set(addresses()) == set(ADDRESSES) | ELSEWHERE | FORMS


def kept():
    """What a refused question must leave as it was."""
    return (
        list(Instance.objects.order_by("pk").values_list("pk", "status", "cancel_requested")),
        list(InboxTask.objects.values_list("pk", "status", "assignee")),
        Event.objects.count(),
        list(Flow.objects.values_list("draft", "revision", "enabled")),
        [errand.number for errand in errands.latest(bulk_errands.FUNCTION, most=9)],
    )


@pytest.fixture
def ask(world, as_, request):
    """``ask(who, name)``: what that role gets from that address."""

    def asked(who, name):
        client = as_(None if who == "nobody" else request.getfixturevalue(who))
        url = reverse(name, kwargs={each: world[each] for each in addresses()[name].pattern.converters})
        return client.get(url) if ADDRESSES[name][0] == "GET" else client.post(url, {"to": "charlie"})

    return asked


@pytest.mark.parametrize("who", REFUSED)
def test_a_role_is_refused_what_it_may_not_and_nothing_changes(who, ask):
    before = kept()
    for name, (_method, right) in ADDRESSES.items():
        refused = REFUSED[who].get(right)
        if refused is not None:
            answer = ask(who, name)
            assert (name, answer.status_code) == (name, refused)
            assert refused != 302 or answer["Location"].startswith("/sign-in")
    assert kept() == before


ALLOWED = [
    (who, name) for who, refused in REFUSED.items() for name, (_m, right) in ADDRESSES.items() if right not in refused
]


@pytest.mark.parametrize(("who", "name"), ALLOWED)
def test_a_role_gets_what_it_may(who, name, ask):
    answer = ask(who, name)
    # what the moment does not allow is told on the next page, and the flow has no sample
    assert answer.status_code in ((200,) if ADDRESSES[name][0] == "GET" else (302, 400, 404))


@pytest.mark.parametrize("name", [name for name, (method, _right) in ADDRESSES.items() if method == "GET"])
def test_what_there_is_not_is_not_found(name, world, ada, as_):
    nothing = {"run_id": UUID(int=7), "task_id": UUID(int=7), "errand_id": UUID(int=7), "path": "/flows/nothing"}
    takes = addresses()[name].pattern.converters
    assert as_(ada).get(reverse(name, kwargs={each: {**world, **nothing}[each] for each in takes})).status_code == 404


def test_who_left_the_group_is_told_so_by_the_api_too(order, alice, as_):
    """The page: tests/designer/pages/test_inbox_many.py."""
    group = Group.objects.create(name="checkers")
    manager = UserFactory(username="checker")
    group.user_set.add(manager)
    run(order, user=alice, **LARGE)
    InboxTask.objects.update(assignee="/users/checker", assignment_group="/groups/checkers")
    group.user_set.remove(manager)
    task = InboxTask.objects.get()
    client = as_(manager)
    sent = {"response": {"action": "clear"}}
    answer = client.post(f"/api/inbox/default/tasks/{task.pk}/complete", sent, content_type="application/json")
    assert answer.status_code == 403
    task.refresh_from_db()
    assert task.status == "pending"
