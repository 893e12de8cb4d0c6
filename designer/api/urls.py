"""Paths of the API; raisin's own, so that its client finds them (reference/flow-format.md, section 12)."""

from django.urls import path, re_path

from designer.api.views import auth, events, other

urlpatterns = [
    path("raisindb/sys/<str:tenant>/auth", auth.SignInView.as_view(), name="api-sign-in"),
    path("raisindb/sys/<str:tenant>/auth/refresh", auth.RefreshView.as_view(), name="api-refresh"),
    path("flows/<slug:repo>/instances/<uuid:instance_id>/events", events.EventsView.as_view(), name="api-events"),
    path("schema", other.SchemaView.as_view(), name="api-schema"),
    re_path("", other.NowhereView.as_view()),
]
