"""Administrators see all of the demo's tables and switch behaviours in the list."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.urls import reverse

from demo.models import Behaviour, Mail, Record
from demo.seed import ADMIN
from tests.demo.cases import CASES

MODELS = list(apps.get_app_config("demo").get_models())
RECORDS = [model for model in MODELS if issubclass(model, Record)]


@pytest.fixture
def signed_in(client, seeded, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    client.force_login(User.objects.get(username=ADMIN), backend="django.contrib.auth.backends.ModelBackend")
    return client


def url(model: type[Model], page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_each_table_can_be_listed_searched_and_filtered(signed_in, model):
    page = admin.site.get_model_admin(model)
    assert page.list_filter or page.search_fields
    answer = signed_in.get(url(model, "changelist"), {"q": "lamp"} if page.search_fields else {})
    assert answer.status_code == 200


def test_each_record_can_be_looked_at(signed_in, call):
    for path, arguments in CASES.items():
        call(path, arguments(call))
    for model in RECORDS:
        row = model._default_manager.first()
        assert row is not None, model
        assert row.number in signed_in.get(url(model, "changelist")).content.decode()
        assert signed_in.get(url(model, "change", row.pk)).status_code == 200


def test_a_record_cannot_be_written_by_hand(signed_in, call):
    call("/shop/mail/send", {"to": "lena", "subject": "Hello"})
    mail = Mail.objects.get()
    assert signed_in.get(url(Mail, "add")).status_code == 403
    assert signed_in.post(url(Mail, "change", mail.pk), {"subject": "Changed"}).status_code == 403
    assert Mail.objects.get().subject == "Hello"


def test_a_behaviour_is_switched_in_the_list(signed_in):
    shown = list(Behaviour.objects.all())
    form = {"form-TOTAL_FORMS": len(shown), "form-INITIAL_FORMS": len(shown), "_save": "Save"}
    for index, row in enumerate(shown):
        fails = row.path == "/shop/payment/charge"
        form |= {f"form-{index}-id": row.pk, f"form-{index}-mode": "fails" if fails else "works"}
        form |= {f"form-{index}-times": 2 if fails else "", f"form-{index}-enabled": "on"}
    assert signed_in.post(url(Behaviour, "changelist"), form).status_code == 302
    assert list(Behaviour.objects.exclude(mode="works").values_list("path", "times")) == [("/shop/payment/charge", 2)]


def test_a_behaviour_is_for_a_path_that_exists(signed_in):
    row = Behaviour.objects.get(path="/shop/mail/send")
    form = {"path": "/shop/mail/sent", "mode": "fails", "delay_ms": 5000}
    answer = signed_in.post(url(Behaviour, "change", row.pk), form)
    assert "/shop/mail/sent is not one of the available choices" in answer.content.decode()
