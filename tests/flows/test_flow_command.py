import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from flows.loader import load
from flows.models import Flow, FlowVersion
from flows.publishing import import_flow, publish, save_draft
from tests.flows import corpus
from tests.flows.texts import ASK, BROKEN, CHANGED, NO_FLOW, calling

VECTORS = Path("tests/conformance/expressions.yaml")


def flow(*arguments: object) -> tuple[int, str]:
    """The exit code and all that ``manage.py flow`` printed."""
    out = StringIO()
    try:
        call_command("flow", *map(str, arguments), stdout=out)
    except SystemExit as error:
        return int(error.code or 0), out.getvalue()
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


@pytest.fixture
def write(tmp_path):
    def _write(name: str, text: str) -> Path:
        file: Path = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    return _write


def test_the_doctor_is_content_with_the_example_flows(db):
    code, out = flow("doctor", corpus.ROOT / "flows")
    assert code == 0
    assert out.splitlines()[-1].startswith("8 flows checked, 0 unreadable: 0 errors, 0 warnings")


def test_the_doctor_names_file_line_and_step(db, write):
    file = write("ask.yaml", BROKEN)
    code, out = flow("doctor", file)
    assert code == 1
    assert f"{file}:12: error INVALID_ERROR_EDGE [question error_edge]: error_edge of 'question' leads to" in out


def test_warnings_fail_the_doctor_only_when_it_is_strict(db, write):
    file = write("call.yaml", calling("/test/nowhere"))
    assert flow("doctor", file)[0] == 0
    assert flow("doctor", file, "--strict")[0] == 1


@pytest.mark.parametrize("text", [NO_FLOW, "a: b: c", "a: &a [*a]"])
def test_the_doctor_says_what_it_cannot_read(db, write, text):
    code, out = flow("doctor", write("odd.yaml", text), write("ask.yaml", BROKEN))
    assert code == 2
    assert "odd.yaml: line 1: This is no" in out or "odd.yaml: line 1: *a" in out
    assert "INVALID_ERROR_EDGE" in out


def test_a_file_that_is_missing_too_large_or_no_text_is_unreadable(db, write, tmp_path):
    (tmp_path / "bytes.yaml").write_bytes(b"a: \xff")
    code, out = flow("doctor", "nowhere.yaml", write("big.yaml", "#" * 6_000_000), tmp_path / "bytes.yaml")
    assert code == 2
    assert out.count("\n") == 4 and "No such file" in out and "more than" in out and "UTF-8" in out


def test_a_folder_may_hold_other_files(db, write, tmp_path):
    write("flows/ask.yaml", ASK)
    write("flows/ask.scenarios.yaml", "scenario: one\n---\nscenario: two\n")
    write("flows/other.yaml", "some: thing\n")
    write("flows/readme.md", "# Flows\n")
    assert flow("doctor", tmp_path / "flows") == (
        0,
        "1 flows checked, 0 unreadable: 0 errors, 0 warnings, 0 suggestions\n",
    )
    assert flow("doctor", write("empty/readme.md", "").parent)[0] == 2


def test_the_doctor_prints_json(db, write):
    code, out = flow("doctor", write("ask.yaml", BROKEN), write("odd.yaml", NO_FLOW), "--json")
    report = json.loads(out)
    assert code == 2
    assert report["counts"] == {"error": 2}
    (finding, _) = report["files"][0]["findings"]
    assert (report["files"][0]["flow"], finding["code"], finding["line"]) == ("/flows/ask", "MISSING_ASSIGNEE", 10)
    assert len(report["unreadable"]) == 1


def test_flows_of_the_same_folder_know_each_other(db, write, tmp_path):
    text = ASK.replace(
        "step_type: human_task, task_type: review, assignee: /users/manager", "step_type: sub_flow, flow_ref: /flows/b"
    )
    write("two/a.yaml", text.replace("name: ask", "name: a"))
    write("two/b.yaml", text.replace("name: ask", "name: b").replace("/flows/b", "/flows/a"))
    assert flow("doctor", tmp_path / "two")[1].count("SUB_FLOW_CYCLE") == 2


def test_an_import_publishes_and_says_so(workspace, write):
    file = write("ask.yaml", ASK.replace("title: Ask", "title: Ask\n  colour: red"))
    code, out = flow("import", file)
    assert (code, FlowVersion.objects.count()) == (0, 1)
    assert "suggestion UNKNOWN_PROPERTY [properties.colour]" in out
    assert out.splitlines()[-1] == f"{file}: /flows/ask (new), version 1"
    assert flow("import", file)[1].splitlines()[-1] == f"{file}: /flows/ask (unchanged), version 1"


def test_folders_become_part_of_the_path(workspace, write, tmp_path):
    write("all/hr/welcome.node.yaml", '{"nodes": []}')
    write("all/ask.yaml", ASK)
    assert flow("import", tmp_path / "all")[0] == 0
    assert list(Flow.objects.values_list("path", flat=True)) == ["/flows/ask", "/flows/hr/welcome"]


