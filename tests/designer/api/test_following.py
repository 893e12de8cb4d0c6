"""A stream that lasts: it says that it lives, and asks again whether its reader may still see the run."""

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth import SESSION_KEY, login
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.test import RequestFactory

from designer import live, tokens
from designer.api.events import Place
from designer.api.views import events
from designer.models import ApiToken
from engine.models import Instance
from engine.states import Status
from tests.designer.api.conftest import bearer
from tests.factories import EventFactory, InstanceFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """The pool would not see rows that a test has not committed."""

    async def here(function, *args):
        return await sync_to_async(function)(*args)

    monkeypatch.setattr(live, "in_pool", here)


@pytest.fixture
def bob():
    return UserFactory(groups=["Operators"])


def with_token(user):
    request = RequestFactory().get("/", headers=bearer(user))
    request.session = SessionStore()
    return request


def with_session(user):
    request = RequestFactory().get("/")
    request.session = SessionStore()
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    request.session.save()
    return request


def frames(request, run, each=lambda frame: None):
    """All frames of the stream; ``each`` is called with every one of them, and may change the world."""

    async def collect():
        found = []
        async for frame in events._stream(request, "default", Place(run.pk, run.pk)):
            found.append(frame)
            await sync_to_async(each)(frame)
        return found

    return async_to_sync(collect)()


def end(run):
    Instance.objects.filter(pk=run.pk).update(status=Status.COMPLETED)


def test_a_frame_has_a_number_a_name_and_one_line_of_json(bob):
    run = InstanceFactory(status=Status.COMPLETED)
    EventFactory(instance=run, type="log", data={"message": "zwei\nZeilen ü"})
    _, frame = frames(with_token(bob), run)
    number, name, data, *rest = frame.decode().split("\n")
    assert (number, name, rest) == ("id: 1", "event: flow-event", ["", ""])
    assert data.startswith('data: {"type":"log",') and "zwei\\nZeilen ü" in data


def test_silence_is_broken_by_comments(bob, monkeypatch):
    monkeypatch.setattr(events, "KEEP_ALIVE", 0.01)
    run = InstanceFactory(status=Status.RUNNING)
    found = frames(with_token(bob), run, lambda frame: end(run) if frame.startswith(b":") else None)
    assert found == [b"retry: 2000\n\n", b": still here\n\n"]


@pytest.mark.parametrize("sign_in", [with_token, with_session])
@pytest.mark.parametrize(
    "lose_access",
    [
        lambda bob: bob.groups.clear(),
        lambda bob: type(bob).objects.filter(pk=bob.pk).update(is_active=False),
        lambda bob: type(bob).objects.filter(pk=bob.pk).update(password="!"),
    ],
)
def test_a_stream_ends_when_its_reader_loses_access(bob, monkeypatch, sign_in, lose_access):
    monkeypatch.setattr(events, "KEEP_ALIVE", 0.01)
    monkeypatch.setattr(events, "RECHECK", 0.0)
    run = InstanceFactory(status=Status.RUNNING)
    found = frames(sign_in(bob), run, lambda frame: lose_access(bob) if frame.startswith(b":") else None)
    assert found == [b"retry: 2000\n\n", b": still here\n\n"]


def test_a_stream_ends_with_the_token_and_with_the_session(bob):
    run = InstanceFactory(status=Status.RUNNING)
    by_token, by_session = with_token(bob), with_session(bob)
    assert by_session.session[SESSION_KEY] == str(bob.pk)
    assert all(events._may_still_see(request, "default", run.pk) for request in (by_token, by_session))
    tokens.revoke(ApiToken.objects.all())
    by_session.session.delete()
    assert not any(events._may_still_see(request, "default", run.pk) for request in (by_token, by_session))


def test_a_stream_ends_when_its_run_is_deleted(bob, monkeypatch):
    monkeypatch.setattr(events, "KEEP_ALIVE", 0.01)
    run = InstanceFactory(status=Status.RUNNING)
    found = frames(with_token(bob), run, lambda frame: run.delete() if frame.startswith(b":") else None)
    assert len(found) == 2


def test_a_long_history_is_read_in_parts(bob, monkeypatch):
    monkeypatch.setattr("designer.api.events.BATCH", 3)
    run = InstanceFactory(status=Status.COMPLETED)
    for _ in range(7):
        EventFactory(instance=run, type="log")
    assert [frame.split(b"\n")[0] for frame in frames(with_token(bob), run)[1:]] == [
        f"id: {number}".encode() for number in range(1, 8)
    ]


def test_a_database_that_goes_away_cuts_the_stream_off(bob, monkeypatch, caplog):
    def away(place):
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(events, "read", away)
    assert frames(with_token(bob), InstanceFactory(status=Status.RUNNING)) == [b"retry: 2000\n\n"]
    assert "its reader will come back" in caplog.text
