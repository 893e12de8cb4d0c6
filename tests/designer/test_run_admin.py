"""Run records in the admin: to look at, never to change."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import CompositePrimaryKey
from django.test import Client
from django.urls import reverse

from engine import models as engine_models
from engine.models import Instance
from tests.factories import AttemptFactory, EventFactory, InboxTaskFactory, InstanceFactory, UserFactory, VisitFactory

MODELS = [
    *("instance", "visit", "attempt", "compensation", "event", "inboxtask", "wakeup", "signal", "binding"),
    *("workernode", "notice"),
]


@pytest.fixture
def browser(db: None) -> Client:
    user: User = UserFactory(is_superuser=True, is_staff=True)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.mark.parametrize("model", MODELS)
def test_records_can_be_listed_and_searched(model: str, browser: Client) -> None:
    run = InstanceFactory()
    for factory in (VisitFactory, AttemptFactory, EventFactory, InboxTaskFactory):
        factory(instance=run)
    url = reverse(f"admin:engine_{model}_changelist")
    assert browser.get(url).status_code == 200
    assert browser.get(url, {"q": str(run.pk)}).status_code == 200


def test_every_model_of_the_engine_is_in_the_admin() -> None:
    """But those of a key of several columns, which Django's admin does not know: search terms repeat the input."""
    models = [each for each in vars(engine_models).values() if isinstance(each, type) and hasattr(each, "_meta")]
    single = [each for each in models if not isinstance(each._meta.pk, CompositePrimaryKey)]
    missing = [each.__name__ for each in single if not each._meta.abstract and not admin.site.is_registered(each)]
    assert missing == []


def test_a_record_can_be_opened_and_not_changed(browser: Client) -> None:
    run = InstanceFactory()
    url = reverse("admin:engine_instance_change", args=[run.pk])
    assert browser.get(url).status_code == 200
    assert browser.post(url, {"status": "completed"}).status_code == 403
    assert browser.get(reverse("admin:engine_instance_add")).status_code == 403
    assert browser.get(reverse("admin:engine_instance_delete", args=[run.pk])).status_code == 403


def test_runs_can_be_cancelled_from_the_list(browser: Client) -> None:
    run = InstanceFactory(status="pending")
    chosen = {"action": "cancel_runs", "_selected_action": [str(run.pk)]}
    browser.post(reverse("admin:engine_instance_changelist"), chosen)
    assert Instance.objects.get(pk=run.pk).status == "cancelled"


def test_the_queues_own_pages_are_gone(browser: Client) -> None:
    assert browser.get("/admin/django_q/ormq/").status_code == 404
