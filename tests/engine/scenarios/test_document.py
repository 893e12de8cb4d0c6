"""Scenario files, read and refused."""

import pytest

from engine.scenarios.document import Action, find_files, read_file
from engine.scenarios.errors import UnreadableScenario

MINIMAL = "scenario: {name}\nflow: {{ nodes: [] }}\n"


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        file = tmp_path / "some.yaml"
        file.write_text(text)
        return read_file(file)

    return read_text


def test_a_file_holds_several_scenarios_each_with_its_line(read) -> None:
    scenarios = read("# a comment\n" + MINIMAL.format(name="one") + "---\n" + MINIMAL.format(name="two"))
    assert [(each.name, each.line) for each in scenarios] == [("one", 2), ("two", 5)]


def test_what_a_scenario_leaves_out_has_defaults(read) -> None:
    (scenario,) = read(MINIMAL.format(name="one"))
    assert (scenario.flow_path, scenario.input, scenario.do, scenario.expect) == ("/flows/under-test", {}, (), {})


def test_actions_keep_their_order(read) -> None:
    (scenario,) = read(
        MINIMAL.format(name="one") + "do: [ { advance: 5s }, { restart: {} }, { expect: { status: held } } ]"
    )
    assert scenario.do == (Action("advance", "5s"), Action("restart", {}), Action("expect", {"status": "held"}))


def test_functions_and_agents_answer_from_one_script(read) -> None:
    (scenario,) = read(
        MINIMAL.format(name="one")
        + "functions: { /lib/a: { manifest: { effect: read }, calls: [ { return: 1 } ] }, /lib/b: {} }\n"
        + "agents: { /agents/c: { calls: [ { fail: no } ] } }\n"
    )
    assert scenario.scripts == {"/lib/a": [{"return": 1}], "/lib/b": [{"return": None}], "/agents/c": [{"fail": "no"}]}
    assert scenario.manifests == {"/lib/a": {"effect": "read"}, "/lib/b": None}
    assert scenario.agents == {"/agents/c"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("scenario: [", "This is no YAML"),
        ("", "holds no scenario"),
        ("flow: { nodes: [] }", ":1: 'scenario' is a required property"),
        (MINIMAL.format(name="a") + "expct: {}", ":1: .*'expct' was unexpected"),
        (MINIMAL.format(name="a") + "do:\n  - advance: soon", r":4: do\[0\].advance: 'soon' does not match"),
        (MINIMAL.format(name="a") + "do:\n  - advance: 5s\n    cancel: {}", r":4: do\[0\]: give exactly one action"),
        (MINIMAL.format(name="a") + "do:\n  - {}", r":4: do\[0\]: give exactly one action"),
        (
            MINIMAL.format(name="a") + "functions:\n  /a:\n    calls:\n      - takes: 1s",
            r":6: functions./a.calls\[0\]: give",
        ),
        (
            MINIMAL.format(name="a") + "functions: { /a: { calls: [ { return: 1, hang: true } ] } }",
            "give exactly one of",
        ),
        (MINIMAL.format(name="a") + "expect:\n  refused: ~/(/", ":4: '~/\\(/' is no regular expression"),
        (MINIMAL.format(name="a") + "---\n" + MINIMAL.format(name="a"), ":4: the name 'a' is used twice"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(read, text, told) -> None:
    with pytest.raises(UnreadableScenario, match=told):
        read(text)


def test_all_problems_of_a_file_are_told_at_once(read) -> None:
    with pytest.raises(UnreadableScenario) as caught:
        read(MINIMAL.format(name="a") + "expct: {}\n---\nscenario: b\n")
    assert len(str(caught.value).splitlines()) == 2


def test_a_folder_stands_for_its_scenario_files(tmp_path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.yaml").write_text(MINIMAL.format(name="b"))
    (tmp_path / "a.yaml").write_text(MINIMAL.format(name="a"))
    (tmp_path / "flow.yaml").write_text("node_type: raisin:Flow\n")
    assert find_files([tmp_path, tmp_path / "a.yaml"]) == [tmp_path / "a.yaml", tmp_path / "deep" / "b.yaml"]


def test_a_path_that_does_not_exist_is_an_error(tmp_path) -> None:
    with pytest.raises(UnreadableScenario, match="there is no such file or folder"):
        find_files([tmp_path / "nowhere"])
