"""Notices as the driver writes them and workers send them: to a real mail server, to a real webhook, once."""

import logging
import threading
from typing import Any
from uuid import UUID

import pytest
from django.core import mail
from django.db import connections, transaction
from django.urls import reverse
from django_q.models import OrmQ

from engine import commands, driver, notices, queue, tasks
from engine.models import Event, Instance, Notice
from engine.notices import delivery
from engine.notices.delivery import AGAIN_AFTER
from engine.outcomes import Failed
from engine.ports_production import HintQueue
from engine.transitions import claim_notice
from flows.models import Flow, NotificationTarget, Secret
from tests.engine import smtp_server
from tests.engine.drawing import call, child_flow, group, parallel
from tests.engine.executors import http_server
from tests.engine.executors.http_server import drops, gives, hangs, writes
from tests.engine.world import World, row
from tests.factories import FlowVersionFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> NotificationTarget:
    return NotificationTarget.objects.create(name="support-team", addresses="ida@example.org\nben@example.org")


@pytest.fixture
def hook(settings):
    """A webhook behind a server that answers like this; gives the server."""
    settings.SULTANA_HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    running = []

    def serve(*answers, **fields):
        context = http_server.running(*answers)
        running.append(context)
        server = context.__enter__()
        NotificationTarget.objects.create(
            name="support-team", kind="webhook", url=f"{server.url}/hooks/1?key=2", **fields
        )
        return server

    yield serve
    for context in running:
        context.__exit__(None, None, None)


def recovery(then: str = "hold", notify: Any = "support-team") -> dict[str, Any]:
    return {"stop_after": {"failures": 0, "within": "1h"}, "then": then, "notify": notify}


def failing(name: str = "pay", **properties: Any) -> dict[str, Any]:
    return call(name, retry={"max_retries": 0}, **properties)


def given_up(then: str = "hold", why: str = "The card was declined.", **more: Any) -> tuple[World, UUID]:
    world = World(pay=Failed(why))
    run = world.start(group("payment", failing(action="Charge the card"), recovery=recovery(then)), **more)
    world.settle()
    return world, run


def states() -> list[str]:
    return list(Notice.objects.order_by("id").values_list("state", flat=True))


def history(run: UUID) -> list[tuple[str, Any]]:
    rows = Event.objects.filter(instance=run, type__startswith="notif").order_by("number")
    return list(rows.values_list("type", "data"))


# --- what is said ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "subject", "words"),
    [
        ("hold", "Till is held: Charge the card failed", "The run is held: nothing new starts in it"),
        ("fail", "Till failed: Charge the card failed", "The run fails."),
        ("escalate", "Till: the failure of Charge the card was handed outward", "What is around it decides"),
    ],
)
def test_people_are_told_in_plain_words_what_failed_and_what_was_decided(then, subject, words, team, settings):
    settings.SULTANA_PUBLIC_URL = "https://flows.example.org"
    world = World(pay=Failed("The card was declined."))
    version = world.version(group("payment", failing(action="Charge the card"), recovery=recovery(then)))
    version.flow.title = "Till"
    version.flow.save()
    run = commands.start(version.flow_id, version.pk, input={}, ports=world.ports)
    world.settle()
    [sent] = mail.outbox
    assert (sent.subject, sent.to) == (subject, ["ida@example.org", "ben@example.org"])
    for each in (words, "The card was declined.", "Charge the card (pay)", "/flows/it", "Decided by: payment"):
        assert each in sent.body
    assert f"https://flows.example.org{reverse('run-detail', args=[run.pk])}" in sent.body
    assert history(run.pk) == [("notified", {"target": "support-team", "decision": then, "attempts": 1})]
    assert row(run.pk).status == ("held" if then == "hold" else "failed")


def test_a_mail_speaks_the_language_of_its_target(team):
    given_up()
    NotificationTarget.objects.update(language="de")
    Flow.objects.update(path="/flows/before")
    given_up()
    assert ["\nFlow: /flows/" in each.body for each in mail.outbox] == [True, False]
    assert ["\nAblauf: /flows/" in each.body for each in mail.outbox] == [False, True]


