"""The demo's agents. They answer by rules, so that the example flows run without a model and without a network.

To see them with a real model, change *Who answers* of an agent in the admin: its instructions are written for one.
"""

from typing import Any

from flows.models import Agent, Provider

BROKEN = "context.task.data.text.toLowerCase().contains('broken') || context.task.data.text.toLowerCase().contains('damaged')"
WORN = "context.task.data.text.toLowerCase().contains('worn') || context.task.data.text.toLowerCase().contains('changed my mind')"

AGENTS: dict[str, dict[str, Any]] = {
    "/agents/service-reader": {
        "title": "Service reader",
        "description": "Sums up what a customer wrote.",
        "system_prompt": "You read what customers write. Sum it up in two neutral sentences, without a judgement.",
        "script": [
            {
                "when": "prompt.toLowerCase().contains('broken') || prompt.toLowerCase().contains('damaged')",
                "answer": "The goods arrived damaged. The customer wants the money back.",
            },
            {
                "when": "prompt.toLowerCase().contains('worn') || prompt.toLowerCase().contains('changed my mind')",
                "answer": "The customer has used the goods and wants to give them back.",
            },
            {"answer": "The customer asks for a refund. Why, is not said clearly."},
        ],
    },
    "/agents/refund-clerk": {
        "title": "Refund clerk",
        "description": "Decides small refunds, and says how sure it is.",
        "tools": ["/service/history"],
        "system_prompt": (
            "You decide refunds. Goods that arrived damaged are paid, goods that were worn or merely not liked are refused. "
            "Be unsure when the customer had three refunds or more, or when the reason is not clear."
        ),
        "script": [
            {
                "when": "context.task.data.earlier_refunds != null && context.task.data.earlier_refunds >= 3",
                "answer": {
                    "decision": "pay",
                    "reasoning": "{{ context.task.data.earlier_refunds }} refunds before this one: a person should look.",
                    "confidence": 0.55,
                },
            },
            {
                "when": BROKEN,
                "answer": {"decision": "pay", "reasoning": "The goods arrived damaged.", "confidence": 0.93},
            },
            {
                "when": WORN,
                "answer": {"decision": "refuse", "reasoning": "Used goods are not taken back.", "confidence": 0.88},
            },
            {"answer": {"decision": "pay", "reasoning": "Why is not clear.", "confidence": 0.6}},
        ],
    },
}


def seed() -> None:
    """Make the agents that are missing."""
    for path, facts in AGENTS.items():
        Agent.objects.get_or_create(path=path, defaults={"provider": Provider.SCRIPTED, **facts})
