"""The designer as people use it: by mouse and by keyboard, with what they do counted (one click, drag or chord is one)."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from designer.models import Editing
from engine.models import Binding
from flows import library
from flows.loader import load
from flows.models import Flow, NotificationTarget
from flows.publishing import import_flow, publish, save_draft
from flows.text import write_yaml
from tests.browser.person import Person
from tests.factories import FlowVersionFactory, InstanceFactory, UserFactory, VisitFactory, WorkspaceFactory, now

STEP = "raisin:FlowStep"
CONTAINER = "raisin:FlowContainer"


def step(id: str, **properties: Any) -> dict[str, Any]:
    return {"id": id, "node_type": STEP, "properties": {"action": id.replace("_", " ").capitalize(), **properties}}


def box(kind: str, id: str, *children: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": id, "node_type": CONTAINER, "container_type": kind, **more, "children": list(children)}


def wait(id: str, **more: Any) -> dict[str, Any]:
    return step(id, step_type="wait", duration="1h", **more)


@pytest.fixture
def make_flow(mara):
    """``make_flow(node, node)``: a flow with these nodes as its draft."""
    library.sync()
    UserFactory(username="boss", first_name="Bea", last_name="Boss")
    UserFactory(username="lead", first_name="Leo", last_name="Lead")
    workspace = WorkspaceFactory()

    def make(*nodes: dict[str, Any], name: str = "example") -> Flow:
        data = {"version": 1, "nodes": list(nodes)}
        properties = {"title": "Example", "name": name, "workflow_data": data}
        text = write_yaml({"node_type": "raisin:Flow", "properties": properties})
        return import_flow(workspace, text, by=mara, draft=True).flow

    return make


class Designer(Person):
    """Somebody at the designer."""

    def __init__(self, page: Page, flow: Flow) -> None:
        super().__init__(page)
        self.flow = flow

    def open(self) -> "Designer":
        self.page.goto(f"/flows/{self.flow.path.removeprefix('/flows/')}/-/design")
        expect(self.page.get_by_role("tree")).to_be_attached()
        return self

    def drag(self, source: Locator, target: Locator) -> None:
        self.actions += 1
        source.hover()
        self.page.mouse.down()
        end = target.bounding_box()
        assert end
        x, y = end["x"] + end["width"] / 2, end["y"] + end["height"] / 2
        self.page.mouse.move(x, y + 30, steps=4)
        self.page.mouse.move(x, y, steps=4)
        self.page.mouse.up()

    def choose(self, label: str, option: str) -> None:
        """From a list: two actions, to open it and to take one."""
        self.actions += 2
        field = self.page.get_by_label(label, exact=True)
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(label=option)
        else:
            field.click()
            self.page.get_by_role("option", name=option).first.click()

    def card(self, id: str) -> Locator:
        return self.page.locator(f'[role=treeitem][data-key="{id}"] > .card-step')

    def slot(self, name: str) -> Locator:
        return self.page.locator(f'[data-slot="{name}"]')

    def saved(self) -> dict[str, Any]:
        """The definition as the server has it, once everything is saved."""
        expect(self.page.locator(".saved")).to_have_text("Saved")
        self.flow.refresh_from_db()
        return dict(load(self.flow.draft).workflow_data)

    def ids(self) -> list[str]:
        return [node["id"] for node in self.saved()["nodes"]]


@pytest.fixture
def at(page: Page, sign_in, mara):
    """``at(flow)``: Mara in front of a flow's canvas."""
    sign_in(page, mara)
    return lambda flow: Designer(page, flow).open()


def in_entry(page: Page, word: str) -> Locator:
    return page.get_by_role("dialog", name="Add a step here").get_by_role("option", name=word).first