def test_nothing_that_a_run_says_becomes_a_header_or_runs_in_a_reader(team):
    evil = "<script>alert(1)</script>\r\nBcc: eve@example.org" + "x" * 5000
    world = World(pay=Failed(evil))
    world.start(failing(action="${input.it}"), recovery=recovery(), input={"it": evil})
    world.settle()
    [sent] = mail.outbox
    message = sent.message()
    assert message.get_content_type() == "text/plain" and message["Bcc"] is None
    assert "\n" not in sent.subject and len(sent.subject) <= 200
    assert len(sent.body) < 10_000


def test_a_part_of_a_run_tells_with_the_page_of_the_whole(team):
    FlowVersionFactory(flow__path="/flows/inner", definition={"nodes": [failing()], "recovery": recovery("fail")})
    world = World(pay=Failed("no"))
    run = world.start(child_flow("inner"))
    world.settle()
    [sent] = mail.outbox
    assert f"/runs/{run}/" in sent.body and "/flows/inner" in sent.body
    child = Instance.objects.get(parent=run)
    assert [kind for kind, _ in history(child.pk)] == ["notified"]


def test_a_scope_in_a_branch_and_one_around_it_each_tell_their_own(team):
    NotificationTarget.objects.create(name="night-desk", addresses="otto@example.org")
    branch = group("one", failing(), recovery=recovery("escalate", "night-desk"))
    world = World(pay=Failed("no"))
    world.start(group("g", parallel("p", branch, call("b")), recovery=recovery("hold")))
    world.settle()
    assert sorted((sent.to[0], "held" in sent.subject) for sent in mail.outbox) == [
        ("ida@example.org", True),
        ("otto@example.org", False),
    ]


def test_a_test_run_that_is_not_isolated_says_that_it_is_one(team):
    given_up(is_test=True, test_config={"isolated_branch": False})
    assert mail.outbox[0].subject.startswith("Test run: ")


# --- a webhook ---------------------------------------------------------------------------------------------------------


def test_a_webhook_gets_a_small_document_with_its_secret(hook):
    secret = Secret(name="chat")
    secret.put("very-secret-0123")
    secret.save()
    server = hook(gives({"ok": True}), headers={"Authorization": "Bearer secret:chat"})
    _, run = given_up()
    [request] = server.requests
    notice = Notice.objects.get()
    assert (request.command, request.path) == ("POST", "/hooks/1?key=2")
    assert request.headers["Authorization"] == "Bearer very-secret-0123"
    assert request.headers["Idempotency-Key"] == request.json["id"] == str(notice.pk)
    document = request.json
    assert document.pop("text").startswith("/flows/it is held: Charge the card failed\n")
    assert document == {
        "id": str(notice.pk),
        "target": "support-team",
        "decision": "hold",
        "flow": {"path": "/flows/it", "title": "/flows/it"},
        "run": {"id": str(run), "url": f"http://localhost:8000/runs/{run}/", "is_test": False},
        "scope": "payment",
        "step": {"id": "pay", "title": "Charge the card"},
        "message": "The card was declined.",
        "at": notice.at.isoformat(),
    }
    assert states() == ["sent"]


def test_a_webhook_reaches_no_internal_address_unless_that_is_allowed(hook, settings):
    server = hook(gives({}))
    settings.SULTANA_HTTP_ALLOWED_HOSTS = ["*"]
    _, run = given_up()
    assert (server.requests, states()) == ([], ["failed"])
    [(kind, data)] = history(run)
    assert kind == "notify_failed" and "no public address" in data["message"]


