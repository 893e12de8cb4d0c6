"""What stops a scenario before or while it runs, other than an expectation that is not met."""


class ScenarioError(Exception):
    """Base of this package's errors; the message is for the scenario's author."""


class UnreadableScenario(ScenarioError):
    """A file is no scenario file. The message begins with the file, and the line where one is known."""


class Unrunnable(ScenarioError):
    """The scenario asks for what cannot be done: its engine lacks the command, or the run never comes to rest."""


class NoDatabase(ScenarioError):
    """The scenarios cannot have a database of their own: no server, or no right to make one on it."""
