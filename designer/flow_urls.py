"""The addresses of flows: ``/flows/order-approval/`` for the flow at ``/flows/order-approval``."""

from typing import Final

FOLDER: Final = "/flows/"


class FlowPath:
    """A path converter. A flow elsewhere than under ``/flows`` keeps its whole path behind a tilde.

    A segment of a flow's path never is a lone hyphen, so what follows ``/-/`` in an address is not the flow's.
    """

    regex = r"(?!-/)(?:(?!/-/)[^\x00])+?"

    def to_python(self, value: str) -> str:
        return value[1:] if value.startswith("~") else FOLDER + value

    def to_url(self, value: str) -> str:
        return value[len(FOLDER) :] if value.startswith(FOLDER) else "~" + value
