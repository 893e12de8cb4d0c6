"""One run under test, what happens to it, and what came of it."""

from pathlib import Path

from engine.models import Attempt, Event, InboxTask, Visit
from engine.scenarios.actions import perform
from engine.scenarios.cleaning import clean
from engine.scenarios.document import Action, Scenario
from engine.scenarios.play import Play
from engine.scenarios.stage import Stage


def step(name, **properties):
    return {"id": name, "node_type": "raisin:FlowStep", "properties": {"action": name.title(), **properties}}


def agent(name, **properties):
    return step(name, **{"step_type": "ai_agent", "agent_ref": f"/agents/{name}", "prompt": "Go on", **properties})


def function(name, **properties):
    return step(name, function_ref=f"/lib/{name}", **properties)


def container(name, kind, *children, **keys):
    return {
        "id": name,
        "node_type": "raisin:FlowContainer",
        "container_type": kind,
        "children": list(children),
        **keys,
    }


class Scene:
    """A run that was started and rests. Verbs are those of a scenario's ``do``."""

    def __init__(self, *nodes, agents=None, functions=None, groups=None, input=None, manifests=None, **flow):
        clean()
        agents, functions = agents or {}, functions or {}
        scenario = Scenario(
            name="it",
            file=Path("it.yaml"),
            line=1,
            flow={"nodes": list(nodes), **flow},
            scripts={**agents, **functions},
            manifests={**dict.fromkeys(functions), **(manifests or {})},
            agents=frozenset(agents),
            groups=groups or {},
            input=input or {},
        )
        self.stage = Stage(scenario)
        self.play = Play(scenario, self.stage)
        refused = [str(each) for each in self.play.findings if each.is_error]
        assert not refused, refused
        self.play.start()

    def do(self, verb, **data):
        perform(Action(verb, data), self.play)

    def advance(self, span):
        perform(Action("advance", span), self.play)

    @property
    def id(self):
        return self.play.instance_id

    @property
    def seen(self):
        found = self.play.seen()
        assert found is not None
        return found

    @property
    def instance(self):
        return self.seen.instance

    @property
    def status(self):
        return self.instance.status

    @property
    def error(self):
        return self.instance.error

    @property
    def steps(self):
        return self.seen.steps()

    @property
    def outcomes(self):
        return self.seen.outcomes()

    @property
    def calls(self):
        return [made.path for made in self.stage.executor.made]

    def asked(self, index=-1):
        """The arguments of one call."""
        return self.stage.executor.made[index].arguments

    @property
    def task(self):
        return InboxTask.objects.get(instance=self.id)

    @property
    def tasks(self):
        return list(InboxTask.objects.filter(instance=self.id).order_by("id"))

    def visit(self, node_id):
        return Visit.objects.filter(instance=self.id, node_id=node_id).latest("seq")

    def attempts(self, node_id):
        return list(Attempt.objects.filter(instance=self.id, visit_seq=self.visit(node_id).seq).order_by("number"))

    def events(self, kind):
        return list(Event.objects.filter(instance=self.id, type=kind).order_by("number"))
