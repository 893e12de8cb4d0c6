"""The people of a scenario."""

from engine.scenarios.people import ScriptedPeople


def test_whoever_is_named_exists() -> None:
    people = ScriptedPeople({})
    assert people.exists("/users/ana")
    assert not any(map(people.exists, ["/users/", "/users/a/b", "/groups/board", "ana", ""]))


def test_a_group_has_its_members_in_the_order_of_their_names() -> None:
    people = ScriptedPeople({"board": ["cem", "/users/ana"]})
    assert people.exists("/groups/board")
    assert people.members("/groups/board") == ["/users/ana", "/users/cem"]
    assert people.members("/groups/none") == []