def tab_to(page: Page, field: str) -> None:
    """Tab until the cursor is in a field of the form."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("name => document.activeElement.closest(`[data-field=${name}]`) !== null", field):
            return
    pytest.fail(f"{field} cannot be reached by Tab")


# --- the tasks of a first-time user -----------------------------------------------------------------------------------


def test_two_approvals_with_deadlines_then_the_boss_from_scratch_within_20_actions(at, make_flow):
    person = at(make_flow())
    page = person.page
    person.click(page.get_by_role("button", name="Add the first step"))
    person.click(in_entry(page, "Approval"))
    page.keyboard.type("Team lead approves")
    person.choose("Who", "Leo Lead")
    page.get_by_label("Time to answer").fill("2")
    person.press("Control+Shift+d")
    page.keyboard.type("Finance approves")
    person.press("Control+Shift+d")
    page.keyboard.type("The boss decides")
    person.choose("Who", "Bea Boss")
    for id in ("team_lead_approves", "finance_approves"):
        person.click(person.card(id))
        person.choose("When time runs out, go to", "The boss decides")
    person.click(page.get_by_role("button", name="Publish", exact=True))
    person.click(page.get_by_role("dialog").get_by_role("button", name="Publish version 1"))
    expect(page.get_by_text("Version 1 is published")).to_be_visible()
    assert person.actions <= 20, person.actions


def test_a_named_step_between_two_others_takes_two_clicks_or_three_chords(at, make_flow):
    person = at(make_flow(wait("a"), wait("b")))
    person.click(person.slot("/1"))
    person.click(in_entry(person.page, "To do"))
    person.page.keyboard.type("Count the boxes")
    assert person.actions == 2
    assert [node["properties"]["action"] for node in person.saved()["nodes"]] == ["A", "Count the boxes", "B"]
    assert person.ids() == ["a", "to_do", "b"]
    person.page.locator('[role=treeitem][tabindex="0"]').focus()
    person.actions = 0
    person.press("+")
    person.page.keyboard.type("stop")
    person.press("Enter")
    person.page.keyboard.type("Nothing left")
    assert person.actions <= 3
    person.page.keyboard.press("Tab")
    assert person.ids() == ["a", "count_the_boxes", "nothing_left", "b"]


def test_a_step_with_an_error_path_moves_into_a_loop_by_one_drag_and_keeps_it(at, make_flow):
    flow = make_flow(wait("a", error_edge="refund"), box("loop", "each", wait("b"), loop={"times": 2}), wait("refund"))
    person = at(flow)
    person.drag(person.card("a"), person.slot("each/1"))
    assert person.actions == 1
    nodes = person.saved()["nodes"]
    assert [child["id"] for child in nodes[0]["children"]] == ["b", "a"]
    assert nodes[0]["children"][1]["properties"]["error_edge"] == "refund"


def test_a_step_moves_into_a_loop_by_two_chords(at, make_flow):
    flow = make_flow(wait("a", error_edge="refund"), box("loop", "each", wait("b"), loop={"times": 2}), wait("refund"))
    person = at(flow)
    person.page.locator('[data-key="a"]').focus()
    person.press("Control+x")
    person.page.locator('[data-key="b"]').focus()
    person.press("Control+v")
    assert person.actions == 2
    assert [child["id"] for child in person.saved()["nodes"][0]["children"]] == ["b", "a"]


def test_three_problems_that_refuse_publishing_are_repaired_in_two_actions_each_and_one_with_a_fix(at, make_flow):
    flow = make_flow(
        wait("a", error_edge="gone"),
        step("ask", step_type="human_task", task_type="action"),
        wait("b", timeout_edge="lost"),
    )
    person = at(flow)
    page = person.page
    person.click(page.get_by_role("button", name="Publish", exact=True))
    problems = page.get_by_role("region", name="Problems")
    expect(problems.locator(".tone-red")).to_have_count(3)
    person.actions = 0
    for left in (2, 1):
        person.click(problems.get_by_role("button", name="Remove this way").first)
        expect(problems.locator(".tone-red")).to_have_count(left)
    assert person.actions == 2
    person.click(problems.locator(".tone-red .problem-go"))
    expect(page.get_by_label("Who", exact=True)).to_be_focused()
    page.keyboard.type("Leo")
    person.press("Enter")
    assert person.actions == 4
    expect(problems.locator(".tone-red")).to_have_count(0)
    person.click(page.get_by_role("button", name="Publish", exact=True))
    expect(page.get_by_role("dialog", name="Publish version 1")).to_be_visible()


def test_the_first_task_is_done_by_keyboard_alone(at, make_flow):
    person = at(make_flow())
    page = person.page
    page.get_by_role("treeitem").focus()
    for number, (name, who) in enumerate(
        (("Lead approves", "Leo"), ("Finance approves", "Leo"), ("Boss decides", "Bea"))
    ):
        person.press("+")
        page.keyboard.type("approval")
        person.press("Enter")
        page.keyboard.type(name)
        tab_to(page, "assignee")
        page.keyboard.type(who)
        person.press("Enter")
        page.keyboard.press("Escape")
        expect(page.locator('[role=treeitem][aria-selected="true"]')).to_be_focused()
        expect(page.get_by_role("treeitem")).to_have_count(number + 1)
    for _ in range(2):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        tab_to(page, "due_in_seconds")
        page.keyboard.type("2")
        tab_to(page, "timeout_edge")
        page.keyboard.type("Boss")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
    saved = person.saved()["nodes"]
    assert [node["properties"].get("due_in_seconds") for node in saved] == [172800, 172800, None]
    assert [node["properties"].get("timeout_edge") for node in saved] == [saved[2]["id"], saved[2]["id"], None]


def test_who_is_told_is_chosen_from_the_library_or_named_before_it_is_set_up(at, make_flow):
    NotificationTarget.objects.create(
        name="support-team", addresses="ida@example.org", description="Looks after orders"
    )
    held = {"then": "hold", "stop_after": {"failures": 1, "within": "1h"}}
    person = at(make_flow(box("and", "group", wait("a"), recovery=held)))
    page = person.page
    person.page.locator('[data-key="group"]').focus()
    page.keyboard.press("Enter")
    person.choose("And tell", "support-team")
    assert person.saved()["nodes"][0]["recovery"] == {**held, "notify": "support-team"}
    page.get_by_label("And tell", exact=True).fill("support-tea")
    expect(page.get_by_role("option", name="Looks after orders")).to_be_visible()
    page.get_by_label("And tell", exact=True).fill("night-desk")
    expect(page.get_by_text("Nothing found. A name that is still to be set up can be typed.")).to_be_visible()
    page.keyboard.press("Enter")
    assert person.saved()["nodes"][0]["recovery"]["notify"] == "night-desk"
    expect(page.get_by_text("Nobody has set up the notification target").first).to_be_visible()


# --- what others' products got wrong ----------------------------------------------------------------------------------


def test_edit_undo_redo_reload_keeps_the_edit(at, make_flow):
    person = at(make_flow(wait("a"), wait("b")))
    page = person.page
    person.card("a").click()
    page.get_by_label("Name", exact=True).fill("Another")
    page.get_by_role("tree").locator('[data-key="b"]').focus()
    expect(person.card("another")).to_contain_text("Another")  # the id follows the name once the field is left
    page.keyboard.press("Control+z")
    expect(person.card("a")).to_contain_text("A")
    page.keyboard.press("Control+Shift+z")
    expect(person.card("another")).to_contain_text("Another")
    person.saved()
    page.reload()
    expect(person.card("another")).to_contain_text("Another")


def test_keys_of_the_canvas_leave_text_alone(at, make_flow):
    person = at(make_flow(wait("a"), wait("b")))
    page = person.page
    person.card("a").click()
    name = page.get_by_label("Name", exact=True)
    name.fill("one two")
    for chord in ("Control+Backspace", "Delete", "Control+c", "Control+z", "Space", "Backspace", "+", "Control+d"):
        name.focus()
        page.keyboard.press(chord)
    assert person.ids() == ["a", "b"]


def test_a_copied_loop_reads_its_own_steps(at, make_flow):
    inner = step("b", function_ref="/shop/mail/send", arguments={"to": "${steps.a.waited}", "subject": "x"})
    person = at(make_flow(box("loop", "each", wait("a"), inner, loop={"times": 2})))
    person.page.locator('[data-key="each"]').focus()
    person.page.keyboard.press("Control+c")
    person.page.keyboard.press("Control+v")
    copy = person.saved()["nodes"][1]
    assert copy["id"] == "each_2"
    assert copy["children"][1]["properties"]["arguments"]["to"] == "${steps.a_2.waited}"


def test_renaming_an_id_changes_what_names_it_and_nothing_else(at, make_flow):
    reads = step(
        "user", function_ref="/shop/mail/send", arguments={"to": "${steps.set.x}", "subject": "${steps.set1.x}"}
    )
    person = at(make_flow(wait("set"), wait("set1"), reads))
    person.card("set").click()
    field = person.page.get_by_label("Id", exact=True)
    field.fill("constructor")
    field.press("Enter")
    saved = person.saved()["nodes"]
    assert saved[0]["id"] == "constructor"
    assert saved[2]["properties"]["arguments"] == {"to": "${steps.constructor.x}", "subject": "${steps.set1.x}"}


def test_two_people_who_change_different_steps_both_keep_their_work(at, make_flow, mara):
    flow = make_flow(wait("a"), wait("b"))
    person = at(flow)
    save_draft(flow, flow.draft.replace("action: B", "action: From elsewhere"), revision=flow.revision, by=mara)
    person.card("a").click()
    person.page.get_by_label("Name", exact=True).fill("From here")
    expect(person.card("b")).to_contain_text("From elsewhere")
    assert [node["properties"]["action"] for node in person.saved()["nodes"]] == ["From here", "From elsewhere"]


def test_two_people_who_change_one_field_are_asked(at, make_flow, mara):
    flow = make_flow(wait("a"), wait("b"))
    person = at(flow)
    save_draft(flow, flow.draft.replace("action: A", "action: Theirs"), revision=flow.revision, by=mara)
    person.card("a").click()
    person.page.get_by_label("Name", exact=True).fill("Mine")
    dialog = person.page.get_by_role("dialog", name="saved this flow meanwhile")
    expect(dialog).to_be_visible()
    person.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    person.page.get_by_role("button", name="Decide").click()
    dialog.get_by_role("button", name="Keep mine").click()
    assert person.saved()["nodes"][0]["properties"]["action"] == "Mine"


def test_signed_out_while_editing_nothing_is_lost(at, make_flow, sign_in, mara):
    person = at(make_flow(wait("a")))
    page = person.page
    page.context.clear_cookies(name="sessionid")
    person.card("a").click()
    page.get_by_label("Name", exact=True).fill("Typed while signed out")
    expect(page.get_by_text("Not saved: signed out, kept here")).to_be_visible()
    sign_in(page, mara)
    page.reload()
    expect(person.card("a")).to_contain_text("Typed while signed out")
    assert person.saved()["nodes"][0]["properties"]["action"] == "Typed while signed out"


def test_a_step_with_paths_goes_into_a_parallel_branch_and_back(at, make_flow):
    person = at(make_flow(wait("a", error_edge="z", timeout_edge="z"), box("parallel", "p", wait("b")), wait("z")))
    before = person.saved()
    person.drag(person.card("a"), person.slot("p/1"))
    expect(person.page.get_by_text("would cross into a parallel branch").first).to_be_visible()
    assert person.saved()["nodes"][0]["children"][1]["properties"]["error_edge"] == "z"
    person.page.locator('[data-key="a"]').focus()
    person.page.keyboard.press("Control+z")
    assert person.saved() == before


def test_deleting_a_target_is_listed_and_undo_restores_both(at, make_flow):
    person = at(make_flow(wait("a", error_edge="z"), wait("z")))
    page = person.page
    before = person.saved()
    page.locator('[data-key="z"]').focus()
    page.keyboard.press("Delete")
    expect(page.get_by_text("still leads to z").first).to_be_visible()
    expect(person.card("a").locator(".step-badge")).to_be_visible()
    page.keyboard.press("Control+z")
    assert person.saved() == before


WATCH = """() => {
  window.touched = new Set();
  const note = (found) => found.forEach(({ target }) => {
    const item = (target.nodeType === 1 ? target : target.parentElement).closest(".item, .slot, .wires path, .rule");
    if (item) window.touched.add(item.dataset.key ?? item.dataset.slot ?? item.outerHTML);
  });
  const options = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(note).observe(document.querySelector(".drawing"), options);
}"""


def crowd(boxes: int) -> list[dict[str, Any]]:
    """Containers of every kind that is drawn in its own way, each with four steps."""
    kinds = ("and", "parallel", "loop", "competition")
    return [box(kinds[n % 4], f"c{n}", *[wait(f"s{n}_{at}") for at in range(4)]) for n in range(boxes)]


def test_in_a_large_flow_a_letter_touches_one_card_and_a_new_step_what_is_beside_it(at, make_flow):
    person = at(make_flow(*crowd(40)))
    page = person.page
    person.card("s0_1").click()
    name = page.get_by_label("Name", exact=True)
    name.focus()
    page.evaluate(WATCH)
    page.keyboard.type("Another name")
    expect(person.card("s0_1")).to_contain_text("Another name")
    assert set(page.evaluate("[...window.touched]")) <= {"c0", "s0_1"}
    page.evaluate("window.touched.clear()")
    page.keyboard.press("Control+Shift+d")
    expect(page.get_by_role("treeitem")).to_have_count(201)
    touched = set(page.evaluate("[...window.touched]"))
    inner = {each for each in touched if each.startswith("s") and not each.startswith("s0_")}
    assert not inner, "steps of other containers were drawn anew"


def test_dragging_over_a_large_flow_draws_no_step_anew(at, make_flow):
    person = at(make_flow(*crowd(40)))
    page = person.page
    target = person.slot("c0/3")
    person.card("s0_1").hover()
    page.mouse.down()
    end = target.bounding_box()
    assert end
    page.mouse.move(end["x"] + 11, end["y"] - 40, steps=3)
    page.evaluate(WATCH)
    page.mouse.move(end["x"] + 11, end["y"] + 11, steps=12)
    expect(target).to_have_attribute("data-target", "")
    assert all("/" in each for each in page.evaluate("[...window.touched]")), "only places to drop may change"
    page.keyboard.press("Escape")
    expect(target).not_to_have_attribute("data-target", "")
    page.mouse.up()


def test_what_is_outside_the_window_is_still_found_and_reached(at, make_flow):
    person = at(make_flow(*crowd(40)))
    page = person.page
    expect(page.get_by_role("treeitem")).to_have_count(200)
    page.locator('[data-key="c0"]').focus()
    page.keyboard.press("End")
    expect(page.locator(":focus")).to_have_attribute("data-key", "s39_3")
    expect(person.card("s39_3")).to_be_in_viewport()


def test_two_steps_are_joined_by_keyboard_alone(at, make_flow):
    person = at(make_flow(wait("a"), wait("b"), wait("last")))
    page = person.page
    page.locator('[data-key="a"]').focus()
    page.keyboard.press("Enter")
    tab_to(page, "error_edge")
    page.keyboard.type("Last")
    page.keyboard.press("Enter")
    assert person.saved()["nodes"][0]["properties"]["error_edge"] == "last"
    page.keyboard.press("Escape")
    expect(page.locator(":focus")).to_have_attribute("data-key", "a")
    expect(page.locator('[data-jump="a:error"]')).to_have_attribute("data-strong", "")


def test_names_are_text_wherever_they_are_shown(at, make_flow):
    name = "<img src=x onerror=alert(1)> {{7*7}}"
    person = at(
        make_flow(wait("a", error_edge="b"), {**wait("b"), "properties": {"action": name, "step_type": "wait"}})
    )
    page = person.page
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    for view in ("Outline", "YAML", "Canvas"):
        page.get_by_role("button", name=view, exact=True).click()
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Problems").click()
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize(
    "text", ["", "- a\n- b", "a:\n\tb", "a: &x [1]\nb: [*x, *x]", "a: 1\na: 2", "{", "nodes: 7", "nodes: [a, b]"]
)
def test_broken_text_keeps_the_canvas_on_the_last_good_one(at, make_flow, text):
    person = at(make_flow(wait("a")))
    page = person.page
    before = person.saved()
    page.get_by_role("button", name="YAML", exact=True).click()
    page.get_by_label("The flow as YAML").fill(text)
    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    page.get_by_role("button", name="Canvas", exact=True).click()
    expect(person.card("a")).to_be_visible()
    expect(page.locator(".saved")).to_contain_text("Text not saved")
    page.reload()
    expect(page.get_by_text("could not be saved last time is back in the YAML view")).to_be_visible()
    page.get_by_role("button", name="Show the text").click()
    expect(page.get_by_label("The flow as YAML")).to_have_value(text)
    page.get_by_role("button", name="Drop this text").click()
    expect(page.get_by_label("The flow as YAML")).to_have_value(re.compile("action: A"))
    assert person.saved() == before


def test_a_text_that_is_mended_after_a_reload_is_saved_with_what_came_to_the_canvas_meanwhile(at, make_flow):
    person = at(make_flow(wait("a"), wait("b")))
    page = person.page
    person.saved()
    page.get_by_role("button", name="YAML", exact=True).click()
    text = page.get_by_label("The flow as YAML")
    text.fill(text.input_value().replace("action: A", "action: [From the text"))
    faulty = int(re.findall(r"Not saved: line (\d+)", page.get_by_role("alert").inner_text())[0])
    assert 1 < faulty <= len(text.input_value().split("\n"))
    expect(text).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Canvas", exact=True).click()
    person.card("b").click()
    page.get_by_label("Name", exact=True).fill("From the canvas")
    expect(page.locator(".saved")).to_contain_text("Text not saved: line")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("would not be published")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="YAML", exact=True).click()
    expect(text).to_have_value(re.compile(r"action: \[From the text"))
    text.fill(text.input_value().replace("[From the text", "From the text"))
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(text).to_have_value(re.compile("From the canvas"))
    assert [node["properties"]["action"] for node in person.saved()["nodes"]] == ["From the text", "From the canvas"]
    page.reload()
    expect(page.get_by_text("is back in the YAML view")).to_have_count(0)


def test_a_text_typed_while_signed_out_is_taken_after_signing_in(at, make_flow, sign_in, mara):
    person = at(make_flow(wait("a")))
    page = person.page
    page.get_by_role("button", name="YAML", exact=True).click()
    page.context.clear_cookies(name="sessionid")
    text = page.get_by_label("The flow as YAML")
    text.fill(text.input_value().replace("action: A", "action: Typed"))
    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    sign_in(page, mara)
    expect(page.get_by_role("alert")).to_have_count(0, timeout=15_000)
    assert person.saved()["nodes"][0]["properties"]["action"] == "Typed"


def test_a_text_that_wins_over_the_canvas_says_so_and_takes_no_more_than_it_says(at, make_flow):
    person = at(make_flow(wait("a", action="Alpha"), wait("b", action="Beta")))
    page = person.page
    page.get_by_role("button", name="YAML", exact=True).click()
    text = page.get_by_label("The flow as YAML")
    mended = text.input_value().replace("action: Alpha", "action: From the text")
    text.fill(mended + "\n]")
    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    page.get_by_role("button", name="Canvas", exact=True).click()
    for id in ("a", "b"):
        person.click(person.card(id))
        page.get_by_label("Name", exact=True).fill("From the canvas")
    page.get_by_role("button", name="YAML", exact=True).click()
    text.fill(mended)
    expect(page.locator(".message")).to_contain_text("the text was taken: From the canvas. Undo")
    assert [node["properties"]["action"] for node in person.saved()["nodes"]] == ["From the text", "From the canvas"]
    page.get_by_role("button", name="Undo").first.click()
    assert [node["properties"]["action"] for node in person.saved()["nodes"]] == ["From the canvas", "From the canvas"]


# --- views ------------------------------------------------------------------------------------------------------------


def test_text_and_canvas_follow_each_other_and_comments_stay(at, make_flow, mara):
    flow = make_flow(wait("a"), wait("b"))
    save_draft(flow, "# why\n" + flow.draft.replace("action: B", "action: B # keep"), revision=flow.revision, by=mara)
    person = at(flow)
    page = person.page
    page.get_by_role("button", name="YAML", exact=True).click()
    text = page.get_by_label("The flow as YAML")
    text.fill(text.input_value().replace("action: A", "action: From the text # new"))
    page.wait_for_timeout(900)
    page.get_by_role("button", name="Canvas", exact=True).click()
    expect(person.card("a")).to_contain_text("From the text")
    page.locator('[data-key="b"]').focus()
    page.keyboard.press("Alt+ArrowUp")
    assert person.ids() == ["b", "a"]
    for comment in ("# why", "# keep", "# new"):
        assert comment in flow.draft


def test_the_tree_has_one_tab_stop_and_says_where_one_is(at, make_flow):
    person = at(make_flow(wait("a"), box("loop", "each", wait("b"), wait("c"), loop={"times": 1})))
    page = person.page
    assert page.locator('[role=tree] [tabindex="0"]').count() == 1
    page.locator('[data-key="a"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    focused = page.locator(":focus")
    expect(focused).to_have_attribute("data-key", "c")
    expect(focused).to_have_attribute("aria-level", "2")
    expect(focused).to_have_attribute("aria-posinset", "2")
    expect(focused).to_have_attribute("aria-setsize", "2")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(":focus")).to_have_attribute("data-key", "each")


def test_a_step_is_found_by_its_name(at, make_flow):
    person = at(make_flow(*[wait(f"step_{n}") for n in range(40)]))
    person.page.keyboard.press("Control+f")
    person.page.keyboard.type("step 37")
    person.page.keyboard.press("Enter")
    expect(person.card("step_37")).to_be_in_viewport()
    expect(person.page.locator('[data-key="step_37"]')).to_be_focused()


def test_every_view_is_accessible_on_each_screen(screen_page: Page, sign_in, mara, make_flow, assert_accessible):
    flow = make_flow(
        wait("a", error_edge="z", timeout_edge="z"),
        box(
            "or",
            "o",
            step("ask", step_type="human_task", task_type="approval"),
            rules=[{"condition": "", "next_step": "ask"}],
        ),
        box("parallel", "p", wait("b"), box("loop", "l", wait("c"), loop={"times": 2})),
        wait("z"),
    )
    sign_in(screen_page, mara)
    screen_page.goto(f"/flows/{flow.path.removeprefix('/flows/')}/-/design")
    for view in ("Canvas", "Outline", "YAML"):
        screen_page.get_by_role("button", name=view, exact=True).click()
        assert_accessible(screen_page)
    screen_page.get_by_role("button", name="Outline", exact=True).click()
    screen_page.locator('[role=treeitem][data-key="ask"] .outline-title').first.click()
    if screen_page.get_by_role("button", name="Edit step").is_visible():
        screen_page.get_by_role("button", name="Edit step").click()
    assert_accessible(screen_page)


def test_who_may_not_change_a_flow_can_look_and_nothing_more(page: Page, sign_in, make_flow):
    flow = make_flow(wait("a"))
    sign_in(page, UserFactory(username="eve", is_staff=True))
    page.goto(f"/flows/{flow.path.removeprefix('/flows/')}/-/design")
    expect(page.get_by_text("You may look, not change")).to_be_visible()
    assert page.locator(".slot").count() == 0
    page.locator('[data-key="a"]').focus()
    page.keyboard.press("Delete")
    expect(page.locator('[data-key="a"]')).to_be_attached()


def test_nothing_is_asked_of_another_origin(at, make_flow):
    flow = make_flow(wait("a"))
    seen: list[str] = []
    person = at(flow)
    person.page.on("request", lambda request: seen.append(request.url))
    person.page.reload()
    expect(person.card("a")).to_be_visible()
    origin = person.page.evaluate("location.origin")
    assert seen and all(url.startswith((origin, "data:")) for url in seen), json.dumps(seen)


def test_a_version_is_shown_as_a_diagram_that_cannot_be_changed(
    page: Page, sign_in, mara, make_flow, assert_accessible
):
    flow = make_flow(wait("a"), wait("b"))
    publish(flow, by=mara)
    sign_in(page, mara)
    page.goto("/flows/example/-/versions/1")
    expect(page.get_by_role("treeitem")).to_have_count(2)
    assert page.locator(".slot").count() == 0
    assert_accessible(page)


def test_the_flow_is_saved_as_a_picture(at, make_flow):
    person = at(make_flow(wait("a"), wait("b")))
    person.page.get_by_label("More", exact=True).first.click()
    with person.page.expect_download() as download:
        person.page.get_by_role("button", name="Save as a picture").click()
    assert download.value.suggested_filename == "example.svg"
    assert ">A</text>" in download.value.path().read_text()


def test_a_condition_is_put_together_in_words(at, make_flow):
    person = at(make_flow(wait("a"), step("d", step_type="decision", condition="")))
    page = person.page
    person.card("d").click()
    page.get_by_label("Is it true that", exact=True).click()
    page.get_by_role("option", name="The whole input").click()
    page.get_by_label("How it compares").select_option(label="is not")
    page.get_by_label("With what").fill("paid")
    page.get_by_label("With what").press("Enter")
    assert person.saved()["nodes"][1]["properties"]["condition"] == 'input != "paid"'
    page.get_by_role("button", name="As text").click()
    page.get_by_label("Is it true that", exact=True).fill("input.total > 5 && !input.paid")
    assert person.saved()["nodes"][1]["properties"]["condition"] == "input.total > 5 && !input.paid"


# --- expressions ------------------------------------------------------------------------------------------------------


@pytest.fixture
def ran(make_flow):
    """A flow whose last run charged a card: its step ``tell`` can read what that gave."""

    def make(*more: dict[str, Any]) -> Flow:
        flow: Flow = make_flow(
            step("charge", function_ref="/lib/demo/charge"), step("tell", function_ref="/lib/nothing"), *more
        )
        version = FlowVersionFactory(flow=flow)
        run = InstanceFactory(version=version, status="completed", input={"total": 12, "token": "t-1"}, ended_at=now())
        VisitFactory(instance=run, node_id="charge", output={"id": "c-1", "lines": [1, 2]})
        Binding.objects.create(
            instance=run, node_id="charge", visits=1, seq=1, outcome="succeeded", completion=1, recent=[1]
        )
        return flow

    return make


def test_an_expression_is_completed_while_typing_and_tried_on_the_last_run(at, ran):
    person = at(ran(step("check", step_type="decision", condition="true")))
    page = person.page
    person.card("check").click()
    field = page.get_by_label("Is it true that", exact=True)
    field.fill("")
    field.press_sequentially("char")
    expect(page.get_by_role("option", name="steps.charge.id")).to_contain_text("c-1")
    field.press("Escape")
    expect(page.get_by_role("listbox", name="Suggestions")).to_have_count(0)
    field.fill("")
    field.press_sequentially("steps.charge.lines.le")
    expect(page.get_by_role("option", name="length()")).to_contain_text("whole number")
    field.press("Enter")
    field.press_sequentially(" > 1")
    expect(page.locator(".preview")).to_contain_text("In the last run")
    expect(page.locator(".preview-value")).to_have_text("true")
    assert person.saved()["nodes"][2]["properties"]["condition"] == "steps.charge.lines.length() > 1"


def test_what_is_wrong_with_an_expression_is_marked_at_its_place(at, ran, assert_accessible):
    person = at(ran())
    page = person.page
    person.card("tell").click()
    field = page.get_by_label("Name", exact=True)
    field.fill("Charged {{ input.total >> 3 }}")
    expect(page.locator(".preview-fault mark")).to_have_text(">")
    field.fill("Charged {{ nosuch.id }}")
    expect(page.locator(".preview-fault")).to_contain_text("With the values of the last run")
    assert_accessible(page)
    field.fill("Charged {{ steps.charge.id }} with {{ input.token }}")
    expect(page.locator(".preview-value")).to_have_text("Charged c-1 with ***")


def test_the_list_of_values_shows_what_they_were_in_the_last_run(at, ran):
    person = at(ran())
    page = person.page
    person.card("tell").click()
    page.locator('[data-field="action"]').get_by_label("Put in a value").click()
    offer = page.get_by_role("button", name="lines [1,2] list")
    expect(offer).to_be_visible()
    expect(page.locator(".offers")).to_contain_text("Values of the run of")
    offer.click()
    assert person.saved()["nodes"][1]["properties"]["action"].endswith("{{ steps.charge.lines }}")


def test_a_field_asks_for_a_preview_only_after_a_pause(at, ran):
    person = at(ran())
    asked: list[str] = []
    person.page.on("request", lambda request: asked.append(request.url) if "/preview" in request.url else None)
    person.card("tell").click()
    person.page.get_by_label("Name", exact=True).press_sequentially("{{ input.total }} and more", delay=10)
    expect(person.page.locator(".preview-value")).to_contain_text("and more")
    assert len(asked) <= 3


def test_people_at_the_same_draft_see_each_other(at, make_flow):
    flow = make_flow(wait("a"))
    Editing.objects.create(flow=flow, user=UserFactory(username="lea", first_name="Lea"), seen_at=now())
    person = at(flow)
    expect(person.page.get_by_role("status").filter(has_text="Lea edits this too")).to_be_visible()
    assert Editing.objects.filter(flow=flow).count() == 2
    person.page.goto("/flows/")
    expect(person.page.get_by_role("heading", level=1)).to_be_visible()
    assert [each.user.username for each in Editing.objects.filter(flow=flow)] == ["lea"]


# --- ids that follow names, and steps that look up --------------------------------------------------------------------


def test_the_id_follows_the_name_and_the_cursor_goes_on(at, make_flow):
    person = at(make_flow(step("approval"), step("tell", error_edge="approval")))
    page = person.page
    person.card("approval").click()
    page.get_by_label("Name", exact=True).fill("The boss approves")
    page.get_by_label("Name", exact=True).press("Tab")
    assert page.evaluate("document.activeElement.closest('.panel') !== null")
    expect(page.get_by_label("Id", exact=True)).to_have_value("the_boss_approves")
    expect(person.card("the_boss_approves")).to_be_visible()
    nodes = person.saved()["nodes"]
    assert (nodes[0]["id"], nodes[1]["properties"]["error_edge"]) == ("the_boss_approves", "the_boss_approves")
    page.get_by_label("Undo: Change", exact=False).click()
    assert person.ids() == ["approval", "tell"]


def test_a_published_id_that_something_names_stays(at, make_flow, mara):
    flow = make_flow(wait("pause"), wait("later", when="steps.pause.x == 1"))
    FlowVersionFactory(flow=flow, definition=load(flow.draft).workflow_data)
    person = at(flow)
    for id in ("pause", "later"):
        person.card(id).click()
        person.page.get_by_label("Name", exact=True).fill("Rest a while")
        person.page.get_by_label("Id", exact=True).click()
    assert person.ids() == ["pause", "rest_a_while"]


def test_how_a_lost_answer_is_looked_up_is_set_in_a_form(at, make_flow):
    person = at(make_flow(step("charge", function_ref="/lib/nothing", on_unknown="reconcile")))
    page = person.page
    person.card("charge").click()
    page.get_by_role("button", name="How to look it up").click()
    page.locator('[data-field="reconcile.steps"]').get_by_role("button", name="Add one").click()
    row = page.get_by_role("group", name="Steps that look, 1")
    row.get_by_label("Function", exact=True).fill("/lib/payments/find")
    row.get_by_label("Function", exact=True).press("Enter")
    row.get_by_label("Name of a further value").fill("reference")
    row.get_by_label("Name of a further value").press("Enter")
    row.get_by_label("reference", exact=True).fill("{{ input.id }}")
    outcome = page.get_by_label("It took effect if", exact=True)
    outcome.press_sequentially("look_u")
    page.get_by_role("listbox", name="Suggestions").get_by_role("option").first.click()
    outcome.press_sequentially(".status == 'booked'")
    row.get_by_label("Id", exact=True).fill("find_charge")
    row.get_by_label("Id", exact=True).press("Enter")
    result = page.locator('[data-field="reconcile.result"]')
    result.get_by_label("Name of a further value").fill("charge_id")
    result.get_by_label("Name of a further value").press("Enter")
    result.get_by_label("charge_id", exact=True).fill("${steps.find_charge.id}")
    assert person.saved()["nodes"][0]["properties"]["reconcile"] == {
        "steps": [
            {
                "id": "find_charge",
                "node_type": STEP,
                "properties": {"function_ref": "/lib/payments/find", "arguments": {"reference": "{{ input.id }}"}},
            }
        ],
        "outcome": "steps.find_charge.status == 'booked'",
        "result": {"charge_id": "${steps.find_charge.id}"},
    }


def test_a_problem_of_a_step_that_looks_leads_to_its_form(at, make_flow):
    probe = {"id": "find", "node_type": STEP, "properties": {"function_ref": "/lib/nothing"}}
    reconcile = {"steps": [probe], "outcome": "true"}
    person = at(make_flow(step("charge", function_ref="/lib/nothing", on_unknown="reconcile", reconcile=reconcile)))
    page = person.page
    row = page.get_by_role("group", name="Steps that look, 1")
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Problems").click()
    page.locator(".problem-row", has_text="find").first.click()
    expect(row).to_be_visible()
    expect(row.locator(".field-finding").first).to_be_visible()


def test_a_container_is_called_by_its_id_and_says_what_it_is(at, make_flow):
    person = at(
        make_flow(box("parallel", "pack_and_label", wait("a")), box("or", "who_pays", wait("b"), action="Who pays?"))
    )
    expect(person.card("pack_and_label").locator(".step-name")).to_have_text("Pack and label")
    expect(person.card("pack_and_label").locator(".step-under")).to_have_text("Side by side · All are awaited")
    expect(person.card("who_pays").locator(".step-name")).to_have_text("Who pays?")
    person.page.get_by_role("button", name="Outline", exact=True).click()
    expect(person.page.get_by_text("Pack and label", exact=True).first).to_be_visible()


def test_a_step_of_another_kind_has_its_settings_again_when_it_is_changed_back(at, make_flow, assert_accessible):
    charge = step(
        "charge", function_ref="/lib/charge", arguments={"of": "{{ input.x }}"}, error_edge="z", timeout_edge="z"
    )
    person = at(make_flow(charge, box("loop", "each", wait("b"), loop={"times": 2}), wait("z")))
    page = person.page
    before = person.saved()
    kind = page.get_by_label("Kind", exact=True)
    person.click(person.card("charge"))
    kind.select_option(label="Decision")
    expect(page.locator(".message")).to_contain_text("Put aside until it is of the kind “Function” again: Function")
    expect(page.locator(".put-aside")).to_contain_text("When time runs out, go to")
    expect(page.get_by_label("Is it true that").first).to_be_visible()
    decision = person.saved()["nodes"][0]["properties"]
    assert decision["error_edge"] == "z" and "function_ref" not in decision
    assert_accessible(page)
    page.reload()
    person.click(person.card("charge"))
    kind.select_option(label="Function")
    expect(page.locator(".put-aside")).to_have_count(0)
    assert person.saved() == before
    person.click(person.card("each"), position={"x": 30, "y": 12})
    kind.select_option(label="Side by side")
    expect(page.locator(".put-aside")).to_contain_text("Repeat")
    page.get_by_role("button", name="Delete what was put aside for “Again and again”").click()
    expect(page.locator(".put-aside")).to_have_count(0)
    assert "loop" not in person.saved()["nodes"][1]
    for _ in range(2):
        page.get_by_role("button", name="Undo").first.click()
    assert person.saved() == before


def test_a_wait_of_another_kind_keeps_what_it_waited_for(at, make_flow):
    person = at(make_flow(wait("a")))
    page = person.page
    before = person.saved()
    person.click(person.card("a"))
    person.choose("Wait", "For an event")
    expect(page.get_by_text("Kept, and without effect with this choice: How long")).to_be_visible()
    expect(page.get_by_label("How long")).to_have_count(0)
    page.get_by_label("Name of the event").fill("paid")
    person.choose("Wait", "For a time (as usual)")
    expect(page.get_by_text("Kept, and without effect with this choice: Name of the event")).to_be_visible()
    expect(page.get_by_label("How long").first).to_be_visible()
    kept = person.saved()["nodes"][0]["properties"]
    assert {name: kept[name] for name in before["nodes"][0]["properties"]} == before["nodes"][0]["properties"]
