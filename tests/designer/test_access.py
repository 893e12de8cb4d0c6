"""Alice owns the run, Bob is in a group that may see or do, Charlie is a stranger."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from django.core.exceptions import PermissionDenied
from django.http import Http404

from designer import access
from tests.factories import FlowFactory, InboxTaskFactory, InstanceFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def charlie():
    return UserFactory(username="charlie")


def member(*groups, **fields):
    return UserFactory(groups=groups, **fields)


def test_groups_are_there_after_the_migrations():
    assert set(Group.objects.values_list("name", flat=True)) == {
        "Flow editors", "Operators", "Approvers", "Administrators",
    }  # fmt: skip
    assert Group.objects.get(name="Operators").permissions.filter(codename="operate_instance").exists()


def test_administrators_make_http_functions_and_their_secrets():
    boss = member("Administrators", is_staff=True)
    assert boss.has_perms(["flows.add_httpfunction", "flows.change_httpfunction", "flows.add_secret"])
    assert not member("Flow editors").has_perm("flows.add_httpfunction")


@pytest.mark.parametrize(
    ("group", "sees", "runs", "operates"),
    [
        ("Flow editors", True, True, False),
        ("Operators", True, True, True),
        ("Approvers", False, False, False),
        ("Administrators", True, True, True),
    ],
)
def test_each_group_may_do_what_its_name_says(group, sees, runs, operates):
    bob, flow = member(group), FlowFactory()
    assert (access.sees_flows(bob), access.can_run(bob, flow), access.can_operate(bob)) == (sees, runs, operates)


def test_a_stranger_does_not_learn_that_a_flow_exists(charlie):
    flow = FlowFactory()
    with pytest.raises(Http404, match=r"There is no flow at .* in default"):
        access.get_flow_for(charlie, "default", flow.path)


def test_an_operator_sees_a_flow_but_cannot_change_it():
    bob, flow = member("Operators"), FlowFactory()
    assert access.get_flow_for(bob, "default", flow.path) == flow
    with pytest.raises(PermissionDenied, match="not change it"):
        access.get_rw_flow_for(bob, "default", flow.path)


def test_an_editor_changes_a_flow():
    bob, flow = member("Flow editors"), FlowFactory()
    assert access.get_rw_flow_for(bob, "default", flow.path) == flow


def test_staff_without_rights_see_but_do_not_start():
    staff, flow = UserFactory(is_staff=True), FlowFactory()
    with pytest.raises(PermissionDenied, match="not start it"):
        access.get_runnable_flow_for(staff, "default", flow.path)


def test_a_flow_of_another_workspace_is_not_found():
    flow = FlowFactory(workspace__slug="other")
    FlowFactory()
    with pytest.raises(Http404):
        access.get_flow_for(member("Operators"), "default", flow.path)


def test_the_starter_sees_and_may_cancel_their_run_and_its_children():
    alice = UserFactory()
    run = InstanceFactory(started_by=alice)
    child = InstanceFactory(parent=run, version=run.version)
    for instance in (run, child):
        assert access.get_cancellable_instance_for(alice, "default", instance.pk) == instance


def test_a_run_of_somebody_else_is_hidden_from_a_stranger(charlie):
    run = InstanceFactory(started_by=UserFactory())
    with pytest.raises(Http404):
        access.get_instance_for(charlie, "default", run.pk)


def test_an_editor_sees_a_run_but_does_not_cancel_it():
    bob, run = member("Flow editors"), InstanceFactory()
    assert access.get_instance_for(bob, "default", run.pk) == run
    with pytest.raises(PermissionDenied, match="Only an operator"):
        access.get_cancellable_instance_for(bob, "default", run.pk)


@pytest.mark.parametrize(
    ("waits_for", "starter", "operator", "administrator"),
    [
        ("event", True, True, True),
        ("chat", True, True, True),
        ("timer", False, True, True),
        ("human_task", False, False, True),
    ],
)
def test_who_resumes_depends_on_what_the_run_waits_for(waits_for, starter, operator, administrator):
    alice = UserFactory()
    run = InstanceFactory(started_by=alice, status="waiting", wait_kind=waits_for)
    people = (alice, member("Operators"), member("Administrators", is_staff=True))
    assert tuple(access.can_resume(each, run) for each in people) == (starter, operator, administrator)


def test_only_administrators_who_are_staff_delete_runs():
    run = InstanceFactory()
    with pytest.raises(PermissionDenied):
        access.get_deletable_instance_for(member("Operators"), "default", run.pk)
    boss = member("Administrators", is_staff=True)
    assert access.get_deletable_instance_for(boss, "default", run.pk) == run
    assert not access.is_administrator(member("Administrators"))


def test_a_task_opens_for_its_assignee_by_id_and_by_path(charlie):
    manager, task = UserFactory(username="manager"), InboxTaskFactory()
    for reference in (str(task.pk), task.path, task.path.lstrip("/")):
        assert access.get_task_for(manager, "default", reference) == task
    with pytest.raises(PermissionDenied, match="somebody else's"):
        access.get_task_for(charlie, "default", task.path)


@pytest.mark.parametrize("reference", ["nothing", "/users/x/inbox/task", "a\x00b", "0" * 32])
def test_an_unknown_task_is_not_found(charlie, reference):
    InboxTaskFactory()
    with pytest.raises(Http404):
        access.get_task_for(charlie, "default", reference)


def test_anothers_inbox_is_for_administrators(charlie):
    task = InboxTaskFactory()
    InboxTaskFactory(is_test=True)
    for assignee in ("/users/manager", "*"):
        with pytest.raises(PermissionDenied):
            access.tasks_for(charlie, "default", assignee)
        assert list(access.tasks_for(UserFactory(is_superuser=True), "default", assignee)) == [task]


def test_somebody_signed_out_sees_and_may_nothing():
    nobody, run = AnonymousUser(), InstanceFactory()
    assert not access.can_cancel(nobody, run)
    with pytest.raises(Http404):
        access.get_instance_for(nobody, "default", run.pk)
