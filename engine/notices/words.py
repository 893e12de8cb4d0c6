"""A notice in words, for people, and as a JSON document, for programs."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from engine.models import Instance, Notice

LONGEST_SUBJECT: Final = 200
LONGEST_REASON: Final = 2000


class Words:
    """What is said of a notice, in one language. Everything is plain text: there is nothing in it that a reader could run."""

    def __init__(self, notice: Notice, language: str) -> None:
        self._notice = notice
        self._language = language

    def subject(self) -> str:
        """One line."""
        with override(self._language):
            return self._subject()

    def body(self) -> str:
        """The whole mail."""
        with override(self._language):
            return "\n".join(self._lines())

    def document(self) -> dict[str, Any]:
        """What a webhook gets: ``text`` is for chats, the rest for programs. The words of ``decision`` are ``hold``, ``fail`` and
        ``escalate``."""
        notice, run = self._notice, root_of(self._notice)
        with override(self._language):
            text = f"{self._subject()}\n{self._decided()}\n{link_to(run)}"
        return {
            "id": str(notice.pk),
            "text": text,
            "target": notice.target,
            "decision": notice.decision,
            "flow": {"path": notice.instance.flow.path, "title": str(notice.instance.flow)},
            "run": {"id": str(run.pk), "url": link_to(run), "is_test": run.is_test},
            "scope": notice.scope or None,
            "step": {"id": notice.node_id, "title": notice.step},
            "message": _short(notice.why),
            "at": notice.at.isoformat(),
        }

    def _subject(self) -> str:
        told = {"flow": str(self._notice.instance.flow), "step": self._notice.step}
        subjects = {
            "hold": _("%(flow)s is held: %(step)s failed"),
            "fail": _("%(flow)s failed: %(step)s failed"),
            "escalate": _("%(flow)s: the failure of %(step)s was handed outward"),
        }
        test = _("Test run") + ": " if self._notice.instance.is_test else ""
        return " ".join((test + subjects[self._notice.decision] % told).split())[:LONGEST_SUBJECT]

    def _lines(self) -> list[str]:
        notice = self._notice
        step = notice.step if notice.step == notice.node_id else f"{notice.step} ({notice.node_id})"
        facts: Mapping[str, str] = {
            _("Flow"): f"{notice.instance.flow} ({notice.instance.flow.path})",
            _("What failed"): step,
            _("Why"): _short(notice.why),
            _("Decided by"): notice.scope or _("the flow"),
            _("When"): f"{notice.at:%Y-%m-%d %H:%M:%S} UTC",
            _("The run"): link_to(root_of(notice)),
        }
        why = _("You are told because the flow names the notification target %(name)s.") % {"name": notice.target}
        return [self._subject(), "", self._decided(), "", *(f"{word}: {fact}" for word, fact in facts.items()), "", why]

    def _decided(self) -> str:
        decisions = {
            "hold": _("The run is held: nothing new starts in it until somebody decides how it goes on."),
            "fail": _("The run fails."),
            "escalate": _("What is around it decides how the run goes on; where nothing does, the run fails."),
        }
        return decisions[self._notice.decision]


def root_of(notice: Notice) -> Instance:
    """The run that people look at and decide about: a part of it stands for the whole."""
    return notice.instance.root or notice.instance


def link_to(run: Instance) -> str:
    """The address of the run's page, as it is reached from outside."""
    return settings.SULTANA_PUBLIC_URL + reverse("run-detail", args=[run.pk])


def message_id(notice: Notice) -> str:
    """The same for every try, so that a mail that came twice all the same can be told."""
    return f"<{notice.pk}@{urlsplit(settings.SULTANA_PUBLIC_URL).hostname}>"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else text[:LONGEST_REASON] + " …"