def test_a_missing_secret_is_said_and_nothing_sent(hook):
    server = hook(gives({}), headers={"Authorization": "Bearer secret:gone"})
    _, run = given_up()
    assert (server.requests, states()) == ([], ["failed"])
    assert "There is no secret gone" in history(run)[0][1]["message"]


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (gives({}, 400), "failed"),
        (gives({}, 500), "failed"),
        (gives({}, 302, Location="/elsewhere"), "failed"),
        (writes("no JSON at all", status=202), "sent"),
        (drops, "unknown"),
    ],
)
def test_what_a_webhook_answers_changes_no_run(answer, state, hook):
    server = hook(answer)
    world, run = given_up()
    world.later(days=1)
    assert (states(), len(server.requests), row(run).status) == ([state], 1, "held")


def test_a_webhook_that_is_busy_is_told_later(hook):
    server = hook(gives({}, 503), gives({}, 429), gives({}))
    world, run = given_up()
    world.later(seconds=10)
    assert (states(), len(server.requests)) == (["open"], 1)
    world.later(seconds=20)
    world.later(minutes=2)
    assert (states(), len(server.requests)) == (["sent"], 3)
    assert len({each.json["id"] for each in server.requests}) == 1
    assert history(run) == [("notified", {"target": "support-team", "decision": "hold", "attempts": 3})]


def test_one_that_never_answers_is_interrupted_and_nobody_knows(hook, monkeypatch):
    monkeypatch.setattr(delivery, "SEND_SECONDS", 0.5)
    server = hook(hangs())
    _, run = given_up()
    assert (states(), len(server.requests), row(run).status) == (["unknown"], 1, "held")
    assert "longer than" in history(run)[0][1]["message"]


def test_it_is_given_up_after_a_while(hook):
    server = hook(gives({}, 503))
    world, run = given_up()
    for each in AGAIN_AFTER:
        world.later(seconds=each.total_seconds())
    world.later(days=1)
    assert (states(), len(server.requests)) == (["failed"], len(AGAIN_AFTER) + 1)
    assert [kind for kind, _ in history(run)] == ["notify_failed"]


# --- a mail server -----------------------------------------------------------------------------------------------------


