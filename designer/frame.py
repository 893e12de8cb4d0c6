"""What the frame of every page needs: the rail's items, and how this person likes the frame (templates/base.html)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import pgettext_lazy

from designer.access import can_operate, user_path
from engine.models import InboxTask
from engine.states import TaskStatus

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

# The cookies in which a browser keeps a person's taste, and the values each may have; "" takes the cookie away.
TASTES = {"theme": ("light", "dark", ""), "rail": ("small", "")}


@dataclass(frozen=True, slots=True)
class RailItem:
    """One entry of the rail. On a phone the late ones move behind "More"."""

    url_name: str
    word: "Words | str"
    icon: str
    late: bool = False
    for_operators: bool = False


RAIL = (
    RailItem("flow-list", pgettext_lazy("rail", "Flows"), "workflow"),
    RailItem("run-list", pgettext_lazy("rail", "Runs"), "activity"),
    RailItem("held-and-failed", pgettext_lazy("rail", "Held and failed"), "life-buoy", late=True, for_operators=True),
    RailItem("inbox", pgettext_lazy("rail", "Inbox"), "inbox"),
    RailItem("library", pgettext_lazy("rail", "Library"), "blocks"),
    RailItem("trigger-list", pgettext_lazy("rail", "Triggers"), "zap", late=True),
    RailItem("settings", pgettext_lazy("rail", "Settings"), "settings", late=True),
)


def address(url_name: str) -> str:
    """The URL of a page, or "" while nobody has built it."""
    try:
        return reverse(url_name)
    except NoReverseMatch:
        return ""


def rail(path: str, *, operates: bool = False) -> list[dict[str, Any]]:
    """The items whose pages exist, and that are for this person; the one that ``path`` belongs to is current."""
    items = [(item, url) for item in RAIL if (operates or not item.for_operators) and (url := address(item.url_name))]
    around = [url for _, url in items if path == url or (url != "/" and path.startswith(url))]
    current = max(around, key=len, default="")
    return [{"item": item, "url": url, "current": url == current} for item, url in items]


def open_tasks(user: Any) -> int:
    """How many tasks wait for this person; one look at an index."""
    tasks = InboxTask.objects.filter(assignee=user_path(user), status=TaskStatus.PENDING, is_test=False)
    return tasks.count()


def frame(request: HttpRequest) -> dict[str, Any]:
    """Context processor. ``workspace_name`` and ``is_test`` come from the page or other processors."""
    tastes = {name: request.COOKIES.get(name, "") for name in TASTES}
    user = getattr(request, "user", None)
    entries = rail(request.path, operates=can_operate(user)) if user and user.is_authenticated else []
    late = [entry for entry in entries if entry["item"].late]
    return {
        "tastes": {name: value for name, value in tastes.items() if value in TASTES[name]},
        "rail": entries,
        "inbox_count": open_tasks(user) if entries else 0,
        "rail_has_more": bool(late),
        "rail_more_is_current": any(entry["current"] for entry in late),
        "home_url": address("flow-list") or "/",
        "search_url": address("search"),
        "guide_url": address("guide"),
        "shows_style_guide": settings.DEBUG or bool(user and user.is_staff),
    }
