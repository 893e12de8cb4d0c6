"""The list of runs: what a row says, filters, pages, and the same few queries for any number of rows."""

from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

import pytest
from django.db.models import Q
from django.utils import timezone

from designer.paging import first_id_at, keyset
from designer.presenters.run_rows import gist_of
from engine import commands
from engine.models import Instance
from engine.ports_production import ports
from engine.states import Status
from tests.designer.pages.real import DECLINED, LARGE, ORDER, run, text_of
from tests.factories import FlowFactory, FlowVersionFactory, InstanceFactory, UserFactory

pytestmark = pytest.mark.django_db

URL = "/runs/"


def started(version, **values):
    """A run that was started the usual way, so that it is found by its input."""
    return commands.start(version.flow_id, version.pk, input=values, ports=ports())


def rows(client, **query):
    """The ids of the runs a list shows, in its order."""
    html = client.get(URL, query).content.decode()
    return [UUID(part.split('"')[0]) for part in html.split('data-key="run-')[1:]]


# --- rows -----------------------------------------------------------------------------------------------------------


def test_a_row_says_what_a_run_waits_for_and_why_it_failed(order, bob, as_):
    run(order, user=bob, **DECLINED)
    run(order, user=bob, **LARGE)
    html = text_of(as_(bob).get(URL))
    assert "Charge 90: The card was declined." in html
    assert "For Manager until" in html
    assert ": Check order A-9 over 900" in html
    assert "Version 1 · A-9 · tim · 900" in html


def test_a_page_asks_the_same_queries_for_two_rows_and_for_forty(order, bob, as_, queries):
    for _ in range(2):
        run(order, user=bob, **LARGE)
    client = as_(bob)
    queries(client, URL)
    few = queries(client, URL)
    for number in range(38):
        run(order, user=bob, **(LARGE if number % 2 else DECLINED))
    assert queries(client, URL) == few
    assert few == 17


@pytest.mark.parametrize(
    ("begins", "gist"),
    [
        ('{"a":"A-7","b":[1],"c":120,"d":true,"e":0.5,"f":9}', "A-7 · 120 · 0.5"),
        ('{"a":"A-7","b":"cut o', "A-7"),
        ("{}", ""),
        ("", ""),
        ("[1,2]", ""),
        ('{"a":"","b":null,"c":"x"}', "x"),
    ],
)
def test_the_gist_of_an_input_is_its_first_plain_values(begins, gist):
    assert gist_of(begins) == gist


# --- filters ----------------------------------------------------------------------------------------------------------


def test_newest_runs_come_first_and_child_runs_only_when_asked_for(bob, as_):
    parent = InstanceFactory()
    child = InstanceFactory(parent=parent, version=parent.version)
    newest = InstanceFactory(version=parent.version)
    assert rows(as_(bob)) == [newest.pk, parent.pk]
    assert rows(as_(bob), children="1") == [newest.pk, child.pk, parent.pk]


@pytest.mark.parametrize("status", ["waiting", "held", "failed", "rolled_back", "completed", "stopped", "cancelled"])
def test_a_status_shows_its_runs_alone(status, bob, as_):
    version = FlowVersionFactory()
    made = {each: InstanceFactory(version=version, status=each) for each in Status.values}
    assert rows(as_(bob), status=status) == [made[status].pk]
    assert set(rows(as_(bob), status="running")) == {made["running"].pk, made["pending"].pk}


def test_filters_for_flow_person_and_kind(bob, alice, as_):
    ours, theirs = FlowVersionFactory(flow__path="/flows/ours"), FlowVersionFactory(flow__path="/flows/theirs")
    first = InstanceFactory(version=ours, started_by=alice)
    second = InstanceFactory(version=theirs, started_by=bob, is_test=True)
    assert rows(as_(bob), flow="/flows/ours") == [first.pk]
    assert rows(as_(bob), by="bob") == [second.pk]
    assert rows(as_(bob), kind="test") == [second.pk]
    assert rows(as_(bob), kind="real") == [first.pk]


def test_a_text_finds_ids_the_ends_of_ids_and_values_of_the_input(bob, as_):
    version = FlowVersionFactory(flow=FlowFactory(title="Order fulfilment"))
    instance, other = started(version, order="A-7", customer="Tim"), started(version, order="B-7")
    for text in (str(instance.pk), instance.pk.hex, str(instance.pk)[-8:], str(instance.pk)[-8:].upper(), "a-7", "ti"):
        assert rows(as_(bob), q=text) == [instance.pk]
    for text in ("zzz", "7", "order"):
        assert rows(as_(bob), q=text) == []
    assert other.pk in rows(as_(bob))


