import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from flows import publishing
from flows.errors import DefinitionRejected, RevisionConflict
from flows.loader import load
from flows.models import Flow, FlowVersion, LibraryFunction, Workspace
from flows.registry import function
from flows.text import DocumentError
from flows.versions import graph_of, newest_published
from tests.flows import corpus
from tests.flows.texts import ASK, BROKEN, CHANGED, NO_FLOW, calling


@function("/test/publishing/act", effect="write")
def act(arguments, ctx):
    return arguments


def test_a_save_keeps_the_text_and_raises_the_revision(make_flow, ida):
    flow = make_flow(ASK)
    text = CHANGED.replace("title: Ask", "title: New title")
    saved = publishing.save_draft(flow, text, revision=flow.revision, by=ida)
    assert (saved.draft, saved.title, saved.revision, saved.changed_by) == (text, "New title", 3, ida)


def test_a_save_over_a_newer_revision_is_refused(make_flow, ida):
    flow = make_flow(ASK)
    publishing.save_draft(flow, CHANGED, revision=flow.revision, by=ida)
    with pytest.raises(RevisionConflict) as caught:
        publishing.save_draft(flow, ASK, revision=2, by=ida)
    assert caught.value.current == 3
    assert Flow.objects.get(pk=flow.pk).draft == CHANGED


def test_a_draft_may_have_errors_but_must_be_a_flow(make_flow, ida):
    flow = make_flow(ASK)
    assert publishing.save_draft(flow, BROKEN, revision=2, by=ida).draft == BROKEN
    with pytest.raises(DocumentError):
        publishing.save_draft(flow, NO_FLOW, revision=3, by=ida)
    assert Flow.objects.get(pk=flow.pk).revision == 3


def test_line_ends_of_a_browser_become_plain_ones(make_flow, ida):
    saved = publishing.save_draft(make_flow(ASK), ASK.replace("\n", "\r\n"), revision=2, by=ida)
    assert saved.draft == ASK


def test_versions_are_numbered_without_gaps_and_never_change(make_flow, ida):
    flow = make_flow(ASK)
    first = publishing.publish(flow, by=ida, note="First")
    publishing.save_draft(flow, CHANGED, revision=flow.revision, by=ida)
    second = publishing.publish(flow, by=ida)
    assert [first.number, second.number] == [1, 2]
    kept = FlowVersion.objects.get(pk=first.pk)
    assert (kept.source, kept.note, kept.published_by) == (ASK, "First", ida)
    assert kept.definition == load(ASK).workflow_data


def test_the_same_content_is_not_published_twice(make_flow, ida):
    flow = make_flow(ASK)
    first = publishing.publish(flow, by=ida)
    publishing.save_draft(flow, ASK + "# A comment more.\n", revision=flow.revision, by=ida)
    assert publishing.publish(flow, by=ida) == first


def test_a_manifest_that_changed_makes_a_new_version(make_flow, ida):
    flow = make_flow(calling("/test/publishing/act"))
    first = publishing.publish(flow, by=ida)
    row, _ = LibraryFunction.objects.get_or_create(path="/test/publishing/act")
    row.override = {"effect": "read"}
    row.save()
    second = publishing.publish(flow, by=ida)
    assert (first.number, second.number) == (1, 2)
    assert [graph_of(each.pk).manifests["/test/publishing/act"]["effect"] for each in (first, second)] == [
        "write",
        "read",
    ]


def test_a_definition_with_errors_is_not_published(make_flow, ida):
    with pytest.raises(DefinitionRejected) as caught:
        publishing.publish(make_flow(BROKEN), by=ida)
    assert {each.code for each in caught.value.findings if each.is_error} == {"MISSING_ASSIGNEE", "INVALID_ERROR_EDGE"}
    assert "question" in caught.value.message and "And 1 more." in caught.value.message
    assert FlowVersion.objects.count() == 0


def test_a_draft_that_somebody_saved_meanwhile_is_not_published(make_flow, ida):
    mine = make_flow(ASK)
    publishing.save_draft(Flow.objects.get(pk=mine.pk), CHANGED, revision=2, by=None)
    with pytest.raises(RevisionConflict):
        publishing.publish(mine, by=ida)


@pytest.mark.django_db(transaction=True)
def test_two_who_publish_at_once_make_one_version(make_flow, ida):
    flow = make_flow(ASK)

    def publish(_):
        try:
            return publishing.publish(Flow.objects.get(pk=flow.pk), by=ida).number
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(publish, range(8))) == [1] * 8
    assert FlowVersion.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_save_at_once_one_is_refused(make_flow, ida):
    flow = make_flow(ASK)

    def save(number):
        try:
            return publishing.save_draft(flow, f"{ASK}# {number}\n", revision=2, by=ida).revision
        except RevisionConflict as conflict:
            return f"refused, now {conflict.current}"
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(map(str, pool.map(save, range(4)))) == ["3", *["refused, now 3"] * 3]


