"""The generator and the pages it is for, with a few thousand runs: what ``make bench-lists`` does stays possible."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import connection

from engine.models import Event, Instance, SearchTerm, Visit
from tests.million.generate import generate
from tests.million.measure import measure, pages


@pytest.fixture
def groups(transactional_db):
    """The groups that a migration makes, if a test before has emptied all tables."""
    if not Group.objects.exists():
        import_module("designer.migrations.0002_groups").make_groups(apps, SimpleNamespace(connection=connection))


@pytest.mark.usefixtures("groups")
def test_runs_are_generated_and_every_page_over_them_answers(vendor, monkeypatch):
    if vendor != "postgresql":
        pytest.skip("the generator writes PostgreSQL's SQL")
    monkeypatch.setattr("tests.million.generate.FAN_OUT", 1500)
    made = generate(3000, 9000)
    assert (made.instances, Instance.objects.filter(parent__isnull=False).count() > 1500) == (3003, True)
    assert 8_000 < Visit.objects.count() <= 9_100
    assert Event.objects.count() > 3000
    assert SearchTerm.objects.filter(term="lamp").count() > 1000
    assert {measure(page, 1).queries > 0 for page in pages()} == {True}
