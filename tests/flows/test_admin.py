import re

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from flows import library
from flows.models import Agent, Flow, FlowVersion, HttpFunction, LibraryFunction, NotificationTarget, Secret, Workspace
from flows.publishing import publish, save_draft
from flows.registry import function
from flows.secrets import key_of
from tests.flows.texts import ASK, BROKEN, CHANGED, NO_FLOW, calling


@function("/test/admin/act", title="Act", effect="write")
def act(arguments, ctx):
    return arguments


@pytest.fixture
def admin_page(admin_client):
    return admin_client


def change(flow: Flow) -> str:
    return reverse("admin:flows_flow_change", args=[flow.pk])


def posted(flow: Flow, text: str, **more: object) -> dict[str, object]:
    """What the form sends."""
    return {"draft": text, "revision": flow.revision, "enabled": "on", **more}


def shown(answer) -> str:
    """The page's text without its tags."""
    return (
        re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))
        .replace("&#x27;", "'")
        .replace("&#39;", "'")
    )


def test_a_flow_is_made_from_its_text(admin_page, workspace):
    sent = {"workspace": workspace.pk, "path": "", "draft": ASK, "revision": 1, "enabled": "on"}
    answer = admin_page.post(reverse("admin:flows_flow_add"), sent)
    assert answer.status_code == 302
    flow = Flow.objects.get()
    assert (flow.path, flow.title, flow.draft, str(flow.changed_by)) == ("/flows/ask", "Ask", ASK, "admin")


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"draft": NO_FLOW}, "This is no flow"),
        ({"draft": "a: &a [*a]"}, "stands inside or before what it names"),
        ({"path": "no path"}, "A path looks like"),
        ({"path": "/flows/taken"}, "There is a flow at this path already."),
        ({"draft": ASK.replace("name: ask", "title2: x")}, "A path looks like"),
    ],
)
def test_a_flow_that_cannot_be_made_is_refused_in_words(admin_page, workspace, sent, words):
    Flow.objects.create(workspace=workspace, path="/flows/taken")
    sent = {"workspace": workspace.pk, "path": "", "draft": ASK, "revision": 1, **sent}
    answer = admin_page.post(reverse("admin:flows_flow_add"), sent)
    assert words in shown(answer)
    assert Flow.objects.count() == 1


def test_the_page_shows_findings_steps_and_versions(admin_page, make_flow, ida):
    flow = make_flow(ASK)
    version = publish(flow, by=ida, note="First")
    save_draft(flow, BROKEN, revision=flow.revision, by=ida)
    answer = admin_page.get(change(flow))
    page = shown(answer)
    assert "Error line 10 question 'question' is given to nobody." in page
    assert "question human_task Ask gone" in page
    assert reverse("admin:flows_flowversion_change", args=[version.pk]) in answer.content.decode()
    assert "# Asks a person and tells another." in page


def test_a_draft_with_errors_is_saved_and_shown(admin_page, make_flow):
    flow = make_flow(ASK)
    answer = admin_page.post(change(flow), posted(flow, BROKEN, _continue="1"), follow=True)
    assert "INVALID_ERROR_EDGE" in shown(answer)
    assert Flow.objects.get().draft == BROKEN


def test_text_that_is_no_flow_is_not_lost_and_not_saved(admin_page, make_flow):
    flow = make_flow(ASK)
    answer = admin_page.post(change(flow), posted(flow, "a: b: c"))
    assert "This is no YAML" in shown(answer)
    assert "a: b: c</textarea>" in answer.content.decode()
    assert Flow.objects.get().draft == ASK


def test_a_save_over_somebody_elses_is_refused_and_the_text_kept(admin_page, make_flow, ida):
    flow = make_flow(ASK)
    save_draft(Flow.objects.get(), CHANGED, revision=flow.revision, by=ida)
    answer = admin_page.post(change(flow), posted(flow, ASK + "# mine\n"))
    assert "Somebody else has saved this flow (revision 3)." in shown(answer)
    assert "# mine" in answer.content.decode()
    assert Flow.objects.get().draft == CHANGED


