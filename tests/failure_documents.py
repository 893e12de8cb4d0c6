"""Every run of the whole suite that failed, was rolled back or is held has a document that the contract's schema takes."""

import json
from pathlib import Path

from django.db import connection
from jsonschema import Draft202012Validator, FormatChecker

from engine.failure import WITH_DOCUMENT, failure_document
from engine.models import Instance

SEED = json.loads((Path(__file__).parent / "engine" / "failure" / "seed.schema.json").read_text())
CONTRACT = Draft202012Validator(SEED, format_checker=FormatChecker())
MOST = 20
"""Runs of one test that are looked at: a test of five hundred branches has five hundred alike."""


def check() -> None:
    """Validate the documents of what the test left behind. One query where nothing failed."""
    if connection.needs_rollback:
        return
    for run in Instance.objects.filter(status__in=WITH_DOCUMENT).order_by("-id").values_list("pk", flat=True)[:MOST]:
        document = failure_document(run)
        problems = [f"{'/'.join(map(str, each.path))}: {each.message}" for each in CONTRACT.iter_errors(document)]
        assert not problems, f"The failure document of {run} breaks the contract: {problems}"
        retryable, step = document["retryable"], document["failed_step"]
        assert (step["outcome"] == "unknown") == retryable.get("reconcile_required", False)
        assert ("resume_from" in retryable) == retryable["resumable"] == ("reason" not in retryable)
        assert document == failure_document(run)
