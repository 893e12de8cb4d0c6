"""What was done, as the history and the message line name it, and why something was refused."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from django.utils.translation import pgettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

WORDS: Final[Mapping[str, "Words"]] = {
    "add_step": _("designer", "Add “{name}”"),
    "delete_step": _("designer", "Delete “{name}”"),
    "delete_steps": _("designer", "Delete {n} steps"),
    "move_step": _("designer", "Move “{name}”"),
    "move_steps": _("designer", "Move {n} steps"),
    "duplicate_step": _("designer", "Duplicate “{name}”"),
    "duplicate_steps": _("designer", "Duplicate {n} steps"),
    "paste_steps": _("designer", "Paste {n} steps"),
    "paste_steps_one": _("designer", "Paste a step"),
    "copied_steps": _("designer", "{n} steps copied"),
    "copied_steps_one": _("designer", "Step copied"),
    "change_field": _("designer", "Change “{name}”"),
    "change_flow": _("designer", "Change the flow"),
    "change_kind": _("designer", "Change the kind of “{name}”"),
    "disable_step": _("designer", "Skip “{name}”"),
    "enable_step": _("designer", "No longer skip “{name}”"),
    "rename_step": _("designer", "Rename {name} to {id}"),
    "wrap_steps": _("designer", "Put {n} steps into a container"),
    "wrap_steps_one": _("designer", "Put a step into a container"),
    "unwrap_container": _("designer", "Take “{name}” apart"),
    "restored_version": _("designer", "Make version {n} the draft"),
    "edited_text": _("designer", "Change the text"),
    "merged": _("designer", "The changes of {who} were brought in."),
    "kept_mine": _("designer", "Keep my changes"),
    "took_theirs": _("designer", "Take the changes of {who}"),
    "restored": _("designer", "Changes that could not be saved last time are back."),
    "undone": _("designer", "Undone: {what}"),
    "redone": _("designer", "Done again: {what}"),
    "rule_removed": _("designer", "Its rule “{condition}” went with it."),
    "container_settings_lost": _("designer", "What was set on “{name}” went with it: {fields}."),
    "trouble_duplicate": _("designer", "The id {target} is used twice now."),
    "trouble_dangling": _("designer", "“{name}” still leads to {target}, which is gone. See Problems."),
    "trouble_unknown_read": _("designer", "“{name}” still reads {target}, which is gone. See Problems."),
    "trouble_crossing": _(
        "designer",
        "The way from “{name}” to “{target}” would cross into a parallel branch, which is not possible. See Problems.",
    ),
    "already_at_the_edge": _("designer", "It is at the edge already."),
    "already_there": _("designer", "It is there already."),
    "bare_document": _(
        "designer", "This text has no place for a title. Write the flow in the YAML view with node_type and properties."
    ),
    "id_has_wrong_letters": _("designer", "“{id}” is no id. Use letters, digits and _."),
    "id_is_reserved": _("designer", "“{id}” is reserved. Choose another id."),
    "id_is_taken": _("designer", "“{id}” is the id of another step. Choose another one."),
    "jump_crosses": _("designer", "Not possible: a way cannot lead into or out of a parallel branch."),
    "jump_to_itself": _("designer", "A step cannot lead to itself. Use a loop."),
    "not_a_jump": _("designer", "This way is a rule of its container."),
    "not_beside_itself": _("designer", "“{name}” cannot stand beside itself."),
    "not_into_itself": _("designer", "“{name}” cannot go into itself."),
    "not_steps": _("designer", "These are no steps."),
    "nothing_selected": _("designer", "Choose a step first."),
    "nothing_to_paste": _("designer", "The clipboard holds no steps."),
    "one_at_a_time": _("designer", "One step at a time can be moved this way."),
    "only_containers_change": _("designer", "Only containers change their kind."),
    "only_containers_unwrap": _("designer", "Only containers can be taken apart."),
    "only_steps_are_disabled": _("designer", "Only steps can be skipped."),
    "place_is_gone": _("designer", "This place is gone."),
    "runtime_is_read_only": _(
        "designer", "This flow was imported in the form runs use. It can be looked at and run, not drawn."
    ),
    "unchanged": _("designer", "Nothing has changed."),
    "unwrap_would_split_branch": _(
        "designer", "Its steps are one branch and would become several. Take one of them out first."
    ),
    "wrap_needs_neighbours": _("designer", "Choose steps that stand beside each other."),
    "not_saved": _("designer", "The server refused ({status}). Nothing is lost; try again."),
    "offline": _("designer", "The server cannot be reached. Nothing is lost; it is tried again."),
    "save_first": _("designer", "The draft could not be saved, so it cannot be published."),
    "published": _("designer", "Version {n} is published. New runs use it."),
    "nothing_new": _("designer", "Version {n} says the same already; nothing new was published."),
    "conflict_about": _("designer", "You both changed: {steps}."),
    "conflict_heading": _("designer", "{who} saved this flow meanwhile"),
    "conflict_words": _("designer", "Where only one of you changed something, both are kept. For the rest you decide."),
}
