"""Trouble to order."""

from django.db import models


class Behaviour(models.Model):
    """How one function is told to behave, so that people can watch their flow cope with it."""

    class Mode(models.TextChoices):
        WORKS = "works", "works"
        FAILS = "fails", "fails"
        SLOW = "slow", "is slow"
        AMBIGUOUS = "ambiguous", "acts, but its answer is lost"
        NEVER_ANSWERS = "never_answers", "never answers"

    path = models.CharField("function", unique=True)
    mode = models.CharField(choices=Mode, default=Mode.WORKS)
    times = models.PositiveIntegerField(
        null=True, blank=True, help_text="How often, before it works again. Empty: always."
    )
    enabled = models.BooleanField(default=True)
    message = models.CharField(blank=True, help_text="What it says when it fails or its answer is lost.")
    code = models.CharField(blank=True, help_text="The code of the failure, e.g. card_declined.")
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The status of the failure, e.g. 503.")
    delay_ms = models.PositiveIntegerField("delay in ms", default=5000, help_text="How long it takes when it is slow.")

    class Meta:
        ordering = ["path"]

    def __str__(self) -> str:
        return f"{self.path} {self.get_mode_display()}"
