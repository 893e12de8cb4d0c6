"""What pages and the API show of a run, read from its rows."""

from typing import Any

from engine.machine import position as positions
from engine.models import Binding, Instance, Visit
from engine.states import Outcome


def variables(instance: Instance) -> dict[str, Any]:
    """A run's variables: its flat variables, ``step_outputs`` by step and the latest ``__human_response``
    (reference/flow-format.md, section 12). Two queries."""
    bound = Binding.objects.filter(instance=instance, outcome=Outcome.SUCCEEDED).order_by("completion")
    seqs = dict(bound.values_list("node_id", "seq"))
    outputs = dict(Visit.objects.filter(instance=instance, seq__in=list(seqs.values())).values_list("seq", "output"))
    flat: dict[str, Any] = {}
    for seq in seqs.values():
        output: Any = outputs.get(seq)
        if isinstance(output, dict):
            flat |= {key: value for key, value in output.items() if not key.startswith("__")}
    human = positions.from_json(instance.position).human
    return {
        **flat,
        "step_outputs": {node_id: outputs.get(seq) for node_id, seq in seqs.items()},
        "__human_response": outputs.get(human) if human is not None else None,
    }
