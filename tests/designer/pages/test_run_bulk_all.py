"""One action for all runs that fit a filter: asked for on a page, done in portions, stopped, looked at later."""

import pytest
from django.contrib.messages import get_messages
from django.utils.module_loading import import_string
from django_q.models import OrmQ

from designer import bulk_errands
from designer.run_query import Count, RunQuery
from engine import commands, errands, failpoints
from engine.models import Instance
from engine.ports_production import ports
from engine.states import Status
from tests.designer.pages.real import LARGE, run, text_of
from tests.factories import InstanceFactory

pytestmark = pytest.mark.django_db

URL = "/runs/-/bulk"


class Died(BaseException):
    """A worker that ends in the middle."""


@pytest.fixture
def small_portions(monkeypatch):
    monkeypatch.setattr(bulk_errands, "PORTION", 2)


@pytest.fixture
def waiting(order, alice):
    return [run(order, user=alice, **LARGE) for _ in range(5)]


def ask(client, action, back=""):
    """Ask for it as the page does; answers the errand's address."""
    answer = client.post(URL, {"action": action, "all": "1", "back": back})
    assert answer.status_code == 302, text_of(answer)
    return answer["Location"]


def deliver(most=100):
    """Do what the messages of errands ask for, as a worker would; answers how many there were."""
    for number in range(most):
        waiting = [row for row in OrmQ.objects.order_by("id") if row.task["func"] == bulk_errands.FUNCTION]
        if not waiting:
            return number
        waiting[0].delete()
        bulk_errands.carry_on(*waiting[0].task["args"])
    return most


def progress():
    [errand] = errands.latest(bulk_errands.FUNCTION, most=5)
    return bulk_errands.from_json(errand.state)


def statuses():
    return list(Instance.objects.filter(parent=None).order_by("pk").values_list("status", flat=True))


def test_the_list_offers_it_where_more_runs_fit_than_the_page_has(order, bob, as_):
    InstanceFactory.create_batch(50, version=order)
    assert 'name="all"' not in text_of(as_(bob).get("/runs/"))
    InstanceFactory(version=order)
    assert "All that fit the filters: 51 runs" in text_of(as_(bob).get("/runs/"))


def test_the_page_says_what_will_happen_and_changes_nothing(waiting, bob, as_):
    html = text_of(as_(bob).get(URL, {"action": "cancel", "all": "1", "back": "status=waiting&kind=real"}))
    assert "Cancel all runs that fit?" in html
    assert "5 runs fit these filters now: Waiting · Real runs" in html
    assert "What they have done stays done: nothing is undone." in html
    assert "Runs that start from now on are left alone." in html
    assert statuses() == ["waiting"] * 5 and not errands.latest(bulk_errands.FUNCTION, most=5)


def test_all_that_fit_are_cancelled_portion_by_portion(waiting, bob, as_, small_portions):
    client = as_(bob)
    where = ask(client, "cancel", "status=waiting")
    assert "Going on" in text_of(client.get(where)) and statuses() == ["waiting"] * 5
    assert deliver() == 3
    assert statuses() == ["cancelled"] * 5
    html = text_of(client.get(where))
    assert "Done" in html and "5 runs are being cancelled." in html and "5 runs looked at" in html
    assert "data-poll" not in html


def test_runs_that_do_not_fit_or_begin_later_are_left_alone(waiting, bob, as_, order):
    commands.cancel(waiting[0].pk, ports=ports())
    other = InstanceFactory(version=order, is_test=True, status=Status.WAITING)
    ask(as_(bob), "cancel", "status=waiting&kind=real")
    late = run(order, user=bob, **LARGE)
    deliver()
    assert {Instance.objects.get(pk=each.pk).status for each in (other, late)} == {"waiting"}
    assert progress().done == 4 and progress().refused == 0


def test_it_does_to_each_what_this_person_may_do_to_it_alone(waiting, alice, bob, as_, order):
    run(order, user=bob, **LARGE)
    where = ask(as_(alice), "cancel")  # she sees no runs but hers
    deliver()
    assert statuses() == ["cancelled"] * 5 + ["waiting"]
    assert "5 runs are being cancelled." in text_of(as_(alice).get(where))


def test_what_is_refused_is_told_with_the_reason_in_the_language_of_who_asked(waiting, eve, as_):
    client = as_(eve)
    client.cookies["django_language"] = "de"
    ask(client, "cancel")
    deliver()
    assert statuses() == ["waiting"] * 5
    [(why, n)] = progress().reasons.items()
    assert n == 5 and "abbrechen" in why
    assert len(progress().examples) == 5


def test_reasons_and_examples_are_bounded(order):
    all_runs = bulk_errands.Filtered(RunQuery(), "", (), Count(1, more=False))
    last = str(InstanceFactory(version=order).pk)
    kept = bulk_errands.Progress(1, "default", "en", "cancel", all_runs, last)
    for n in range(200):
        kept = kept.with_run(Instance.objects.get(), f"why {n}")
    assert len(kept.reasons) == bulk_errands.REASONS + 1 and sum(kept.reasons.values()) == kept.refused == 200
    assert len(kept.examples) == bulk_errands.EXAMPLES


def test_it_goes_on_where_a_death_left_it(waiting, bob, as_, small_portions):
    ask(as_(bob), "cancel", "status=waiting")
    seen = []

    def die(moment):
        seen.append(moment)
        if seen.count("noted") == 3:
            raise Died

    failpoints.listen(die)
    try:
        with pytest.raises(Died):
            deliver()
    finally:
        failpoints.listen(None)
    assert progress().done == 3
    [errand] = errands.latest(bulk_errands.FUNCTION, most=5)
    bulk_errands.carry_on(str(errand.id))  # its message was not acknowledged
    deliver()
    assert statuses() == ["cancelled"] * 5
    assert (progress().stage, progress().done, progress().refused) == ("finished", 5, 0)


