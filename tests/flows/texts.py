"""Texts of flows that the tests save, import and publish."""

ASK = """\
# Asks a person and tells another.
node_type: raisin:Flow
properties:
  title: Ask
  name: ask
  description: Ask the manager
  workflow_data:
    version: 1
    nodes:
      - id: question   # the only one
        node_type: raisin:FlowStep
        properties: { action: Ask, step_type: human_task, task_type: review, assignee: /users/manager }
"""
CHANGED = ASK.replace("action: Ask", "action: Ask again")
BROKEN = ASK.replace("assignee: /users/manager", "error_edge: gone")
NO_FLOW = "hello"


def calling(path: str) -> str:
    """A flow that calls one function."""
    return ASK.replace(
        "step_type: human_task, task_type: review, assignee: /users/manager", f"function_ref: {path}"
    ).replace("name: ask", "name: call")
