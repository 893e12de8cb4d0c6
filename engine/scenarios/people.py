"""The people of a scenario: its groups, and whoever is named."""

from collections.abc import Mapping, Sequence


class ScriptedPeople:
    """Implements :class:`engine.ports.People`: any ``/users/NAME`` exists, a group where the scenario has it."""

    def __init__(self, groups: Mapping[str, Sequence[str]]) -> None:
        self._groups = {
            f"/groups/{group}": sorted(member if member.startswith("/") else f"/users/{member}" for member in members)
            for group, members in groups.items()
        }

    def exists(self, path: str) -> bool:
        kind, _, name = path.removeprefix("/").partition("/")
        return path in self._groups or (kind == "users" and name != "" and "/" not in name)

    def members(self, group: str) -> Sequence[str]:
        return self._groups.get(group, [])