def test_saving_without_a_change_keeps_the_revision_and_can_disable(admin_page, make_flow):
    flow = make_flow(ASK)
    sent = posted(flow, ASK)
    sent.pop("enabled")
    admin_page.post(change(flow), sent)
    kept = Flow.objects.get()
    assert (kept.enabled, kept.revision) == (False, flow.revision)


def test_save_and_publish_makes_a_version_or_says_why_not(admin_page, make_flow):
    flow = make_flow(ASK)
    answer = admin_page.post(change(flow), posted(flow, CHANGED, _publish="1"), follow=True)
    assert "/flows/ask: version 1 is published." in shown(answer)
    flow.refresh_from_db()
    answer = admin_page.post(change(flow), posted(flow, BROKEN, _publish="1"), follow=True)
    assert "/flows/ask: The flow has errors." in shown(answer)
    assert FlowVersion.objects.count() == 1


def test_flows_are_published_enabled_and_disabled_from_the_list(admin_page, make_flow):
    flows = [make_flow(ASK), make_flow(BROKEN.replace("name: ask", "name: broken"))]
    place = reverse("admin:flows_flow_changelist")
    chosen = {"_selected_action": [flow.pk for flow in flows]}
    page = shown(admin_page.post(place, {"action": "publish_flows", **chosen}, follow=True))
    assert "/flows/ask: version 1 is published." in page and "/flows/broken: The flow has errors." in page
    assert "2 flows were changed." in shown(admin_page.post(place, {"action": "disable_flows", **chosen}, follow=True))
    assert not Flow.objects.enabled().exists()
    admin_page.post(place, {"action": "enable_flows", **chosen})
    assert Flow.objects.enabled().count() == 2


def test_who_may_not_publish_cannot(client, make_flow):
    flow = make_flow(ASK)
    editor = User.objects.create_user("editor", is_staff=True)
    editor.user_permissions.set(Permission.objects.filter(codename__in=["change_flow", "view_flow"]))
    client.force_login(editor, backend="django.contrib.auth.backends.ModelBackend")
    assert b"_publish" not in client.get(change(flow)).content
    client.post(change(flow), posted(flow, CHANGED, _publish="1"))
    client.post(reverse("admin:flows_flow_changelist"), {"action": "publish_flows", "_selected_action": [flow.pk]})
    assert (Flow.objects.get().draft, FlowVersion.objects.count()) == (CHANGED, 0)


def test_who_may_only_look_sees_all_and_changes_nothing(client, make_flow):
    flow = make_flow(BROKEN)
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename="view_flow"))
    client.force_login(reader, backend="django.contrib.auth.backends.ModelBackend")
    assert "INVALID_ERROR_EDGE" in shown(client.get(change(flow)))
    assert client.post(change(flow), posted(flow, ASK)).status_code == 403
    assert client.get(reverse("admin:flows_flow_add")).status_code == 403


def test_a_version_shows_its_text_and_what_runs_do_and_cannot_be_changed(admin_page, make_flow, ida):
    version = publish(make_flow(ASK), by=ida)
    place = reverse("admin:flows_flowversion_change", args=[version.pk])
    page = shown(admin_page.get(place))
    assert "# Asks a person and tells another." in page
    assert "A run begins at question" in page
    assert admin_page.post(place, {"note": "x"}).status_code == 403
    assert admin_page.get(reverse("admin:flows_flowversion_changelist")).status_code == 200


