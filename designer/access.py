"""Who may see and do what, for pages and API alike: no view checks by hand.

A getter raises ``Http404`` for what its caller may not know of and ``PermissionDenied`` for what they may see but not
do (reference/flow-format.md, section 12, last column). Rights are Django permissions; the groups that carry them are
made by the migration ``designer.0002_groups``.
"""

from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404

from designer.models import SavedView
from engine.models import InboxTask, Instance
from engine.states import Status, WaitKind
from flows.models import Flow, InputSample, Workspace

Person = User | AnonymousUser


def user_path(user: Person) -> str:
    """The path under which flows know a person, such as ``/users/ana``."""
    return f"/users/{user.get_username()}"


def is_administrator(user: Person) -> bool:
    """Superusers, and staff who may delete runs: what the group *Administrators* gives to somebody who is staff."""
    return user.is_superuser or (user.is_staff and user.has_perm("engine.delete_instance"))


def sees_flows(user: Person) -> bool:
    """Whether all flows and their runs lie open to them; others see the runs that they started themselves."""
    return user.is_staff or user.has_perm("flows.view_flow")


def can_run(user: Person, flow: Flow) -> bool:
    """Whether they may start ``flow``; a disabled flow is refused later, whoever asks."""
    return sees_flows(user) and user.has_perm("flows.run_flow")


def can_test(user: Person, flow: Flow) -> bool:
    """Whether they may start test runs of ``flow``, disabled or not."""
    return sees_flows(user) and user.has_perm("flows.test_flow")


def can_start_some(user: Person) -> bool:
    """Whether they may start real runs or test runs of flows at all."""
    return sees_flows(user) and (user.has_perm("flows.run_flow") or user.has_perm("flows.test_flow"))


def can_create_flows(user: Person) -> bool:
    """Whether they may make flows, and bring some in."""
    return sees_flows(user) and user.has_perm("flows.add_flow")


def can_change_flows(user: Person) -> bool:
    """Whether they may change drafts, and switch flows on and off."""
    return sees_flows(user) and user.has_perm("flows.change_flow")


def can_publish(user: Person) -> bool:
    """Whether they may make a draft the version that new runs use."""
    return sees_flows(user) and user.has_perm("flows.publish_flow")


def can_operate(user: Person) -> bool:
    """Whether they may cancel, resume and abandon runs of others."""
    return user.has_perm("engine.operate_instance")


def can_export(user: Person) -> bool:
    """Whether they may take lists of runs away as files: seeing a page of them is not enough, as staff does."""
    return sees_flows(user) and user.has_perm("engine.view_instance")


def check_export(user: Person) -> None:
    if not can_export(user):
        raise PermissionDenied("You may look at these runs but not export them.")


def can_share_views(user: Person) -> bool:
    """Whether a view they save may be offered to others: whoever sees all flows."""
    return sees_flows(user)


def can_cancel(user: Person, instance: Instance) -> bool:
    """Operators, and whoever started the run."""
    return can_operate(user) or _is_starter(user, instance)


def can_resume(user: Person, instance: Instance) -> bool:
    """Operators; the starter too where the run waits for an event or in a chat; a person's task only administrators.

    A starter whose run waits for nothing passes: the engine tells them so.
    """
    if instance.wait_kind == WaitKind.HUMAN_TASK:
        return is_administrator(user)
    is_failed = instance.status in {Status.FAILED, Status.HELD}
    is_for_starter = not is_failed and instance.wait_kind in {"", WaitKind.EVENT, WaitKind.CHAT}
    return can_operate(user) or (is_for_starter and _is_starter(user, instance))


def get_workspace(repo: str) -> Workspace:
    """The workspace of that slug."""
    workspace = Workspace.objects.filter(slug=repo).first()
    if workspace is None:
        raise Http404(f"There is no workspace {repo}.")
    return workspace


