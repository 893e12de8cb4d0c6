"""Runs: start, list, look, cancel, resume, delete, at raisin's paths (reference/flow-format.md, section 12)."""

import re
from typing import Final
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from designer import access
from designer.api.base import ApiView, responses
from designer.api.serializers import (
    CancelledSerializer,
    InstanceDetailSerializer,
    InstanceFilterSerializer,
    InstanceListSerializer,
    ResumedSerializer,
    ResumeSerializer,
    RunSerializer,
    StartedSerializer,
    TestRunSerializer,
)
from designer.api.views import failures
from designer.paging import keyset
from designer.presenters.run_rows import light
from engine import commands, testruns
from engine.errors import Conflict
from engine.models import Instance
from engine.ports_production import ports
from engine.states import TERMINAL, Status

KEY_HEADER: Final = "Idempotency-Key"
KEY: Final = r"[!-~]{1,200}"


KEY_PARAMETER: Final = OpenApiParameter(
    KEY_HEADER,
    {"type": "string", "pattern": f"^{KEY}$"},
    OpenApiParameter.HEADER,
    description="Makes the call safe to repeat for 24 hours: the same key and body get the same answer.",
)


class RunView(ApiView):
    @extend_schema(
        operation_id="run_flow",
        tags=["runs"],
        parameters=[KEY_PARAMETER],
        request=RunSerializer,
        responses=responses({200: StartedSerializer}, 403, 409, 413, 415),
    )
    def post(self, request: Request, repo: str) -> Response:
        """Start a run of a flow's newest published version."""
        key = _key(request)
        asked = self.sent(RunSerializer)
        flow = access.get_runnable_flow_for(self.person, repo, asked["flow_path"])
        published = ports().flows.published(flow.workspace_id, flow.path)
        if published is None:
            raise Conflict(f"{flow} has no published version. Publish one first; nothing was started.")
        instance = commands.start(
            flow.pk,
            published.version_id,
            input=asked["input"],
            by=access.user_path(self.person),
            user=self.person,
            key=key,
            ports=ports(),
        )
        return _queued(instance)


class TestRunView(ApiView):
    @extend_schema(
        operation_id="test_flow",
        tags=["runs"],
        parameters=[KEY_PARAMETER],
        request=TestRunSerializer,
        responses=responses({200: StartedSerializer}, 403, 409, 413, 415),
    )
    def post(self, request: Request, repo: str) -> Response:
        """Start a test run of a flow's draft, with mocks in place of functions and agents.

        The draft as it is now is run, published or not; where there is none, the newest version. 409 lists what the doctor
        finds wrong with it.
        """
        key = _key(request)
        asked = self.sent(TestRunSerializer)
        instance = testruns.start_test(
            access.get_testable_flow_for(self.person, repo, asked["flow_path"]),
            input=asked["input"],
            test_config=asked["test_config"],
            by=access.user_path(self.person),
            user=self.person,
            key=key,
            ports=ports(),
        )
        return _queued(instance)


class InstancesView(ApiView):
    @extend_schema(
        operation_id="list_instances",
        tags=["runs"],
        parameters=[InstanceFilterSerializer],
        responses=responses({200: InstanceListSerializer}),
    )
    def get(self, request: Request, repo: str) -> Response:
        """The runs that one sees and that fit every filter, newest first. Give `next_cursor` back as `cursor` for more."""
        asked = self.asked(InstanceFilterSerializer)
        query = InstanceFilterSerializer.query(asked)
        found = light(query.among(access.instances_for(self.person, repo), repo))
        page = keyset(found, before=asked.get("cursor"), size=asked["limit"], branches=query.branches())
        return Response(InstanceListSerializer({"instances": page.rows, "next_cursor": page.older}).data)


class InstanceView(ApiView):
    @extend_schema(operation_id="get_instance", tags=["runs"], responses=responses({200: InstanceDetailSerializer}))
    def get(self, request: Request, repo: str, instance_id: UUID) -> Response:
        """One run: where it stands, what it knows, how it ended."""
        data = InstanceDetailSerializer(access.get_instance_for(self.person, repo, instance_id)).data
        if data["status"] in TERMINAL:
            testruns.delivered(instance_id, ports())
        return Response(data)

    @extend_schema(operation_id="delete_instance", tags=["runs"], responses=responses({204: None}, 403, 409))
    def delete(self, request: Request, repo: str, instance_id: UUID) -> Response:
        """Delete a run that has ended, with its child runs and all records. Administrators only."""
        commands.delete(access.get_deletable_instance_for(self.person, repo, instance_id).pk)
        return Response(status=204)


class CancelView(ApiView):
    @extend_schema(
        operation_id="cancel_instance",
        tags=["runs"],
        request=None,
        responses=responses({200: CancelledSerializer, 202: CancelledSerializer}, 403, 409),
    )
    def post(self, request: Request, repo: str, instance_id: UUID) -> Response:
        """Cancel a run: nothing new starts, what is out is awaited. 202 while a call is still out."""
        instance = access.get_cancellable_instance_for(self.person, repo, instance_id)
        outcome = commands.cancel(instance.pk, by=access.user_path(self.person), ports=ports())
        data = {"id": instance.pk, "status": outcome.status, "cancel_requested": outcome.requested or None}
        return Response(CancelledSerializer(data).data, status=202 if outcome.requested else 200)


class ResumeView(ApiView):
    @extend_schema(
        operation_id="resume_instance",
        tags=["runs"],
        request=ResumeSerializer,
        responses=responses({200: ResumedSerializer, 202: ResumedSerializer}, 403, 409, 413, 415),
    )
    def post(self, request: Request, repo: str, instance_id: UUID) -> Response:
        """Tell a run that what it waits for has come, with the data it brought; or let one go on that failed or is held.

        202 while what must be undone before a failed run goes on still is.
        """
        asked, by = self.sent(ResumeSerializer), access.user_path(self.person)
        instance = access.get_resumable_instance_for(self.person, repo, instance_id)
        if failures.speaks_of_a_failure(asked):
            instance = access.get_operable_instance_for(self.person, repo, instance_id)
            return failures.resume_failed(instance, asked, by)
        if instance.status in TERMINAL | {Status.HELD}:
            return failures.resume_failed(instance, asked, by)
        signal = commands.resume(instance.pk, data=asked["resume_data"], by=by, ports=ports())
        return Response({"instance_id": instance.pk, "job_id": str(signal), "status": "resumed"})


def _queued(instance: Instance) -> Response:
    return Response({"instance_id": instance.pk, "job_id": str(instance.pk), "status": "queued"})


def _key(request: Request) -> str | None:
    key = request.headers.get(KEY_HEADER)
    if key is not None and not re.fullmatch(KEY, key):
        raise ValidationError({KEY_HEADER: "This must be 1 to 200 visible ASCII characters."})
    return key
