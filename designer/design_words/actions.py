"""What was done, as the history and the message line name it, and why something was refused."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

WORDS: Final[Mapping[str, "Words"]] = {
    "add_step": pgettext_lazy("designer", "Add “{name}”"),
    "delete_step": pgettext_lazy("designer", "Delete “{name}”"),
    "delete_steps": pgettext_lazy("designer", "Delete {n} steps"),
    "move_step": pgettext_lazy("designer", "Move “{name}”"),
    "move_steps": pgettext_lazy("designer", "Move {n} steps"),
    "duplicate_step": pgettext_lazy("designer", "Duplicate “{name}”"),
    "duplicate_steps": pgettext_lazy("designer", "Duplicate {n} steps"),
    "paste_steps": pgettext_lazy("designer", "Paste {n} steps"),
    "paste_steps_one": pgettext_lazy("designer", "Paste a step"),
    "copied_steps": pgettext_lazy("designer", "{n} steps copied"),
    "copied_steps_one": pgettext_lazy("designer", "Step copied"),
    "change_field": pgettext_lazy("designer", "Change “{name}”"),
    "change_flow": pgettext_lazy("designer", "Change the flow"),
    "change_kind": pgettext_lazy("designer", "Change the kind of “{name}”"),
    "disable_step": pgettext_lazy("designer", "Skip “{name}”"),
    "enable_step": pgettext_lazy("designer", "No longer skip “{name}”"),
    "rename_step": pgettext_lazy("designer", "Rename {name} to {id}"),
    "wrap_steps": pgettext_lazy("designer", "Put {n} steps into a container"),
    "wrap_steps_one": pgettext_lazy("designer", "Put a step into a container"),
    "unwrap_container": pgettext_lazy("designer", "Take “{name}” apart"),
    "restored_version": pgettext_lazy("designer", "Make version {n} the draft"),
    "edited_text": pgettext_lazy("designer", "Change the text"),
    "merged": pgettext_lazy("designer", "The changes of {who} were brought in."),
    "kept_mine": pgettext_lazy("designer", "Keep my changes"),
    "took_theirs": pgettext_lazy("designer", "Take the changes of {who}"),
    "restored": pgettext_lazy("designer", "Changes that could not be saved last time are back."),
    "undone": pgettext_lazy("designer", "Undone: {what}"),
    "redone": pgettext_lazy("designer", "Done again: {what}"),
    "settings_put_aside": pgettext_lazy("designer", "Put aside until it is of the kind “{kind}” again: {fields}."),
    "put_aside_is_no_map": pgettext_lazy(
        "designer", "What is put aside here is no map. Mend or remove put_aside in the YAML view."
    ),
    "rule_removed": pgettext_lazy("designer", "Its rule “{condition}” went with it."),
    "container_settings_lost": pgettext_lazy("designer", "What was set on “{name}” went with it: {fields}."),
    "trouble_duplicate": pgettext_lazy("designer", "The id {target} is used twice now."),
    "trouble_dangling": pgettext_lazy("designer", "“{name}” still leads to {target}, which is gone. See Problems."),
    "trouble_unknown_read": pgettext_lazy("designer", "“{name}” still reads {target}, which is gone. See Problems."),
    "trouble_crossing": pgettext_lazy(
        "designer",
        "The way from “{name}” to “{target}” would cross into a parallel branch, which is not possible. See Problems.",
    ),
    "already_at_the_edge": pgettext_lazy("designer", "It is at the edge already."),
    "already_there": pgettext_lazy("designer", "It is there already."),
    "bare_document": pgettext_lazy(
        "designer", "This text has no place for a title. Write the flow in the YAML view with node_type and properties."
    ),
    "id_has_wrong_letters": pgettext_lazy("designer", "“{id}” is no id. Use letters, digits and _."),
    "id_is_reserved": pgettext_lazy("designer", "“{id}” is reserved. Choose another id."),
    "id_is_taken": pgettext_lazy("designer", "“{id}” is the id of another step. Choose another one."),
    "jump_crosses": pgettext_lazy("designer", "Not possible: a way cannot lead into or out of a parallel branch."),
    "jump_to_itself": pgettext_lazy("designer", "A step cannot lead to itself. Use a loop."),
    "not_a_jump": pgettext_lazy("designer", "This way is a rule of its container."),
    "not_beside_itself": pgettext_lazy("designer", "“{name}” cannot stand beside itself."),
    "not_into_itself": pgettext_lazy("designer", "“{name}” cannot go into itself."),
    "not_steps": pgettext_lazy("designer", "These are no steps."),
    "nothing_selected": pgettext_lazy("designer", "Choose a step first."),
    "nothing_to_paste": pgettext_lazy("designer", "The clipboard holds no steps."),
    "one_at_a_time": pgettext_lazy("designer", "One step at a time can be moved this way."),
    "only_containers_unwrap": pgettext_lazy("designer", "Only containers can be taken apart."),
    "only_steps_are_disabled": pgettext_lazy("designer", "Only steps can be skipped."),
    "place_is_gone": pgettext_lazy("designer", "This place is gone."),
    "runtime_is_read_only": pgettext_lazy(
        "designer", "This flow was imported in the form runs use. It can be looked at and run, not drawn."
    ),
    "unchanged": pgettext_lazy("designer", "Nothing has changed."),
    "unwrap_would_split_branch": pgettext_lazy(
        "designer", "Its steps are one branch and would become several. Take one of them out first."
    ),
    "wrap_needs_neighbours": pgettext_lazy("designer", "Choose steps that stand beside each other."),
    "not_saved": pgettext_lazy("designer", "The server refused ({status}). Nothing is lost; try again."),
    "offline": pgettext_lazy("designer", "The server cannot be reached. Nothing is lost; it is tried again."),
    "save_first": pgettext_lazy("designer", "The draft could not be saved, so it cannot be published."),
    "published": pgettext_lazy("designer", "Version {n} is published. New runs use it."),
    "nothing_new": pgettext_lazy("designer", "Version {n} says the same already; nothing new was published."),
    "conflict_about": pgettext_lazy("designer", "You both changed: {steps}."),
    "conflict_heading": pgettext_lazy("designer", "{who} saved this flow meanwhile"),
    "conflict_words": pgettext_lazy(
        "designer", "Where only one of you changed something, both are kept. For the rest you decide."
    ),
}
