"""The demo in the admin: facts to change, records to look at, behaviours to switch."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from demo import functions, models

if TYPE_CHECKING:  # generic for the type checker alone: at run time Django's classes take no parameter
    ModelAdmin = admin.ModelAdmin[Any]
    ModelForm = forms.ModelForm[models.Behaviour]
else:
    ModelAdmin, ModelForm = admin.ModelAdmin, forms.ModelForm

Names = tuple[str, ...]


class RecordAdmin(ModelAdmin):
    """What functions did: to be looked at and cleared away, never written by hand."""

    date_hierarchy = "created_at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class BehaviourForm(ModelForm):
    """Offers the paths that exist: a misspelled one would never meet a call."""

    path = forms.ChoiceField(label="Function", choices=lambda: [(path, path) for path in functions.paths()])


@admin.register(models.Behaviour)
class BehaviourAdmin(ModelAdmin):
    """One row a function: choose how it behaves right in the list."""

    form = BehaviourForm
    list_display = ("path", "mode", "times", "enabled", "message", "code", "status", "delay_ms")
    list_editable = ("mode", "times", "enabled")
    list_filter = ("mode", "enabled")
    search_fields = ("path",)
    list_per_page = 100


def _record(model: type[models.Record], *columns: str, search: Names, filters: Names = ()) -> None:
    status = ("status",) if issubclass(model, models.Undoable) else ()
    admin.site.register(
        model,
        RecordAdmin,
        list_display=("number", *columns, *status, "created_at", "instance_id", "is_test"),
        list_filter=(*status, *filters, "is_test", "created_at"),
        search_fields=(*search, "key", "instance_id"),
    )


def _fact(
    model: type[Model], *columns: str, search: Names, filters: Names = (), editable: Names = (), choose: Names = ()
) -> None:
    """``editable``: columns to change in the list. ``choose``: many-to-many fields."""
    admin.site.register(
        model,
        list_display=columns,
        list_filter=filters,
        search_fields=search,
        list_editable=editable,
        filter_horizontal=choose,
    )


_record(models.Account, "name", "role", "email", search=("name", "email"), filters=("role",))
_record(models.Charge, "order", "amount", search=("order",))
_record(models.CourierBooking, "order", "country", "abroad", search=("order",), filters=("abroad", "country"))
_record(models.CreditNote, "order", "amount", search=("order", "because"))
_record(models.Equipment, "kind", "label", "holder", search=("label", "holder"), filters=("kind",))
_record(models.LedgerEntry, "order", "amount", "cost_centre", search=("order__what",), filters=("cost_centre",))
_record(models.Mail, "to", "subject", search=("to", "subject", "text"))
_record(models.Note, "topic", "about", search=("about",), filters=("topic",))
_record(models.PurchaseOrder, "what", "supplier", "quantity", "amount", search=("what", "supplier"))
_record(models.Refund, "charge", "note", "amount", search=("charge__order", "note__order"))
_record(models.Report, "odd", search=())
_record(models.Reservation, "order", search=("order",))
_record(models.SeatHold, "block", "quantity", "price", search=("block__event", "reference"), filters=("block",))
_record(models.ShiftAssignment, "shift", "who", search=("shift__code", "who"))

_fact(models.Budget, "cost_centre", "title", "lead", "amount", search=("cost_centre", "title", "lead"))
_fact(models.CustomerOrder, "order", "customer", search=("order", "customer"), filters=("customer",))
_fact(models.Employee, "name", "username", "budget", search=("name", "username"), filters=("budget",))
_fact(models.RegionFigure, "region", "sales", "usual", search=("region",), editable=("sales", "usual"))
_fact(models.Shift, "code", "when", "where", search=("code", "where"), filters=("where",), choose=("suitable",))
_fact(models.StockItem, "sku", "title", "available", search=("sku", "title"), editable=("available",))
_fact(models.SupplierOffer, "item", "supplier", "unit_price", search=("item", "supplier"), filters=("supplier",))
_fact(
    models.TicketBlock,
    *("event", "name", "price", "free"),
    search=("event",),
    filters=("event",),
    editable=("price", "free"),
)
