"""Records: what functions brought about. Each keeps the idempotency key of the call that made it, so that a repeated
call finds the row instead of making another.
"""

from typing import ClassVar

from django.db import models


class Record(models.Model):
    """Something one call brought about, once."""

    prefix: ClassVar[str]

    key = models.CharField("idempotency key", unique=True, editable=False)
    instance_id = models.CharField("run", editable=False, db_index=True)
    is_test = models.BooleanField("made by a test run", default=False, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.number

    @property
    def number(self) -> str:
        """What people and flows call it: ``R-17``."""
        return f"{self.prefix}-{self.pk}"


class Status(models.TextChoices):
    """Where a record stands: it is open until it is either done or taken back, and then stays so."""

    OPEN = "open"
    DONE = "done"
    TAKEN_BACK = "taken back"


class Undoable(Record):
    """A record that a compensation takes back."""

    status = models.CharField(choices=Status, default=Status.OPEN)

    class Meta(Record.Meta):
        abstract = True


class Mail(Record):
    """A mail in the outbox. It is only shown here, nothing leaves the machine."""

    prefix = "M"
    to = models.CharField()
    subject = models.CharField()
    text = models.TextField(blank=True)

    class Meta(Record.Meta):
        verbose_name_plural = "mails"


class Note(Record):
    """What an area jots down: a sale, an answer about a shift, a closed case. ``facts`` are the call's own."""

    prefix = "J"
    topic = models.CharField()
    about = models.CharField()
    facts = models.JSONField()