def test_a_manifest_is_changed_key_by_key(admin_page, db):
    library.sync()
    row = LibraryFunction.objects.get(path="/test/admin/act")
    place = reverse("admin:flows_libraryfunction_change", args=[row.pk])
    assert admin_page.post(place, {"override": '{"effect": "read"}'}).status_code == 302
    assert library.manifest_of("/test/admin/act") == {"title": "Act", "effect": "read"}
    assert '"effect": "read"' in shown(admin_page.get(place)).replace("&quot;", '"')
    assert admin_page.post(place, {"override": ""}).status_code == 302
    assert library.manifest_of("/test/admin/act") == {"title": "Act", "effect": "write"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "This is no JSON"),
        ("[]", "This is a JSON object"),
        ('{"effect": "rite"}', "effect"),
        ('{"a": NaN}', "NaN"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(admin_page, db, text, words):
    library.sync()
    row = LibraryFunction.objects.get(path="/test/admin/act")
    answer = admin_page.post(reverse("admin:flows_libraryfunction_change", args=[row.pk]), {"override": text})
    assert answer.status_code == 200
    assert words in shown(answer)
    assert LibraryFunction.objects.get(pk=row.pk).override == {}


def test_only_functions_that_are_gone_can_be_deleted(admin_page, db):
    library.sync()
    kept, gone = (
        LibraryFunction.objects.get(path="/test/admin/act"),
        LibraryFunction.objects.create(path="/gone", available=False),
    )
    assert admin_page.get(reverse("admin:flows_libraryfunction_delete", args=[kept.pk])).status_code == 403
    admin_page.post(reverse("admin:flows_libraryfunction_delete", args=[gone.pk]), {"post": "yes"})
    assert not LibraryFunction.objects.filter(path="/gone").exists()


HTTP = {
    "path": "/shop/find",
    "title": "Find",
    "method": "GET",
    "url": "https://shop.example.org/",
    "timeout_seconds": "5",
}


def test_an_http_function_is_made_and_changed_without_code(admin_page, db):
    place = reverse("admin:flows_httpfunction_add")
    told = {**HTTP, "available": "on", "headers": '{"Authorization": "Bearer secret:shop"}', "query": '{"a": 1}'}
    assert admin_page.post(place, told).status_code == 302
    found = HttpFunction.objects.get()
    assert (found.headers, found.body, found.manifest) == (
        {"Authorization": "Bearer secret:shop"},
        None,
        {"effect": "read"},
    )
    page = reverse("admin:flows_httpfunction_change", args=[found.pk])
    assert "Switched on" in shown(admin_page.get(page))
    admin_page.post(page, {**told, "available": "", "manifest": '{"effect": "write"}', "response_headers": '["ETag"]'})
    found.refresh_from_db()
    assert (found.available, found.manifest, found.response_headers) == (False, {"effect": "write"}, ["ETag"])


def test_an_http_function_that_makes_no_sense_is_refused(admin_page, db):
    place = reverse("admin:flows_httpfunction_add")
    wrong = {"headers": '{"Authorization": "abc"}', "body": '"{{ arguments }}"', "manifest": '{"effect": "rite"}'}
    answer = shown(admin_page.post(place, {**HTTP, **wrong}))
    assert "Authorization holds a secret" in answer
    assert "has no body" in answer and "this must be read or write" in answer
    assert not HttpFunction.objects.exists()


def test_the_functions_of_the_code_have_a_page_of_their_own(admin_page, db):
    HttpFunction.objects.create(path="/shop/find", url="https://shop.example.org/")
    assert "/shop/find" not in shown(admin_page.get(reverse("admin:flows_libraryfunction_changelist")))
    assert "/shop/find" in shown(admin_page.get(reverse("admin:flows_httpfunction_changelist")))


AGENT = {"enabled": "on", "provider": "openai", "max_model_calls": "25", "answer_seconds": "120"}


def test_an_agents_tools_and_script_are_json(admin_page, db):
    place, tools = reverse("admin:flows_agent_add"), {"path": "/agents/clerk", "tools": '["/a/b"]'}
    script = '[{"when": "prompt == 1", "answer": {"n": 1}}]'
    assert admin_page.post(place, {**AGENT, **tools, "script": script}).status_code == 302
    agent = Agent.objects.get()
    assert (agent.tools, agent.script[0]["answer"], agent.output_schema) == (["/a/b"], {"n": 1}, None)
    answer = shown(admin_page.post(place, {**AGENT, "path": "/agents/b", "script": '[{"when": "1 +"}]', "key": "sk-1"}))
    assert "Name the key instead of writing it here" in answer
    assert "rule 1: when:" in answer


def test_a_secret_goes_in_and_never_comes_out(admin_page, db):
    place = reverse("admin:flows_secret_add")
    assert "A new secret needs a value." in shown(admin_page.post(place, {"name": "openai"}))
    assert admin_page.post(place, {"name": "openai", "value": "sk-hidden"}).status_code == 302
    secret = Secret.objects.get()
    page = reverse("admin:flows_secret_change", args=[secret.pk])
    assert "sk-hidden" not in admin_page.get(page).content.decode()
    admin_page.post(page, {"name": "renamed", "value": ""})
    assert key_of("secret:renamed") == "sk-hidden"
    assert "sk-hidden" not in str(list(LogEntry.objects.values()))


TARGET = {"name": "support-team", "kind": "email", "addresses": "ida@example.org", "language": "en", "enabled": "on"}


def test_a_notification_target_is_made_changed_and_deleted(admin_page, db):
    assert admin_page.post(reverse("admin:flows_notificationtarget_add"), TARGET).status_code == 302
    target = NotificationTarget.objects.get()
    assert (target.recipients, target.headers, target.enabled) == (["ida@example.org"], {}, True)
    hook = {"kind": "webhook", "addresses": "", "url": "https://a.example.org/", "headers": '{"X-Key": "secret:chat"}'}
    admin_page.post(reverse("admin:flows_notificationtarget_change", args=[target.pk]), {**TARGET, **hook})
    target.refresh_from_db()
    assert (target.kind, target.headers) == ("webhook", {"X-Key": "secret:chat"})
    admin_page.post(reverse("admin:flows_notificationtarget_delete", args=[target.pk]), {"post": "yes"})
    assert not NotificationTarget.objects.exists()


def test_a_notification_target_that_makes_no_sense_is_refused(admin_page, db):
    wrong = {"name": "Our team", "addresses": "ida", "url": "x", "headers": '{"Authorization": "abc"}'}
    answer = shown(admin_page.post(reverse("admin:flows_notificationtarget_add"), {**TARGET, **wrong}))
    assert "ida is no mail address" in answer and "Use small letters" in answer
    assert "This is no address" in answer and "Authorization holds a secret" in answer
    assert "This is a JSON object" in shown(
        admin_page.post(reverse("admin:flows_notificationtarget_add"), {**TARGET, "headers": "[1]"})
    )


def test_agents_live_below_their_folder(admin_page, db):
    place = reverse("admin:flows_agent_add")
    assert "A path looks like" in shown(admin_page.post(place, {"path": "/clerk"}))
    assert admin_page.post(place, {**AGENT, "path": "/agents/clerk"}).status_code == 302
    assert Agent.objects.get().path == "/agents/clerk"


def test_the_default_workspace_stays(admin_page, workspace):
    other = Workspace.objects.create(slug="other", title="Other")
    assert admin_page.get(reverse("admin:flows_workspace_delete", args=[workspace.pk])).status_code == 403
    assert admin_page.get(reverse("admin:flows_workspace_delete", args=[other.pk])).status_code == 200


@pytest.mark.parametrize(
    "model",
    ["flow", "flowversion", "libraryfunction", "httpfunction", "agent", "notificationtarget", "workspace"],
)
def test_no_page_needs_inline_styles_or_scripts(admin_page, make_flow, ida, model):
    flow = make_flow(calling("/test/admin/act"))
    publish(flow, by=ida)
    library.sync()
    Agent.objects.create(path="/agents/clerk")
    HttpFunction.objects.create(path="/shop/find", url="https://shop.example.org/")
    NotificationTarget.objects.create(name="support-team", addresses="ida@example.org")
    first = apps.get_model("flows", model)._default_manager.first()
    pages = [reverse(f"admin:flows_{model}_changelist"), reverse(f"admin:flows_{model}_change", args=[first.pk])]
    for page in pages:
        text = admin_page.get(page, {"q": "a"}).content.decode()
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\bsrc=)", text)
