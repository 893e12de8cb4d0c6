"""What an agent's key, address, tools, shape and script may say."""

import pytest
from django.core.exceptions import ValidationError

from flows import agents
from flows.library import DatabaseLibrary
from flows.models import Agent


@pytest.mark.parametrize("reference", ["env:OPENAI_API_KEY", "env:HF_TOKEN", "secret:openai", "secret:a-b_2"])
def test_a_key_is_named(reference):
    agents.check_key(reference)


@pytest.mark.parametrize(
    "reference",
    ["sk-0123456789", "env:", "env:PATH", "env:SULTANA_SECRET_KEY", "env:SULTANA_API_KEY", "env:DJANGO_TOKEN"]
    + ["env:lower_api_key", "secret:", "secret:Open AI", "OPENAI_API_KEY", "env:A_API_KEY\n"],
)
def test_a_key_is_never_written_down_and_never_one_of_ours(reference):
    with pytest.raises(ValidationError, match="Name the key"):
        agents.check_key(reference)


@pytest.mark.parametrize("address", ["https://llm.example.org/v1", "http://ollama:11434/v1", "http://[::1]:8000"])
def test_a_server_has_an_address(address):
    agents.check_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "llm.example.org",
        "ftp://host/v1",
        "https://",
        "https://ana:pw@host/v1",
        "https://host/v1?key=a",
        "http://host:99999",
    ]
    + ["http://[::1", "javascript:alert(1)", "https://host/#a"],
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ValidationError, match="no address"):
        agents.check_address(address)


@pytest.mark.parametrize("tools", ["/a/b", ["a/b"], [5], {"/a": 1}, ["/a b"], ["/a", "/a"]])
def test_tools_are_a_list_of_paths_each_once(tools):
    agents.check_tools(["/a/b", "/c"])
    with pytest.raises(ValidationError):
        agents.check_tools(tools)


def test_the_shape_of_answers_is_a_schema():
    agents.check_output_schema({"type": "object"})
    with pytest.raises(ValidationError, match="no JSON Schema"):
        agents.check_output_schema({"type": "strange"})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "script: "),
        ([5], "rule 1: "),
        ([{"answer": 1}, {"when": "true"}], "rule 2: "),
        ([{"answer": 1, "fail": {"message": "no"}}], "rule 1: "),
        ([{"fail": {}}], "rule 1.fail: "),
        ([{"use": [{"tool": "look"}]}], "rule 1.use.0.tool: "),
        ([{"when": "1 +", "answer": 1}], "rule 1: when: "),
        ([{"answer": {"a": "{{ 1 + }}"}}], "rule 1: answer: "),
        ([{"use": [{"tool": "/a", "arguments": {"n": "${ 1 + }"}}]}], "rule 1: use: "),
    ],
)
def test_what_is_wrong_with_a_script_is_told_with_its_place(rules, words):
    with pytest.raises(ValidationError) as caught:
        agents.check_script(rules)
    assert any(message.startswith(words) for message in caught.value.messages), caught.value.messages


def test_an_agent_is_checked_as_a_whole():
    agent = Agent(path="/agents/it", key="sk-123", tools=["no"], script=[{}], temperature=3, answer_seconds=0)
    with pytest.raises(ValidationError) as caught:
        agent.full_clean(validate_unique=False, validate_constraints=False)
    assert set(caught.value.message_dict) == {"key", "tools", "script", "temperature", "answer_seconds"}


@pytest.mark.django_db
def test_the_doctor_knows_an_agents_tools():
    Agent.objects.create(path="/agents/it", tools=["/a/b"])
    library = DatabaseLibrary(workspace_id=1)
    assert (library.agent_tools("/agents/it"), library.agent_tools("/agents/other")) == (["/a/b"], None)