def test_a_child_run_is_found_by_the_end_of_its_id(bob, as_):
    parent = InstanceFactory()
    child = InstanceFactory(parent=parent, version=parent.version)
    assert rows(as_(bob), q=str(child.pk)[-8:], children="1") == [child.pk]


def test_a_value_that_looks_like_the_end_of_an_id_is_found_too(bob, as_):
    instance = started(FlowVersionFactory(), day=20260101)
    assert rows(as_(bob), q="20260101") == [instance.pk]


def test_a_text_that_too_many_begin_with_finds_what_equals_it_and_says_so(bob, as_, monkeypatch):
    monkeypatch.setattr("engine.search.FOUND_AT_MOST", 1)
    version = FlowVersionFactory()
    first, _ = started(version, order="A-1"), started(version, order="A-12")
    assert rows(as_(bob), q="a-1") == [first.pk]
    assert "only those with exactly this value are shown" in text_of(as_(bob).get(URL, {"q": "a-1"}))
    assert "only those" not in text_of(as_(bob).get(URL, {"q": "a-12"}))


def test_several_statuses_show_the_runs_of_all_of_them(bob, as_):
    version = FlowVersionFactory()
    failed, held = (InstanceFactory(version=version, status=each) for each in ("failed", "held"))
    InstanceFactory(version=version, status="completed")
    assert rows(as_(bob), status=["failed", "held"]) == [held.pk, failed.pk]
    html = text_of(as_(bob).get(URL, {"status": ["failed", "held"], "kind": "real"}))
    assert 'href="?status=failed&amp;kind=real" aria-current="true">Held' in html
    assert 'href="?status=held&amp;status=failed&amp;status=completed&amp;kind=real">Completed' in html


def test_a_version_of_a_flow_and_no_other_one(bob, as_):
    first = FlowVersionFactory(flow__path="/flows/ours")
    second = FlowVersionFactory(flow=first.flow)
    made = [InstanceFactory(version=version) for version in (first, second, FlowVersionFactory())]
    assert rows(as_(bob), flow="/flows/ours", version="2") == [made[1].pk]
    assert rows(as_(bob), flow="/flows/ours", version="3") == []
    assert len(rows(as_(bob), version="2")) == 3
    assert "Version 2</option>" in text_of(as_(bob).get(URL, {"flow": "/flows/ours"}))


def test_the_step_at_which_runs_failed(order, bob, as_):
    failed = run(order, user=bob, **DECLINED)
    run(order, user=bob, **LARGE)
    assert rows(as_(bob), step="charge_card") == [failed.pk]
    assert rows(as_(bob), step="reserve") == []
    html = text_of(as_(bob).get(URL, {"flow": order.flow.path, "step": "charge_card"}))
    assert 'aria-label="Remove the filter: Failed at Charge …"' in html


def test_days_are_the_readers_and_the_last_one_belongs_to_it(bob, as_):
    noon = datetime(2026, 3, 10, 12, tzinfo=UTC)
    version = FlowVersionFactory()
    made = [InstanceFactory(version=version, id=first_id_at(noon + timedelta(days=day))).pk for day in range(4)]
    assert rows(as_(bob), **{"from": "2026-03-11", "to": "2026-03-12"}) == [made[2], made[1]]
    assert rows(as_(bob), to="2026-03-10") == [made[0]]
    client = as_(bob)
    client.cookies["timezone"] = "Pacific/Kiritimati"  # fourteen hours ahead
    assert rows(client, **{"from": "2026-03-13"}) == [made[3], made[2]]


def test_today_leaves_out_what_is_older(bob, as_):
    old = InstanceFactory(id=first_id_at(timezone.now() - timedelta(days=3)))
    new = InstanceFactory(version=old.version)
    assert rows(as_(bob), since="today") == [new.pk]
    assert rows(as_(bob), since="7d") == [new.pk, old.pk]


@pytest.mark.parametrize(
    "query",
    ["status=x&since=y&kind=z", "before=nonsense", "q=%00", "flow=%00&by=%00", "after=1"]
    + ["version=x&from=then&to=2026-02-30", "from=0001-01-01", "version=2"],
)
def test_what_makes_no_sense_in_the_address_is_left_out(query, bob, as_):
    instance = InstanceFactory()
    response = as_(bob).get(f"{URL}?{query}")
    assert response.status_code == 200
    assert str(instance.pk) in response.content.decode()


def test_filters_that_are_on_can_be_taken_away_one_by_one(bob, as_):
    InstanceFactory(version=FlowVersionFactory(flow__path="/flows/ours", flow__title="Ours"))
    html = text_of(as_(bob).get(URL, {"flow": "/flows/ours", "since": "7d", "status": "waiting"}))
    assert 'href="?since=7d&amp;status=waiting" aria-label="Remove the filter: Ours"' in html
    assert "No run fits these filters" in html


