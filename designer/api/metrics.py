"""A run in numbers, with raisin's names."""

from django.db.models import Count, F, Sum
from django.utils import timezone

from engine.models import Compensation, Instance, Visit
from engine.states import CompensationState

_RAN = [CompensationState.DONE, CompensationState.ABSENT, CompensationState.FAILED]


def metrics(instance: Instance) -> dict[str, int]:
    """Durations in milliseconds; steps are visits of what can be attempted, so containers are left out. Two queries."""
    visits = Visit.objects.filter(instance=instance, attempts__gt=0).order_by()
    counted = visits.aggregate(steps=Count("id"), attempts=Sum(F("attempts")))
    lasted = (instance.ended_at or timezone.now()) - (instance.started_at or instance.created_at)
    return {
        "total_duration_ms": max(0, round(lasted.total_seconds() * 1000)),
        "step_count": counted["steps"],
        "retry_count": (counted["attempts"] or 0) - counted["steps"],
        "compensation_count": Compensation.objects.filter(instance=instance, state__in=_RAN).count(),
    }
