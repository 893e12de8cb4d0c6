"""Bringing in many files at once: folders, archives, triggers that come along, and all or nothing."""

import json
import zipfile
from io import BytesIO

import pytest

from flows.files import MOST_FILES, FlowFile, TriggerFile, UnreadableFile, read_files, read_texts, unpacked
from flows.imports import ImportRefused, import_files
from flows.models import Flow, FlowVersion
from tests.flows.drawing_flat import END, call, flat, start
from tests.flows.test_flow_command import flow, write  # noqa: F401 - a fixture
from tests.flows.texts import ASK, BROKEN, NO_FLOW

TRIGGER = """
node_type: raisin:Trigger
properties:
  name: on-order
  trigger_type: node_event
  function_flow: /flows/ask
""".lstrip()
RUNTIME = json.dumps(flat(start("a"), call("a", "end"), END))


def sent(**texts):
    return [(f"{name}.yaml", text.encode()) for name, text in texts.items()]


def archive(*files):
    held = BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files:
            made.writestr(name, content)
    return held.getvalue()


def test_texts_are_read_with_the_folders_they_come_from() -> None:
    (found,) = read_texts([("hr/ask.node.yaml", ASK.encode())])
    assert isinstance(found, FlowFile)
    assert found.path == "/flows/hr/ask"


@pytest.mark.parametrize("name", ["../ask.yaml", "/etc/ask.yaml"])
def test_a_path_out_of_the_folder_is_refused(name) -> None:
    (found,) = read_texts([(name, ASK.encode())])
    assert isinstance(found, UnreadableFile)


def test_an_archive_holds_flows_and_whatever_else() -> None:
    held = archive(("b/ask.yaml", ASK), ("readme.md", "x"), ("a.scenarios.yaml", "y"), ("a.json", "{}"))
    assert [name for name, _ in unpacked(held)] == ["a.json", "b/ask.yaml"]


def test_an_archive_that_is_none_or_too_much_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        unpacked(b"PK not really")
    with pytest.raises(UnreadableFile, match="holds too much"):
        unpacked(archive(*((f"{number}.yaml", "") for number in range(MOST_FILES + 1))))
    with pytest.raises(UnreadableFile, match="holds too much"):
        unpacked(archive(*((f"{number}.yaml", " " * 10_000_000) for number in range(6))))


def test_a_trigger_is_reported_with_its_line(tmp_path) -> None:
    (tmp_path / "on-order.yaml").write_text(TRIGGER)
    (found,) = read_files([tmp_path])
    assert isinstance(found, TriggerFile)
    (finding,) = found.findings
    assert (finding.code, finding.severity, finding.line) == ("TRIGGER_NOT_APPLICABLE", "warning", 4)
    assert finding.message.startswith('The trigger "on-order" ("node_event") starts nothing here')


def test_all_are_imported_and_what_is_said_of_them_stands_with_each(workspace) -> None:
    reports = import_files(workspace, read_texts(sent(ask=ASK, flat=RUNTIME, trigger=TRIGGER)), by=None, publish=True)
    assert [(each.path, each.imported is None) for each in reports] == [
        ("/flows/ask", False),
        ("/flows/flat", False),
        ("", True),
    ]
    assert FlowVersion.objects.count() == 2
    assert [each.code for each in reports[2].findings] == ["TRIGGER_NOT_APPLICABLE"]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"a": ASK, "b": NO_FLOW}, "b.yaml"),
        ({"a": ASK, "b": ASK}, "both are /flows/ask"),
        ({"a": BROKEN}, "/flows/ask has errors"),
        ({"trigger": TRIGGER}, "no flow among these"),
        ({}, "no flow among these"),
    ],
)
def test_nothing_is_imported_when_one_is_refused(workspace, texts, words) -> None:
    with pytest.raises(ImportRefused, match=words):
        import_files(workspace, read_texts(sent(**texts)), by=None)
    assert not Flow.objects.exists()


def test_a_runtime_flow_comes_out_as_it_came_in(workspace) -> None:
    import_files(workspace, read_texts([("flat.json", RUNTIME.encode())]), by=None, publish=True)
    code, out = flow("export", "/flows/flat", "--format", "json")
    assert (code, json.loads(out)["properties"]["workflow_data"]) == (0, json.loads(RUNTIME))


def test_the_commands_take_folders_with_triggers(workspace, write, tmp_path) -> None:  # noqa: F811
    for name, text in (("ask", ASK), ("flat", RUNTIME), ("trigger", TRIGGER)):
        write(f"all/{name}.yaml", text)
    code, out = flow("doctor", tmp_path / "all")
    assert code == 0 and "warning TRIGGER_NOT_APPLICABLE" in out
    assert out.splitlines()[-1].startswith("2 flows checked, 0 unreadable")
    assert flow("doctor", tmp_path / "all", "--strict")[0] == 1
    code, out = flow("import", tmp_path / "all")
    assert (code, Flow.objects.count()) == (0, 2)
    assert "TRIGGER_NOT_APPLICABLE" in out and "/flows/flat (new), version 1" in out
    assert flow("explain", tmp_path / "all" / "flat.yaml")[0] == 0
    assert flow("explain", tmp_path / "all" / "trigger.yaml")[0] == 2
