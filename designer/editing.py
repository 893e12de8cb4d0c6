"""Who has which draft open: one row a person and flow, kept alive by the page (``PULSE_SECONDS``), gone without it."""

from datetime import timedelta
from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from designer.models import Editing
from designer.people import name_of
from flows.models import Flow

PULSE_SECONDS: Final = 15
GONE_AFTER: Final = timedelta(seconds=3 * PULSE_SECONDS)
"""Two missed pulses are a slow network, three are a closed page."""
MOST: Final = 20


def is_here(flow: Flow, user: User) -> list[str]:
    """Note that ``user`` has the draft open; answers the names of the others who have."""
    now = timezone.now()
    Editing.objects.filter(seen_at__lt=now - GONE_AFTER).delete()
    Editing.objects.update_or_create(flow=flow, user=user, defaults={"seen_at": now})
    others = Editing.objects.filter(flow=flow).exclude(user=user).select_related("user").order_by("user__username")
    return [name_of(each.user) for each in others[:MOST]]


def is_gone(flow: Flow, user: User) -> None:
    """The page was closed. Another page of theirs says within a pulse that they are still there."""
    Editing.objects.filter(flow=flow, user=user).delete()
