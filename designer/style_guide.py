"""What the style guide shows: each component with data as a real page has it. English only, like that page."""

from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils import timezone

from designer.words import STATUSES

COLOURS = ["page", "surface", "raised", "sunken", "hover", "line", "line-control", "text", "text-quiet", "accent"]

FLOW_YAML = """\
# Orders above 500 EUR are looked at by a person.
name: Order fulfilment
nodes:
  - id: reserve_seats
    type: function
    function_ref: /shop/stock/reserve
    compensation_ref: /shop/stock/release
    on_error: rollback
  - id: approve
    type: human_task
    timeout_ms: 172800000
    timeout_edge: escalate
"""

ORDER: dict[str, Any] = {
    "order": "A-2041",
    "customer": {"name": "Zoë Beck <img src=x onerror=alert(1)>", "since": 2019, "newsletter": False, "note": None},
    "lines": [
        {"article": "Seat 12A", "price": 49.5, "quantity": 2},
        {"article": "Seat 12B", "price": 49.5, "quantity": 1},
    ],
    "tags": [],
    "letter": "Dear team, " * 500,
    "readings": list(range(240)),
}


class ExampleForm(forms.Form):
    title = forms.CharField(label="Name", help_text="People see this name in lists and in their inbox.")
    approver = forms.ChoiceField(
        label="Who approves", choices=[("", "Choose a person or a group"), ("a", "Accounting")]
    )
    days = forms.IntegerField(label="Days to answer", min_value=1, initial=2)
    note = forms.CharField(label="Note for the approver", widget=forms.Textarea(attrs={"rows": 3}), required=False)
    remind = forms.BooleanField(label="Remind them after half of the time", required=False, initial=True)


def example_form() -> ExampleForm:
    form = ExampleForm({"title": "Purchase above 500 EUR", "days": "0", "remind": "on"})
    form.is_valid()
    return form


def example_runs() -> list[dict[str, Any]]:
    now = timezone.now()
    lines = [
        ("running", "Order fulfilment", 7, "Mara Lind", 40, 40.0, "Reserving seats", 1),
        (
            "waiting",
            "Purchase approval",
            3,
            "Web form",
            7_500,
            7_500.0,
            "Waits for Jonas Weber until Thu 17:00",
            12,
        ),
        ("failed", "Refund triage", 12, "Every day at 06:00", 93_000, 3.2, "“Charge card” answered: card expired", 0),
        ("rolled_back", "Event tickets", 2, "Mara Lind", 190_000, 64.0, "Payment refused; 3 steps were undone", 4),
        (
            "held",
            "Order fulfilment",
            7,
            "Jonas Weber",
            260_000,
            260_000.0,
            "Nobody knows whether the parcel was sent",
            1,
        ),
        ("completed", "Nightly report", 31, "Every day at 02:00", 900_000, 0.04, "", 230),
    ]
    return [
        {
            "id": uuid5(NAMESPACE_URL, f"example/{number}"),
            "status": status,
            "flow": flow,
            "version": version,
            "by": by,
            "started": now - timedelta(seconds=ago),
            "seconds": seconds,
            "why": why,
            "count": count,
            "is_test": number == 3,
        }
        for number, (status, flow, version, by, ago, seconds, why, count) in enumerate(lines)
    ]


FINDINGS = [
    {
        "severity": "error",
        "code": "jump.missing_target",
        "node": "Charge card",
        "field": "When it fails, go to",
        "message": "The step “Refund” it should go to was deleted. Choose another step, or remove the path.",
        "url": "#problems",
    },
    {
        "severity": "warning",
        "code": "human_task.no_deadline",
        "node": "Approve",
        "field": "Time to answer",
        "message": "Nobody is reminded when this stays unanswered. Give it a time, for example 2 days.",
    },
    {"severity": "info", "code": "flow.no_description", "message": "A description helps others to find this flow."},
]

EVENTS = [
    ("blue", "play", "Started by Mara Lind", "With the input of order A-2041", 3_700),
    ("green", "check", "Reserve seats", "Completed in 0.4 s at the first try", 3_690),
    ("amber", "clock", "Approve", "Waits for Jonas Weber until tomorrow, 17:00", 3_600),
    ("red", "x", "Charge card", "Failed at the third try: the card has expired", 120),
    ("violet", "undo-2", "Release seats", "Undone, because the run failed", 60),
]


def examples(request: HttpRequest) -> dict[str, Any]:
    now = timezone.now()
    ago = [40, 400, 9_000, 200_000, 90 * 86_400]
    return {
        "statuses": list(STATUSES),
        "colours": COLOURS,
        "runs": example_runs(),
        "moments": [now - timedelta(seconds=n) for n in ago] + [now + timedelta(days=2)],
        "lengths": [0.04, 3.2, 45, 250, 7_500, 172_800, 190_000],
        "order": ORDER,
        "yaml": FLOW_YAML,
        "marked": [10],
        "findings": FINDINGS,
        "events": [(tone, icon, what, why, now - timedelta(seconds=n)) for tone, icon, what, why, n in EVENTS],
        "form": example_form(),
        "page": Paginator(range(480), 25).get_page(request.GET.get("page")),
    }