def test_open_statuses_are_counted_within_the_other_filters(bob, as_):
    version = FlowVersionFactory(flow__path="/flows/ours")
    InstanceFactory(version=version, status=Status.WAITING)
    InstanceFactory(status=Status.WAITING)
    html = text_of(as_(bob).get(URL, {"flow": "/flows/ours"}))
    assert 'Waiting <span class="count">1</span>' in html


def test_counts_end_at_a_bound_and_say_so(bob, as_, monkeypatch):
    monkeypatch.setattr("designer.run_query.COUNTED_UP_TO", 52)
    version = FlowVersionFactory()
    made = [InstanceFactory(version=version, status=Status.WAITING) for _ in range(52)]
    html = text_of(as_(bob).get(URL))
    assert "52 runs" in html and 'Waiting <span class="count">52</span>' in html
    InstanceFactory(version=version, status=Status.WAITING)
    html = text_of(as_(bob).get(URL))
    assert "more than 52 runs" in html and 'Waiting <span class="count">52+</span>' in html
    assert "more than 52 runs" in text_of(as_(bob).get(URL, {"before": str(made[10].pk)}))


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("", 17),
        ("?status=failed&status=held", 15),
        ("?q=A-9", 19),
        ("?flow=/flows/order-fulfilment", 19),
        ("?flow=/flows/order-fulfilment&version=1&step=charge_card", 17),
        ("?by=bob&kind=real&since=7d", 18),
    ],
)
def test_each_filter_costs_a_known_number_of_queries(query, asked, order, bob, as_, queries):
    run(order, user=bob, **LARGE)
    run(order, user=bob, **DECLINED)
    client = as_(bob)
    queries(client, URL + query)
    assert queries(client, URL + query) == asked


# --- pages ------------------------------------------------------------------------------------------------------------


def test_pages_follow_each_other_without_gaps_in_both_directions():
    version = FlowVersionFactory()
    made = [InstanceFactory(version=version).pk for _ in range(7)][::-1]
    everything = Instance.objects.all()
    first = keyset(everything, size=3)
    second = keyset(everything, before=first.older, size=3)
    third = keyset(everything, before=second.older, size=3)
    back = keyset(everything, after=third.newer, size=3)
    assert [row.pk for page in (first, second, third) for row in page.rows] == made
    assert [row.pk for row in back.rows] == made[3:6]
    assert (first.newer, third.older) == (None, None)
    assert keyset(everything, after=second.newer, size=3).newer is None


def test_branches_make_the_same_pages_as_all_at_once():
    version = FlowVersionFactory()
    statuses = ["failed", "held", "completed"]
    made = [InstanceFactory(version=version, status=statuses[n % 3]).pk for n in range(12)]
    either = [Q(status="failed"), Q(status="held")]
    for size in (1, 3, 8, 9):
        for before, after in [(None, None), *((pk, None) for pk in made), *((None, pk) for pk in made)]:
            page = partial(keyset, before=before, after=after, size=size)
            plain = page(Instance.objects.filter(status__in=["failed", "held"]))
            assert page(Instance.objects.all(), branches=either) == plain
    assert len(keyset(Instance.objects.all(), branches=either[:1]).rows) == 4


def test_a_list_longer_than_a_page_leads_to_older_runs(bob, as_):
    version = FlowVersionFactory()
    made = [InstanceFactory(version=version).pk for _ in range(60)][::-1]
    assert rows(as_(bob)) == made[:50]
    assert rows(as_(bob), before=str(made[49])) == made[50:]
    assert "Older" in text_of(as_(bob).get(URL))


# --- who sees ---------------------------------------------------------------------------------------------------------


def test_who_sees_no_flows_sees_the_runs_they_started(alice, charlie, as_):
    instance = InstanceFactory(started_by=alice)
    InstanceFactory(started_by=UserFactory())
    assert rows(as_(alice)) == [instance.pk]
    assert rows(as_(charlie)) == []
    assert "No runs yet" in text_of(as_(charlie).get(URL))


def test_who_sees_only_their_own_is_not_told_who_else_there_is(alice, as_):
    UserFactory(first_name="Secretive")
    assert "Secretive" not in text_of(as_(alice).get(URL))


def test_somebody_signed_out_is_asked_to_sign_in(as_):
    assert as_(None).get(URL)["Location"].startswith("/sign-in")


def test_the_list_is_only_read(bob, as_):
    assert as_(bob).post(URL).status_code == 405


def test_the_order_flow_is_there_for_its_starter(order, alice, as_):
    instance = run(order, user=alice, **ORDER)
    assert rows(as_(alice)) == [instance.pk]
