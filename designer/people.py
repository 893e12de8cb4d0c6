"""What people and groups are called: paths such as ``/users/ana`` as names."""

from collections.abc import Iterable

from django.contrib.auth.models import User

from engine.people import GROUPS, USERS
from flows.models import Agent

AGENTS = "/agents/"


def name_of(user: User) -> str:
    """Somebody's full name, else the name they sign in with."""
    return user.get_full_name() or user.get_username()


def names_of(paths: Iterable[str | None]) -> dict[str, str]:
    """Names by path, for every path given; somebody who is gone keeps the last part of theirs. At most two queries."""
    wanted = {path for path in paths if path}
    names = {path: path.rsplit("/", 1)[-1] for path in wanted}
    users = [path.removeprefix(USERS) for path in wanted if path.startswith(USERS)]
    if users:
        names |= {USERS + user.get_username(): name_of(user) for user in User.objects.filter(username__in=users)}
    agents = [path for path in wanted if path.startswith(AGENTS)]
    if agents:
        titles = Agent.objects.filter(path__in=agents).exclude(title="").values_list("path", "title")
        names |= dict(titles)
    return names


def is_group(path: str) -> bool:
    return path.startswith(GROUPS)