def test_a_snapshot_has_no_number_and_is_made_once(make_flow):
    flow = make_flow(ASK)
    first = publishing.snapshot(flow, CHANGED)
    assert (first.number, first.source, first.flow) == (None, CHANGED, flow)
    assert publishing.snapshot(flow, CHANGED) == first
    assert newest_published(flow.workspace_id, flow.path) is None
    with pytest.raises(DefinitionRejected):
        publishing.snapshot(flow, BROKEN)


def test_the_newest_version_is_found_by_its_path(make_flow, ida):
    flow = make_flow(ASK)
    publishing.publish(flow, by=ida)
    publishing.save_draft(flow, CHANGED, revision=flow.revision, by=ida)
    newest = publishing.publish(flow, by=ida)
    assert newest_published(flow.workspace_id, "/flows/ask") == newest
    assert newest_published(flow.workspace_id, "/flows/other") is None


def test_an_import_makes_a_flow_and_a_second_one_changes_nothing(workspace, ida):
    report = publishing.import_flow(workspace, ASK, by=ida, publish=True)
    assert (report.is_new, report.is_changed, str(report.version)) == (True, True, "Ask · 1")
    assert (report.flow.path, report.flow.title, report.flow.description) == ("/flows/ask", "Ask", "Ask the manager")
    again = publishing.import_flow(workspace, ASK, by=ida, publish=True)
    assert (again.is_new, again.is_changed, again.version) == (False, False, report.version)
    assert again.flow.revision == report.flow.revision


def test_an_import_overwrites_the_draft_and_says_so(workspace, ida):
    publishing.import_flow(workspace, ASK, by=ida, publish=True)
    report = publishing.import_flow(workspace, CHANGED.replace("title: Ask", "enabled: false"), by=ida, publish=True)
    assert (report.is_new, report.is_changed, str(report.version), report.flow.enabled) == (
        False,
        True,
        "/flows/ask · 2",
        False,
    )


def test_an_import_with_errors_stores_nothing_unless_as_a_draft(workspace, ida):
    with pytest.raises(DefinitionRejected):
        publishing.import_flow(workspace, BROKEN, by=ida, publish=True)
    assert not Flow.objects.exists()
    report = publishing.import_flow(workspace, BROKEN, by=ida, publish=True, draft=True)
    assert (report.version, report.flow.draft) == (None, BROKEN)
    assert [each.code for each in report.findings if each.is_error] == ["MISSING_ASSIGNEE", "INVALID_ERROR_EDGE"]


def test_an_import_reports_keys_that_mean_nothing(workspace, ida):
    report = publishing.import_flow(workspace, ASK.replace("title: Ask", "title: Ask\n  colour: red"), by=ida)
    assert [(each.code, each.field) for each in report.findings] == [("UNKNOWN_PROPERTY", "properties.colour")]
    assert "colour: red" in publishing.export_flow(report.flow)


@pytest.mark.parametrize(
    "name", ["name: a/b", "name: ..", "name: ''", "name: with blank", "title: none", f"name: {'x' * 101}"]
)
def test_a_flow_needs_a_name_that_can_stand_in_a_path(workspace, ida, name):
    with pytest.raises(DocumentError) as caught:
        publishing.import_flow(
            workspace, ASK.replace("name: ask", name).replace("title: Ask\n  title", "title"), by=ida
        )
    assert caught.value.code in ("no_name", "duplicate_key")
    assert not Flow.objects.exists()


def test_a_bare_definition_is_named_by_the_caller(workspace, ida):
    report = publishing.import_flow(workspace, '{"nodes": []}', by=ida, folder="/flows/hr", name="welcome")
    assert report.flow.path == "/flows/hr/welcome"
    exported = load(publishing.export_flow(report.flow))
    assert (exported.name, exported.workflow_data) == ("welcome", {"nodes": []})


@pytest.mark.parametrize("path", corpus.EXAMPLES, ids=lambda path: path.stem)
def test_an_example_flow_is_exported_as_it_was_imported(workspace, ida, path):
    text = path.read_text()
    report = publishing.import_flow(workspace, text, by=ida, publish=True)
    assert publishing.export_flow(report.flow) == text
    assert report.version is not None
    assert publishing.export_flow(report.version) == text
    assert json.loads(publishing.export_flow(report.version, "json")) == load(text).content


def test_an_export_says_what_became_of_the_flow(make_flow):
    flow = make_flow(ASK)
    flow.path, flow.enabled = "/flows/moved", False
    exported = load(publishing.export_flow(flow))
    assert (exported.name, exported.enabled, exported.title) == ("moved", False, "Ask")


def test_filters_read_as_words(make_flow, ida, workspace):
    asked, call = make_flow(ASK), make_flow(calling("/test/publishing/act"))
    version = publishing.publish(asked, by=ida)
    publishing.snapshot(call, call.draft)
    Workspace.objects.create(slug="other", title="Other")
    assert list(Flow.objects.published()) == list(Flow.objects.runnable()) == [asked]
    assert list(Flow.objects.in_workspace("default")) == [asked, call]
    assert not Flow.objects.in_workspace("other").exists()
    assert list(FlowVersion.objects.published()) == [version]
    Flow.objects.filter(pk=asked.pk).update(enabled=False)
    assert list(Flow.objects.enabled()) == [call]
    assert not Flow.objects.runnable().exists()