def test_nothing_is_imported_when_one_file_is_refused(workspace, write):
    code, out = flow("import", write("call.yaml", calling("/test/nowhere")), write("ask.yaml", BROKEN))
    assert (code, Flow.objects.count()) == (1, 0)
    assert "Nothing was imported: /flows/ask has errors." in out
    assert flow("import", write("a.yaml", ASK), write("b.yaml", NO_FLOW))[0] == 2
    assert flow("import", write("a.yaml", ASK), write("b.yaml", ASK))[0] == 2
    assert flow("import", write("a.yaml", ASK.replace("name: ask", "name: a b")))[0] == 2
    assert not Flow.objects.exists()


def test_a_draft_may_be_imported_with_errors(workspace, write):
    code, out = flow("import", write("ask.yaml", BROKEN), "--draft")
    assert (code, Flow.objects.get().draft, FlowVersion.objects.count()) == (0, BROKEN, 0)
    assert out.splitlines()[-1].endswith("/flows/ask (new), a draft")
    assert flow("import", write("ask.yaml", ASK), "--no-publish")[0] == 0
    assert FlowVersion.objects.count() == 0


def test_an_import_into_an_unknown_workspace_is_refused(db, write):
    assert flow("import", write("ask.yaml", ASK), "--workspace", "nowhere")[0] == 1


def test_an_export_gives_the_text_back(make_flow, ida, tmp_path):
    made = make_flow(ASK)
    publish(made, by=ida)
    save_draft(made, CHANGED, revision=made.revision, by=ida)
    assert flow("export", "/flows/ask") == (0, CHANGED)
    assert flow("export", "/flows/ask", "--version", 1) == (0, ASK)
    assert flow("export", "/flows/ask", "--output", tmp_path / "out.yaml") == (0, "")
    assert (tmp_path / "out.yaml").read_text() == CHANGED
    assert json.loads(flow("export", "/flows/ask", "--format", "json")[1]) == load(CHANGED).content


def test_what_does_not_exist_cannot_be_exported(make_flow, tmp_path):
    make_flow(ASK)
    assert flow("export", "/flows/nowhere")[0] == 1
    assert flow("export", "/flows/ask", "--version", 7)[0] == 1
    assert flow("export", "/flows/ask", "--output", tmp_path / "no" / "folder")[0] == 2


def test_a_file_and_a_published_flow_are_explained_alike(workspace, ida):
    file = corpus.ROOT / "flows" / "order-fulfilment.yaml"
    import_flow(workspace, file.read_text(), by=ida, publish=True)
    code, out = flow("explain", file)
    assert code == 0
    assert flow("explain", "/flows/order-fulfilment") == (0, out)
    assert "3 retries after 1 s, 2 s, 4 s" in out
    assert "  charge_card: /shop/payment/refund with charge, amount" in out


def test_an_explanation_comes_as_json_and_as_a_diagram(db):
    file = corpus.ROOT / "flows" / "shift-cover.yaml"
    assert json.loads(flow("explain", file, "--json")[1])["first"] == "find_colleagues"
    assert flow("explain", file, "--mermaid")[1].startswith("flowchart TD\n")


def test_what_has_errors_is_not_explained(make_flow, write):
    code, out = flow("explain", write("ask.yaml", BROKEN))
    assert code == 1 and "INVALID_ERROR_EDGE" in out
    assert flow("explain", write("odd.yaml", NO_FLOW))[0] == 2
    make_flow(ASK)
    assert "not published" in flow("explain", "/flows/ask")[1]
    assert flow("explain", "/flows/nowhere")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["1 + 1"], "2\n"),
        (["input.n > 5", "--context", '{"input": {"n": 7}}'], "true\n"),
        (["n is {{ n }}", "--context", '{"n": 7}'], '"n is 7"\n'),
        (["${n}", "--context", '{"n": [1, 2.0]}'], "[1, 2.0]\n"),
    ],
)
def test_an_expression_is_evaluated(arguments, answer):
    assert flow("eval", *arguments) == (0, answer)


@pytest.mark.parametrize(
    "arguments", [["1 +"], ["nowhere"], ["1", "--context", "{"], ["1", "--context", "[]"], [], ["1", "--vectors", "x"]]
)
def test_what_cannot_be_evaluated_is_said_in_words(arguments):
    code, out = flow("eval", *arguments)
    assert code == 1 and out and "Traceback" not in out


def test_vectors_are_counted(write):
    file = write("vectors.yaml", "vectors: [{id: a, expr: 1 + 1, expect: 2}, {id: b, expr: 1 + 1, expect: 3}]")
    code, out = flow("eval", "--vectors", file)
    assert code == 1
    assert out.splitlines() == ["b: gave 2, not 3", "1 passed, 1 failed"]
    assert flow("eval", "--vectors", "nowhere.yaml")[0] == 2


def test_the_command_works_without_a_database(tmp_path, write):
    file = write("call.yaml", calling("/test/nowhere"))
    environment = {"SULTANA_VAR_DIR": str(tmp_path / "var"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "manage.py", "flow", "doctor", str(file)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "warning FUNCTION_NOT_FOUND" in done.stdout


def test_every_app_may_add_a_subcommand(capsys):
    with pytest.raises(SystemExit):
        call_command("flow", "--help")
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("doctor", "explain", "import", "export", "eval", "run", "test"))
