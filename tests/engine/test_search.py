"""What of an input becomes a term, and which texts find it."""

from importlib import import_module

import pytest
from django.apps import apps

from engine import commands, search
from engine.models import Instance, SearchTerm
from engine.ports_production import ports
from tests.factories import FlowVersionFactory, InstanceFactory

fill = import_module("engine.migrations.0009_fill_search_terms").fill


@pytest.fixture
def version(db):
    return FlowVersionFactory()


def start(version, **values):
    return commands.start(version.flow_id, version.pk, input=values, ports=ports())


def found(text):
    return search.find(text)


@pytest.mark.parametrize(
    ("value", "terms"),
    [
        ({"id": "A-7", "lines": [{"sku": "lamp"}], "total": 120}, ["a-7", "120", "lamp"]),
        ({"id": "  Große   STRASSE "}, ["grosse strasse"]),
        ({"yes": True, "nothing": None, "empty": " ", "half": 0.5}, ["0.5"]),
        ({"twice": ["x", "X", "x"]}, ["x"]),
        ({"nul": "a\0b"}, ["a b"]),
        ({}, []),
    ],
)
def test_terms_are_the_plain_values_outer_ones_first(value, terms):
    assert search.terms_of(value) == terms


def test_terms_are_bounded_in_number_length_and_work():
    assert len(search.terms_of({str(n): f"value {n}" for n in range(100)})) == search.TERMS_PER_RUN
    assert search.terms_of({"text": "x" * 10_000}) == ["x" * search.TERM_LENGTH]
    assert len(search.terms_of({"deep": [True] * 10_000, "last": "seen"})) == 1
    assert search.terms_of({"deep": [[True] * 10_000, "unseen"], "last": "seen"})[0] == "seen"


def test_the_beginning_of_a_value_finds_its_run_and_nothing_else(version):
    run, other = start(version, order="A-17", customer="Tim Müller"), start(version, order="B-17")
    for text in ("A-17", "a-1", " TIM ", "tim müll"):
        assert found(text) == {run.pk}
    assert found("B") == {other.pk}
    for text in ("17", "a-18", "müller", "%", "_-17", "\\"):
        assert found(text) == set()


@pytest.mark.parametrize("value", ["100%", "a_b", "c\\d", "e'f", "🦔 hedgehog"])
def test_special_characters_mean_themselves(value, version):
    run = start(version, value=value)
    assert found(value[:3]) == {run.pk}


def test_the_same_key_writes_the_terms_once(version):
    for _ in range(2):
        commands.start(version.flow_id, version.pk, input={"a": "b"}, key="once", ports=ports())
    assert SearchTerm.objects.count() == 1


def test_a_start_that_is_undone_leaves_no_terms(version, monkeypatch):
    def lost(instance_id):
        raise RuntimeError("the process dies here")

    dying = ports()
    monkeypatch.setattr(type(dying.queue), "hint", staticmethod(lost))
    with pytest.raises(RuntimeError):
        commands.start(version.flow_id, version.pk, input={"a": "b"}, ports=dying)
    assert not Instance.objects.exists()
    assert not SearchTerm.objects.exists()


def test_deleting_a_run_deletes_its_terms(version):
    run = start(version, order="A-1")
    Instance.objects.filter(pk=run.pk).update(status="completed")
    commands.delete(run.pk)
    assert not SearchTerm.objects.exists()


def test_runs_from_before_are_found_after_the_migration(version):
    run = InstanceFactory(version=version, input={"order": "A-9"}, status="failed", node_id="charge")
    for _ in range(2):
        fill(apps, None)
    assert found("a-9") == {run.pk}
    run.refresh_from_db()
    assert run.failed_node == "charge"


def test_of_too_many_those_with_exactly_the_value_are_found(version, monkeypatch):
    monkeypatch.setattr(search, "FOUND_AT_MOST", 2)
    short, *others = [start(version, order=f"A-{n}") for n in ("1", "10", "11")]
    assert found("a-") is found("a-1") is None
    assert [row["instance_id"] for row in search.equal_to("A-1")] == [short.pk]
    assert found("a-10") == {others[0].pk}


def test_values_of_one_run_that_begin_alike_count_once(version, monkeypatch):
    monkeypatch.setattr(search, "FOUND_AT_MOST", 1)
    run = start(version, first="A-1", second="A-2")
    assert found("a-") == {run.pk}