def get_workspace_with_flows_for(user: Person, repo: str) -> Workspace:
    """A workspace whose flows lie open to them; what these may call and whom they may ask is no secret then."""
    workspace = get_workspace(repo)
    if not sees_flows(user):
        raise PermissionDenied("You may not look at flows.")
    return workspace


def flows_for(user: Person, repo: str) -> QuerySet[Flow]:
    """The flows of a workspace that they see."""
    flows = Flow.objects.filter(workspace=get_workspace(repo))
    return flows if sees_flows(user) else flows.none()


def get_flow_for(user: Person, repo: str, path: str) -> Flow:
    """A flow to look at."""
    flow = flows_for(user, repo).filter(path=path).first()
    if flow is None:
        raise Http404(f"There is no flow at {path} in {repo}.")
    return flow


def get_rw_flow_for(user: Person, repo: str, path: str) -> Flow:
    """A flow to change."""
    flow = get_flow_for(user, repo, path)
    if not can_change_flows(user):
        raise PermissionDenied("You may look at this flow but not change it.")
    return flow


def get_publishable_flow_for(user: Person, repo: str, path: str) -> Flow:
    """A flow to publish; whether its draft is fit for that is for the doctor to say."""
    flow = get_flow_for(user, repo, path)
    if not can_publish(user):
        raise PermissionDenied("You may look at this flow but not publish it.")
    return flow


def get_workspace_for_new_flows(user: Person, repo: str) -> Workspace:
    """A workspace to make flows in."""
    if not can_create_flows(user):
        raise PermissionDenied("You may not make flows.")
    return get_workspace(repo)


def get_runnable_flow_for(user: Person, repo: str, path: str) -> Flow:
    """A flow to start."""
    flow = get_flow_for(user, repo, path)
    if not can_run(user, flow):
        raise PermissionDenied("You may look at this flow but not start it.")
    return flow


def get_testable_flow_for(user: Person, repo: str, path: str) -> Flow:
    """A flow to start test runs of."""
    flow = get_flow_for(user, repo, path)
    if not can_test(user, flow):
        raise PermissionDenied("You may look at this flow but not test it.")
    return flow


def get_startable_flow_for(user: Person, repo: str, path: str) -> Flow:
    """A flow to start real runs or test runs of; which of the two they may is asked once more when they do."""
    flow = get_flow_for(user, repo, path)
    if not can_run(user, flow) and not can_test(user, flow):
        raise PermissionDenied("You may look at this flow but not start it.")
    return flow


def can_drop_sample(user: Person, sample: InputSample) -> bool:
    """Whoever kept it, and who may change flows."""
    return can_change_flows(user) or (user.pk is not None and sample.created_by_id == user.pk)


def get_droppable_sample_for(user: Person, flow: Flow, sample_id: int) -> InputSample:
    """A sample of a flow they may start, to forget."""
    sample = InputSample.objects.filter(flow=flow, pk=sample_id).first()
    if sample is None:
        raise Http404(f"{flow} has no such sample.")
    if not can_drop_sample(user, sample):
        raise PermissionDenied("You may use this sample but not delete it.")
    return sample


def instances_for(user: Person, repo: str) -> QuerySet[Instance]:
    """The runs of a workspace that they see: all where they see flows, else those they started, children included: a child run
    has the starter of its parent."""
    instances = Instance.objects.filter(workspace=get_workspace(repo))
    if sees_flows(user):
        return instances
    if not user.is_authenticated:
        return instances.none()
    return instances.filter(started_by=user)


def get_instance_for(user: Person, repo: str, instance_id: UUID) -> Instance:
    """A run to look at."""
    found = instances_for(user, repo).select_related("flow", "version", "root", "started_by")
    instance = found.filter(pk=instance_id).first()
    if instance is None:
        raise Http404(f"There is no run {instance_id} in {repo}.")
    return instance


def get_cancellable_instance_for(user: Person, repo: str, instance_id: UUID) -> Instance:
    """A run to cancel."""
    instance = get_instance_for(user, repo, instance_id)
    if not can_cancel(user, instance):
        raise PermissionDenied("Only an operator or the person who started this run may cancel it.")
    return instance


