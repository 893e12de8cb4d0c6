"""Paths of the API; raisin's own, so that its client finds them (reference/flow-format.md, section 12)."""

from django.urls import path, re_path

from designer.api.views import auth, catalogue, events, failures, flows, foresight, inbox, other, runs

urlpatterns = [
    path("raisindb/sys/<str:tenant>/auth", auth.SignInView.as_view(), name="api-sign-in"),
    path("raisindb/sys/<str:tenant>/auth/refresh", auth.RefreshView.as_view(), name="api-refresh"),
    path("flows/<slug:repo>/catalogue", catalogue.CatalogueView.as_view(), name="api-catalogue"),
    path("flows/<slug:repo>/import", flows.ImportView.as_view(), name="api-import"),
    path("flows/<slug:repo>/run", runs.RunView.as_view(), name="api-run"),
    path("flows/<slug:repo>/test", runs.TestRunView.as_view(), name="api-test"),
    path("flows/<slug:repo>/if-it-fails", foresight.ForesightView.as_view(), name="api-if-it-fails"),
    path("flows/<slug:repo>/instances", runs.InstancesView.as_view(), name="api-instances"),
    path("flows/<slug:repo>/instances/<uuid:instance_id>", runs.InstanceView.as_view(), name="api-instance"),
    path("flows/<slug:repo>/instances/<uuid:instance_id>/cancel", runs.CancelView.as_view(), name="api-cancel"),
    path("flows/<slug:repo>/instances/<uuid:instance_id>/resume", runs.ResumeView.as_view(), name="api-resume"),
    path("flows/<slug:repo>/instances/<uuid:instance_id>/failure", failures.FailureView.as_view(), name="api-failure"),
    path("flows/<slug:repo>/instances/<uuid:instance_id>/abandon", failures.AbandonView.as_view(), name="api-abandon"),
    path("flows/<slug:repo>/instances/<uuid:instance_id>/events", events.EventsView.as_view(), name="api-events"),
    path("inbox/<slug:repo>", inbox.TasksView.as_view(), name="api-tasks"),
    # A task's path has slashes in it, and a server decodes them before they get here: the longer pattern comes first.
    path("inbox/<slug:repo>/tasks/<path:reference>/complete", inbox.CompleteView.as_view(), name="api-complete"),
    path("inbox/<slug:repo>/tasks/<path:reference>", inbox.TaskView.as_view(), name="api-task"),
    path("schema", other.SchemaView.as_view(), name="api-schema"),
    re_path("", other.NowhereView.as_view()),
]
