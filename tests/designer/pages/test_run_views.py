"""Saved views: whose they are, who is offered them, and that they keep what the filters understand."""

import pytest
from django.contrib.messages import get_messages

from designer import saved_views
from designer.models import SavedView
from tests.designer.pages.real import text_of
from tests.factories import WorkspaceFactory

pytestmark = pytest.mark.django_db

URL = "/runs/-/views"


@pytest.fixture(autouse=True)
def workspace(db):
    return WorkspaceFactory()


def save(client, name="Failed orders", query="status=failed&since=today", **more):
    return client.post(URL, {"name": name, "query": query, **more})


def said(response):
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_a_view_is_kept_and_offered_on_the_list(bob, as_):
    client = as_(bob)
    assert save(client)["Location"] == "/runs/?status=failed&since=today"
    assert 'href="?status=failed&amp;since=today"' in text_of(client.get("/runs/"))


def test_only_what_the_filters_understand_is_kept(bob, as_):
    save(as_(bob), query="status=failed&status=odd&before=1&next=//evil.example&q=%00x&version=2")
    assert SavedView.objects.get().query == "status=failed&q=x"


def test_the_same_name_is_written_over(bob, as_):
    save(as_(bob))
    save(as_(bob), name=" Failed  orders ", query="status=held")
    assert SavedView.objects.get().query == "status=held"


def test_a_view_of_ones_own_is_not_offered_to_others_and_a_shared_one_is(bob, eve, as_):
    save(as_(bob), name="Mine")
    save(as_(bob), name="Ours", shared="yes")
    html = text_of(as_(eve).get("/runs/"))
    assert "Ours" in html and "of Bob" in html
    assert "Mine" not in html


def test_who_sees_only_their_own_runs_saves_but_does_not_share(alice, as_):
    save(as_(alice), shared="yes")
    assert not SavedView.objects.get().is_shared
    assert "Offer it to everybody" not in text_of(as_(alice).get(f"{URL}?status=failed"))


def test_two_people_may_use_the_same_name(bob, eve, as_):
    save(as_(bob))
    save(as_(eve))
    assert SavedView.objects.count() == 2


@pytest.mark.parametrize("name", ["", "  ", "\x00"])
def test_a_view_needs_a_name(name, bob, as_):
    assert said(save(as_(bob), name=name)) == ["Nothing was saved: give the view a name."]
    assert not SavedView.objects.exists()


def test_one_may_have_only_so_many(bob, as_, monkeypatch):
    monkeypatch.setattr(saved_views, "MOST", 1)
    save(as_(bob))
    assert "you have 1 views" in said(save(as_(bob), name="Another"))[0]
    assert save(as_(bob), query="")["Location"] == "/runs/?"  # the one there is may still be changed


def test_its_owner_deletes_it_and_an_administrator_a_shared_one(bob, ada, as_):
    save(as_(bob), name="Mine")
    save(as_(bob), name="Ours", shared="yes")
    mine, ours = SavedView.objects.get(name="Mine"), SavedView.objects.get(name="Ours")
    assert as_(ada).post(f"{URL}/{mine.pk}/delete").status_code == 404
    assert as_(ada).post(f"{URL}/{ours.pk}/delete")["Location"] == URL
    assert as_(bob).post(f"{URL}/{mine.pk}/delete")["Location"] == URL
    assert not SavedView.objects.exists()
    assert as_(bob).post(f"{URL}/{mine.pk}/delete").status_code == 404


def test_others_do_not_delete_it(bob, eve, charlie, as_):
    save(as_(bob), shared="yes")
    view = SavedView.objects.get()
    for person in (eve, charlie):
        assert as_(person).post(f"{URL}/{view.pk}/delete").status_code == 404
    assert as_(None).post(f"{URL}/{view.pk}/delete")["Location"].startswith("/sign-in")
    assert as_(bob).get(f"{URL}/{view.pk}/delete").status_code == 405
    assert SavedView.objects.exists()


def test_the_page_lists_all_views_with_the_same_few_queries(bob, as_, queries):
    client = as_(bob)
    queries(client, URL)
    assert "No views yet" in text_of(client.get(URL))
    for number in range(5):
        save(client, name=f"View {number}", shared="yes")
    client.get("/runs/")  # shows the toasts
    assert queries(client, URL) == 6
    assert text_of(client.get(URL)).count("Delete the view “") == 5