@pytest.fixture
def by_smtp(team, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_USE_TLS, settings.EMAIL_HOST_USER = "127.0.0.1", False, ""

    def told(server) -> tuple[World, UUID]:
        settings.EMAIL_PORT = server.port
        return given_up()

    return told


def test_a_mail_reaches_a_real_server(by_smtp):
    with smtp_server.running() as server:
        _, run = by_smtp(server)
    [text] = server.mails
    assert "To: ida@example.org, ben@example.org" in text and "Auto-Submitted: auto-generated" in text
    assert f"Message-ID: <{Notice.objects.get().pk}@localhost>" in text
    assert states() == ["sent"]


@pytest.mark.parametrize(
    ("replies", "state"),
    [
        ({"RCPT": "550 no such person"}, "failed"),
        ({"RCPT": "451 greylisted"}, "open"),
        ({"MAIL": "550 not you"}, "failed"),
        ({"TEXT": "552 too much"}, "failed"),
        ({"TEXT": "452 no room now"}, "open"),
        ({"TEXT": smtp_server.HANGS_UP, "keeps": ("TEXT",)}, "unknown"),
        ({"QUIT": smtp_server.HANGS_UP}, "sent"),
    ],
)
def test_what_a_mail_server_says_decides_whether_it_is_tried_again(replies, state, by_smtp):
    with smtp_server.running(**replies) as server:
        world, run = by_smtp(server)
    assert (states(), row(run).status) == ([state], "held")
    world.later(days=1)
    assert states() == [state]  # nobody is there any more: what may be tried again still is


def test_a_server_that_is_away_for_a_while_gets_the_mail_once(by_smtp, settings):
    with smtp_server.running() as server:
        pass
    world, _ = by_smtp(server)
    assert states() == ["open"]
    with smtp_server.running() as again:
        settings.EMAIL_PORT = again.port
        world.later(seconds=30)
        world.later(days=1)
    assert (len(again.mails), states()) == (1, ["sent"])


# --- nobody to tell ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("why", ["nobody has set it up", "it is switched off"])
def test_an_unknown_target_changes_nothing_but_the_log(why, caplog):
    if why == "it is switched off":
        NotificationTarget.objects.create(name="support-team", addresses="ida@example.org", enabled=False)
    with caplog.at_level(logging.WARNING, "sultana.notices"):
        _, run = given_up()
    assert (mail.outbox, states(), history(run), row(run).status) == ([], ["nobody"], [], "held")
    assert [why in record.getMessage() for record in caplog.records] == [True]


def test_a_name_of_any_length_and_kind_harms_no_run():
    world = World(pay=Failed("no"))
    for number, name in enumerate(("x" * 5000, "night desk\n", "\0", "/users/ida", "{{ input.who }}")):
        run = world.start(failing(), recovery=recovery("hold", name), path=f"/flows/{number}")
        world.settle()
        assert row(run).status == "held"
    assert states() == ["nobody"] * 5


# --- once --------------------------------------------------------------------------------------------------------------


def test_a_message_that_comes_again_tells_nobody_twice(team):
    world, run = given_up()
    notice = Notice.objects.get()
    for _ in range(3):
        notices.deliver(notice.pk, world.ports)
    assert (len(mail.outbox), len(history(run))) == (1, 1)


def test_two_workers_with_the_same_message_tell_once(team):
    world = World(pay=Failed("no"))
    run = world.start(failing(), recovery=recovery())
    driver.drive(run, world.ports)
    notice, both = Notice.objects.get(), threading.Barrier(4)

    def work() -> None:
        both.wait(10)
        notices.deliver(notice.pk, world.ports)
        connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for each in workers:
        each.start()
    for each in workers:
        each.join(30)
    assert (len(mail.outbox), states(), len(history(run))) == (1, ["sent"], 1)


def test_a_notice_whose_message_was_lost_is_found(team):
    world = World(pay=Failed("no"))
    run = world.start(failing(), recovery=recovery())
    driver.drive(run, world.ports)
    world.queue.lose()
    world.later(minutes=1)
    assert (notices.sweep(world.ports), notices.sweep(world.ports)) == (1, 0)
    world.settle()
    assert (len(mail.outbox), states()) == (1, ["sent"])


def test_what_a_dead_worker_was_sending_is_not_sent_again_but_said(team):
    world = World(pay=Failed("no"))
    run = world.start(failing(), recovery=recovery())
    driver.drive(run, world.ports)
    claimed = claim_notice(Notice.objects.get().pk, now=world.clock.now())
    assert claimed is not None
    assert notices.sweep(world.ports) == 0
    world.later(minutes=5)
    assert notices.sweep(world.ports) == 1
    world.settle()
    assert (mail.outbox, states()) == ([], ["unknown"])
    [(kind, data)] = history(run)
    assert (kind, data["unknown"]) == ("notify_failed", True)


def test_a_notice_of_a_run_that_was_deleted_is_none(team):
    world = World(pay=Failed("no"))
    run = world.start(failing(), recovery=recovery("fail"))
    driver.drive(run, world.ports)
    commands.delete(run)
    world.settle()
    assert (mail.outbox, Notice.objects.count()) == ([], 0)


# --- the queue ---------------------------------------------------------------------------------------------------------


def test_the_message_is_part_of_the_transaction_and_names_the_task(team, monkeypatch):
    world, run = given_up()
    monkeypatch.setattr(tasks, "ports", lambda: world.ports)
    Notice.objects.update(state="open", due_at=world.clock.now())
    OrmQ.objects.all().delete()
    hints, notice = HintQueue(), Notice.objects.get()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        hints.notice(notice.pk)
        raise ZeroDivisionError
    assert not OrmQ.objects.exists()
    hints.notice(notice.pk)
    message = OrmQ.objects.get().task
    assert (message["func"], message["args"]) == (queue.TELL, (str(notice.pk),))
    tasks.tell(*message["args"])
    assert (len(mail.outbox), states()) == (2, ["sent"])
