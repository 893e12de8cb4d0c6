import pytest

from engine.models import Event
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_child_run_belongs_to_its_parents_tree():
    parent = factories.InstanceFactory()
    child = factories.InstanceFactory(parent=parent, version=parent.version)
    grandchild = factories.InstanceFactory(parent=child, version=parent.version)
    assert (child.root, grandchild.root) == (parent, parent)


def test_events_are_numbered_by_their_run():
    first, second = factories.InstanceFactory(), factories.InstanceFactory()
    for instance in (first, second, first):
        factories.EventFactory(instance=instance)
    assert list(Event.objects.filter(instance=first).values_list("number", flat=True)) == [1, 2]
    first.refresh_from_db()
    assert first.event_count == 2


def test_a_version_carries_its_lowered_graph():
    version = factories.FlowVersionFactory()
    assert version.graph["nodes"][0]["id"] == "greet"
    assert factories.FlowVersionFactory(flow=version.flow).number == 2


def test_visits_and_tasks_belong_to_their_run():
    visit, task = factories.VisitFactory(), factories.InboxTaskFactory()
    assert visit.seq == 1
    assert task.path == f"/users/manager/inbox/task-approve-{task.instance_id}-it1"
