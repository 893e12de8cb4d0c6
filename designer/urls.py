from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path, register_converter
from django.views.i18n import set_language

from designer.flow_urls import FlowPath
from designer.views import (
    compare,
    design,
    failures,
    flow_drafts,
    flow_import,
    flow_list,
    flows,
    foresight,
    inbox,
    inbox_many,
    library,
    pages,
    run_bulk,
    run_dialog,
    run_export,
    run_list,
    run_views,
    runs,
    sign_in,
    trouble,
)

register_converter(FlowPath, "flow")

urlpatterns = [
    path("", flow_list.home, name="home"),
    # people
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("language", set_language, name="language"),
    path("tastes", pages.tastes, name="tastes"),
    # flows
    path("flows/", flow_list.flow_list, name="flow-list"),
    path("flows/-/new", flow_list.new_flow, name="new-flow"),
    path("flows/<flow:path>/-/run", run_dialog.run_dialog, name="run-form"),
    path("flows/<flow:path>/-/samples/<int:sample_id>/delete", run_dialog.drop_sample, name="drop-sample"),
    path("flows/-/import", flow_import.import_flows, name="flow-import"),
    path("flows/<flow:path>/-/design", design.design, name="design"),
    path("flows/<flow:path>/-/design/draft", design.design_draft, name="design-draft"),
    path("flows/<flow:path>/-/design/check", design.design_check, name="design-check"),
    path("flows/<flow:path>/-/design/publish", design.design_publish, name="design-publish"),
    path("flows/<flow:path>/-/design/samples", design.design_samples, name="design-samples"),
    path("flows/<flow:path>/-/design/preview", design.design_preview, name="design-preview"),
    path("flows/<flow:path>/-/design/editing", design.design_editing, name="design-editing"),
    path("flows/<flow:path>/-/design/versions/<int:number>", design.design_version, name="design-version"),
    path("flows/<flow:path>/-/draft", flow_drafts.draft, name="flow-draft"),
    path("flows/<flow:path>/-/publish", flow_drafts.publish_draft, name="publish-flow"),
    path("flows/<flow:path>/-/if-it-fails/<str:step>", foresight.if_it_fails, name="if-it-fails"),
    path("flows/<flow:path>/-/switch", flow_drafts.switch, name="switch-flow"),
    path("flows/<flow:path>/-/compare", compare.compare_versions, name="compare-versions"),
    path("flows/<flow:path>/-/versions/<int:number>", flows.flow_version, name="flow-version"),
    path("flows/<flow:path>/-/export.<slug:form>", flows.export, name="export-flow"),
    path("flows/<flow:path>/", flows.flow_detail, name="flow-detail"),
    # runs
    path("runs/", run_list.run_list, name="run-list"),
    path("runs/held-and-failed", trouble.held_and_failed, name="held-and-failed"),
    path("runs/-/bulk", run_bulk.run_bulk, name="run-bulk"),
    path("runs/-/bulk/all/", run_bulk.bulk_errand_list, name="bulk-errand-list"),
    path("runs/-/bulk/all/<uuid:errand_id>/", run_bulk.bulk_errand, name="bulk-errand"),
    path("runs/-/bulk/all/<uuid:errand_id>/body", run_bulk.bulk_errand_body, name="bulk-errand-body"),
    path("runs/-/bulk/all/<uuid:errand_id>/stop", run_bulk.stop_bulk_errand, name="stop-bulk-errand"),
    path("runs/-/export.<slug:form>", run_export.export_runs, name="export-runs"),
    path("runs/-/views", run_views.run_views, name="run-views"),
    path("runs/-/views/<int:view_id>/delete", run_views.delete_run_view, name="delete-run-view"),
    path("runs/<uuid:run_id>/", runs.run_detail, name="run-detail"),
    path("runs/<uuid:run_id>/body", runs.run_body, name="run-body"),
    path("runs/<uuid:run_id>/cancel", runs.cancel_run, name="cancel-run"),
    path("runs/<uuid:run_id>/resume", failures.resume_run, name="resume-run"),
    path("runs/<uuid:run_id>/abandon", failures.abandon_run, name="abandon-run"),
    path("runs/<uuid:run_id>/again", runs.start_run_again, name="start-run-again"),
    path("runs/<uuid:run_id>/retry", runs.retry_run_now, name="retry-run-now"),
    path("runs/<uuid:run_id>/scenario.yaml", runs.run_as_scenario, name="run-as-scenario"),
    path("runs/<uuid:run_id>/delete", runs.delete_run, name="delete-run"),
    path("runs/<uuid:run_id>/<slug:what>.json", runs.run_value, name="run-value"),
    path("runs/<uuid:run_id>/steps/<int:seq>/", runs.run_step, name="run-step"),
    path("runs/<uuid:run_id>/steps/<int:seq>/output.json", runs.step_value, name="step-value"),
    # the inbox
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/-/answer", inbox_many.answer_tasks, name="answer-tasks"),
    path("inbox/<uuid:task_id>/", inbox.task, name="task"),
    path("inbox/<uuid:task_id>/hand-over", inbox.hand_over_task, name="hand-over-task"),
    # what flows may call
    path("library/", library.library, name="library"),
    path("library/function", library.function, name="library-function"),
    # the product itself
    path("style-guide", pages.style_guide, name="style-guide"),
    path("admin/", admin.site.urls),
    path("api/", include("designer.api.urls")),
]
