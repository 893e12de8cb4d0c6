"""Filters of the list of runs, kept under a name."""

from typing import Final

from django.contrib.auth.models import User
from django.db.models import Q
from django.http import QueryDict

from designer import access, run_filters
from designer.models import SavedView

MOST: Final = 50
"""Views of one person: a menu is no archive."""


class TooManyViews(Exception):
    """The person has as many views as one may have."""


def views_for(user: User, workspace: str) -> list[SavedView]:
    """Their own and the shared ones, by name. One query."""
    mine_or_shared = Q(user=user) | Q(is_shared=True)
    return list(SavedView.objects.filter(mine_or_shared, workspace__slug=workspace).select_related("user"))


def save(user: User, workspace: str, *, name: str, query: str, is_shared: bool) -> SavedView:
    """Keep these filters under the name; one of theirs with the same name is written over.

    Only what the filters understand is kept. Raises :class:`TooManyViews`.
    """
    home = access.get_workspace(workspace)
    own = SavedView.objects.filter(user=user, workspace=home)
    if own.exclude(name=name).count() >= MOST:
        raise TooManyViews
    kept = {"query": run_filters.read(QueryDict(query)).address(), "is_shared": is_shared}
    view, _ = SavedView.objects.update_or_create(kept, workspace=home, user=user, name=name)
    return view
