"""People and groups as paths: ``/users/NAME`` and ``/groups/NAME`` are Django's users and groups."""

from collections.abc import Sequence

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group

USERS = "/users/"
GROUPS = "/groups/"


class DjangoPeople:
    """The people this deployment knows (:class:`engine.ports.People`)."""

    def exists(self, path: str) -> bool:
        if path.startswith(USERS):
            return get_user_model().objects.filter(username=path[len(USERS) :], is_active=True).exists()
        if path.startswith(GROUPS):
            return Group.objects.filter(name=path[len(GROUPS) :], user__is_active=True).exists()
        return False

    def members(self, group: str) -> Sequence[str]:
        names = get_user_model().objects.filter(groups__name=group[len(GROUPS) :], is_active=True)
        return [f"{USERS}{name}" for name in names.order_by("username").values_list("username", flat=True)]


def path_of(user: AbstractBaseUser | AnonymousUser) -> str:
    """The path under which a signed-in user is assigned tasks."""
    return f"{USERS}{user.get_username()}"