def test_a_death_between_a_deed_and_its_note_costs_that_note_alone(waiting, bob, as_):
    ask(as_(bob), "cancel")

    def die(moment):
        if moment == "noting" and Instance.objects.filter(status="cancelled").exists():
            raise Died

    failpoints.listen(die)
    try:
        with pytest.raises(Died):
            deliver()
    finally:
        failpoints.listen(None)
    [errand] = errands.latest(bulk_errands.FUNCTION, most=5)
    bulk_errands.carry_on(str(errand.id))
    assert statuses() == ["cancelled"] * 5
    assert (progress().done, progress().refused) == (4, 1)


def test_a_message_that_comes_twice_changes_nothing_more(waiting, bob, as_):
    ask(as_(bob), "cancel")
    [errand] = errands.latest(bulk_errands.FUNCTION, most=5)
    for _ in range(3):
        bulk_errands.carry_on(str(errand.id))
    assert (progress().stage, progress().done, progress().refused) == ("finished", 5, 0)


def test_the_second_of_two_at_once_leaves_at_its_first_note(waiting, bob, as_):
    ask(as_(bob), "cancel")
    [errand] = errands.latest(bulk_errands.FUNCTION, most=5)

    def let_the_other_be_faster(moment):
        if moment == "noting":
            failpoints.listen(None)
            bulk_errands.carry_on(str(errand.id))

    failpoints.listen(let_the_other_be_faster)
    try:
        bulk_errands.carry_on(str(errand.id))
    finally:
        failpoints.listen(None)
    assert (progress().stage, progress().done + progress().refused) == ("finished", 5)
    assert statuses() == ["cancelled"] * 5


def test_a_message_names_what_a_worker_can_find():
    assert import_string(bulk_errands.FUNCTION) is bulk_errands.carry_on


def test_it_is_stopped_and_what_is_done_stays_done(waiting, bob, as_, small_portions):
    client = as_(bob)
    where = ask(client, "cancel")
    deliver(most=1)
    assert [str(m) for m in get_messages(client.post(f"{where}stop").wsgi_request)] == [
        "Stopped. What was done stays done."
    ]
    deliver()
    assert sorted(statuses()) == ["cancelled"] * 2 + ["waiting"] * 3
    assert "Stopped by a person" in text_of(client.get(where))
    assert "It had ended already." in [str(m) for m in get_messages(client.post(f"{where}stop").wsgi_request)]


def test_who_lost_the_right_meanwhile_ends_it(waiting, bob, as_, small_portions):
    ask(as_(bob), "resume")
    bob.groups.clear()
    deliver()
    assert progress().stage == "not_allowed" and progress().seen == 0


def test_somebody_who_left_meanwhile_ends_it(waiting, bob, as_):
    ask(as_(bob), "cancel")
    bob.is_active = False
    bob.save()
    deliver()
    assert progress().stage == "not_allowed" and statuses() == ["waiting"] * 5


def test_a_fault_of_the_product_ends_it_and_is_told(waiting, bob, as_, caplog):
    where = ask(as_(bob), "cancel")
    [errand] = errands.latest(bulk_errands.FUNCTION, most=5)
    errands.note(errand, {**errand.state, "below": "no id"})
    deliver()
    assert "Ended by a fault" in text_of(as_(bob).get(where))
    assert "cannot go on" in caplog.text


def test_an_administrator_deletes_all_that_have_ended_with_their_child_runs(waiting, ada, as_):
    for each in waiting[:3]:
        commands.cancel(each.pk, ports=ports())
    InstanceFactory(parent=waiting[0], version=waiting[0].version, status=Status.COMPLETED)
    ask(as_(ada), "delete")
    deliver()
    assert statuses() == ["waiting"] * 2 and Instance.objects.count() == 2
    assert progress().reasons == {"It has not ended; cancel it first.": 2}


def test_others_do_not_find_it_and_administrators_do(waiting, alice, bob, ada, as_):
    where = ask(as_(bob), "cancel")
    for url in (where, f"{where}body"):
        assert as_(alice).get(url).status_code == 404
        assert as_(ada).get(url).status_code == 200
    assert as_(alice).post(f"{where}stop").status_code == 404
    assert as_(None).get(where)["Location"].startswith("/sign-in")
    assert "Nothing yet" in text_of(as_(alice).get("/runs/-/bulk/all/"))
    assert "Bob" in text_of(as_(ada).get("/runs/-/bulk/all/"))
    assert progress().is_going


@pytest.mark.parametrize("method", ["get", "post"])
def test_the_rights_of_the_action_are_asked_for(method, waiting, bob, as_):
    assert getattr(as_(bob), method)(URL, {"action": "delete", "all": "1"}).status_code == 403
    assert not errands.latest(bulk_errands.FUNCTION, most=5)


def test_nothing_begins_when_nothing_fits(order, bob, as_):
    assert ask(as_(bob), "cancel", "status=failed") == "/runs/?status=failed"
    assert not errands.latest(bulk_errands.FUNCTION, most=5)


def test_days_of_the_filter_are_those_of_who_asked(waiting, bob, as_):
    client = as_(bob)
    client.cookies["timezone"] = "Pacific/Kiritimati"  # 14 hours ahead of the workers
    ask(client, "cancel", "from=2026-01-01&since=today")
    asked = progress().filtered.query
    assert asked.since is not None and asked.since.utcoffset() is not None
    assert bulk_errands.from_json(bulk_errands.to_json(progress())) == progress()
