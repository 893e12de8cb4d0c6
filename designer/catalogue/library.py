"""What steps can call, whom they can ask or tell: functions with their manifests, agents, people, groups, flows, targets."""

from typing import Any, Final

from django.contrib.auth.models import Group, User

from designer.people import name_of
from engine.people import GROUPS, USERS
from flows.library import manifest_of
from flows.models import Agent, Flow, LibraryFunction, NotificationTarget, Workspace

MOST_PEOPLE: Final = 500
"""A list to choose from stops being one long before; a path can always be typed."""

_TOLD: Final = ("effect", "idempotent", "idempotency_param", "input_schema", "output_schema", "retry", "compensation")


def functions() -> list[dict[str, Any]]:
    """Every installed function with what its manifest says of calling it."""
    rows = LibraryFunction.objects.filter(available=True).only("path", "title")
    return [_function(row.path, row.title) for row in rows]


def _function(path: str, title: str) -> dict[str, Any]:
    manifest = manifest_of(path) or {}
    told = {name: manifest[name] for name in _TOLD if name in manifest}
    return {
        "path": path,
        "title": manifest.get("title") or title or path,
        "description": manifest.get("description", ""),
        "group": manifest.get("category") or path.strip("/").split("/")[0],
        **told,
    }


def agents() -> list[dict[str, Any]]:
    """Every agent that may be asked."""
    rows = Agent.objects.filter(enabled=True).only("path", "title", "description")
    return [{"path": row.path, "title": row.title or row.path, "description": row.description} for row in rows]


def people() -> list[dict[str, Any]]:
    """Groups first, then people by name."""
    groups = [{"path": GROUPS + name, "title": name, "is_group": True} for name in _group_names()]
    users = User.objects.filter(is_active=True).order_by("first_name", "last_name", "username")[:MOST_PEOPLE]
    return groups + [{"path": USERS + user.get_username(), "title": name_of(user), "is_group": False} for user in users]


def _group_names() -> list[str]:
    with_people = Group.objects.filter(user__is_active=True).distinct().order_by("name")
    return list(with_people.values_list("name", flat=True))


def flows(workspace: Workspace) -> list[dict[str, Any]]:
    """The flows that can be run from another one."""
    rows = Flow.objects.filter(workspace=workspace).order_by("title", "path").only("path", "title", "description")
    return [{"path": row.path, "title": row.title or row.path, "description": row.description} for row in rows]


def targets() -> list[dict[str, Any]]:
    """Who can be told when a recovery gives up."""
    rows = NotificationTarget.objects.filter(enabled=True)
    return [{"name": row.name, "description": row.description, "kind": row.get_kind_display()} for row in rows]
