"""What a call did, written by the call itself: independent of what the engine records about it."""

from typing import ClassVar

from django.db import models


class Effect(models.Model):
    """One call that really began. ``ended`` is missing when its process was killed in it; times are those of the machine's
    monotonic clock, which all processes share.

    ``key`` is the idempotency key: ``RUN:VISIT`` of a step, ``RUN:VISIT:undo`` of a compensation.
    """

    run = models.UUIDField()  # who carried it out: a parent runs the compensations of its children
    key = models.CharField(max_length=300)
    node_id = models.CharField(max_length=200)
    attempt = models.PositiveIntegerField()
    pid = models.PositiveIntegerField()
    began = models.FloatField()
    ended = models.FloatField(null=True)

    objects: ClassVar[models.Manager["Effect"]] = models.Manager()

    class Meta:
        app_label = "effects"

    def __str__(self) -> str:
        return f"{self.node_id} {self.key} try {self.attempt}"
