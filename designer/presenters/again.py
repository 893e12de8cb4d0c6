"""Starting a run once more, and trying its step once more, in words: what comes of it, one consequence a line."""

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from designer import access
from designer.presenters import stories
from engine.models import Instance
from flows.models import FlowVersion


def may_start(run: Instance, user: User, newest: FlowVersion | None) -> bool:
    if run.is_test:
        return access.can_test(user, run.flow)
    return newest is not None and run.flow.enabled and access.can_run(user, run.flow)


def has_another(run: Instance, newest: FlowVersion | None) -> bool:
    """Whether the newest is not what this run used: a test run's is the draft, whatever it is by now."""
    return run.is_test or (newest is not None and newest.pk != run.version_id)


def same_words(run: Instance) -> str:
    lines = [_("Start %(flow)s again with the same input, as it was then?") % {"flow": run.flow}]
    if run.is_test:
        lines.append(_("The new run is a test with the same simulated answers, on the same draft as this one."))
    else:
        lines.append(
            _("The new run uses version %(n)s, like this one, and not the newest.") % {"n": run.version.number}
        )
    return "\n".join([*lines, _("This run stays as it is.")])


def retry_words(run: Instance, known: stories.Known) -> str:
    lines = [_("Try %(step)s again now?") % {"step": stories.quoted(known.step)}]
    if run.wait_due is not None:
        lines.append(_("Without this it is tried again by itself."))
    return "\n".join([*lines, _("It counts as the next try: a try more is not won by it.")])


def again_words(run: Instance, newest: FlowVersion | None) -> str:
    lines = [_("Start %(flow)s again with the same input?") % {"flow": run.flow}]
    if run.is_test:
        lines.append(_("The new run is a test of the draft as it is now, with the same simulated answers."))
    elif newest is None or newest.pk == run.version_id:
        lines.append(_("The new run uses version %(n)s, like this one.") % {"n": run.version.number})
    else:
        told = {"n": newest.number, "old": run.version.number or "–"}
        lines.append(_("The new run uses version %(n)d, the newest; this one used version %(old)s.") % told)
    return "\n".join([*lines, _("This run stays as it is.")])