def get_resumable_instance_for(user: Person, repo: str, instance_id: UUID) -> Instance:
    """A run to resume; whether it waits for that is for the engine to say."""
    instance = get_instance_for(user, repo, instance_id)
    if not can_resume(user, instance):
        if instance.wait_kind == WaitKind.HUMAN_TASK:
            raise PermissionDenied("This run waits for a person's task: it is answered in the inbox.")
        raise PermissionDenied("Only an operator may resume this run.")
    return instance


def can_retry(user: Person, instance: Instance) -> bool:
    """Operators, and whoever started the run."""
    return can_operate(user) or _is_starter(user, instance)


def get_retryable_instance_for(user: Person, repo: str, instance_id: UUID) -> Instance:
    """A run whose next try may be made now; whether it waits for one is for the engine to say."""
    instance = get_instance_for(user, repo, instance_id)
    if not can_retry(user, instance):
        raise PermissionDenied("Only an operator or the person who started this run may have it tried again now.")
    return instance


def get_operable_instance_for(user: Person, repo: str, instance_id: UUID) -> Instance:
    """A run whose failure somebody decides about; whether it has one is for the engine to say."""
    instance = get_instance_for(user, repo, instance_id)
    if not can_operate(user):
        raise PermissionDenied("Only an operator may resume or abandon a run that failed or is held.")
    return instance


def get_deletable_instance_for(user: Person, repo: str, instance_id: UUID) -> Instance:
    """A run to delete; whether it has ended is for the engine to say."""
    instance = get_instance_for(user, repo, instance_id)
    if not is_administrator(user):
        raise PermissionDenied("Only an administrator may delete a run.")
    return instance


def saved_view_for(user: Person, repo: str, view_id: int) -> SavedView:
    """A saved view to delete: one's own; a shared one also for administrators. Others need not know of it."""
    view = SavedView.objects.filter(workspace=get_workspace(repo), pk=view_id).first()
    if view is None or not (view.user_id == user.pk or (view.is_shared and is_administrator(user))):
        raise Http404("There is no such view, or it is somebody else's.")
    return view


def tasks_for(user: Person, repo: str, assignee: str) -> QuerySet[InboxTask]:
    """The inbox of ``assignee``, a path, or ``*`` for everybody's: another's is for administrators. No test tasks."""
    if assignee != user_path(user) and not is_administrator(user):
        raise PermissionDenied("Only an administrator may look into another's inbox.")
    tasks = InboxTask.objects.filter(workspace=get_workspace(repo), is_test=False).select_related("instance")
    return tasks if assignee == "*" else tasks.filter(assignee=assignee)


def get_task_for(user: Person, repo: str, reference: str) -> InboxTask:
    """A task to look at and to answer, by its id or its path (with or without the leading slash)."""
    tasks = InboxTask.objects.filter(workspace=get_workspace(repo)).select_related("instance__root").order_by("-id")
    task = tasks.filter(_names(reference)).first()
    if task is None or (task.is_test and not can_answer_any(user, task)):
        raise Http404(f"There is no task {reference} in {repo}.")
    if task.assignee != user_path(user) and not can_answer_any(user, task):
        raise PermissionDenied("This task is somebody else's.")
    return task


def can_answer_any(user: Person, task: InboxTask) -> bool:
    """Whether they may answer it whoever was asked: administrators, and of a test run's tasks who started that run: the
    people such a task is addressed to never hear of it (design/semantics.md, "Test runs")."""
    return is_administrator(user) or (task.is_test and _is_starter(user, task.instance))


def _names(reference: str) -> Q:
    try:
        return Q(pk=UUID(reference))
    except ValueError:
        if "\x00" in reference:  # PostgreSQL cannot even be asked for such a text
            return Q(pk__in=[])
        return Q(path="/" + reference.lstrip("/"))


def _is_starter(user: Person, instance: Instance) -> bool:
    return user.pk is not None and (instance.root or instance).started_by_id == user.pk
