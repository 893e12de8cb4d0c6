"""What the desks of the company keep: people, buying, shifts, reports."""

from django.db import models
from django.db.models import Q

from demo.models.records import Record, Status, Undoable


class Budget(models.Model):
    """What a team may spend; ``lead`` is a user name."""

    cost_centre = models.CharField(unique=True)
    title = models.CharField()
    lead = models.CharField()
    amount = models.DecimalField(max_digits=16, decimal_places=2)

    class Meta:
        ordering = ["cost_centre"]

    def __str__(self) -> str:
        return f"{self.cost_centre} {self.title}"


class Employee(models.Model):
    """Somebody in a team; ``username`` is that of the person who signs in."""

    username = models.CharField(unique=True)
    name = models.CharField()
    budget = models.ForeignKey(Budget, models.PROTECT, related_name="team")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Account(Undoable):
    """A new colleague's account. The address of one that was taken back is not given to anybody else."""

    prefix = "A"
    name = models.CharField()
    role = models.CharField()
    email = models.CharField(unique=True)


class Equipment(Undoable):
    """A thing a colleague gets; ``label`` is the model ordered, or the number of the desk or badge."""

    class Kind(models.TextChoices):
        MACHINE = "machine"
        DESK = "desk"
        BADGE = "badge"

    prefix = "E"
    kind = models.CharField(choices=Kind)
    label = models.CharField()
    holder = models.CharField()

    class Meta(Undoable.Meta):
        verbose_name_plural = "equipment"


class SupplierOffer(models.Model):
    """What a supplier asks for one piece."""

    supplier = models.CharField()
    item = models.CharField()
    unit_price = models.DecimalField(
        max_digits=16, decimal_places=2, null=True, blank=True, help_text="Empty: it is asked, but makes no offer."
    )

    class Meta:
        ordering = ["item", "supplier"]
        constraints = [models.UniqueConstraint(fields=["supplier", "item"], name="one_offer_of_an_item")]

    def __str__(self) -> str:
        return f"{self.item} from {self.supplier}"


class PurchaseOrder(Undoable):
    """An order with a supplier, placed by the office or by the buying desk."""

    prefix = "PO"
    what = models.CharField()
    supplier = models.CharField(blank=True)
    quantity = models.PositiveIntegerField(default=1)
    amount = models.DecimalField("price in all", max_digits=16, decimal_places=2)


class LedgerEntry(Record):
    """The cost of an order. It weighs on the budget as long as its order is not taken back."""

    prefix = "L"
    order = models.ForeignKey(PurchaseOrder, models.CASCADE, related_name="entries")
    amount = models.DecimalField(max_digits=16, decimal_places=2)
    cost_centre = models.CharField()
    text = models.CharField(blank=True)

    class Meta(Record.Meta):
        verbose_name_plural = "ledger entries"


class Shift(models.Model):
    """A shift somebody must cover, and who could."""

    code = models.CharField(unique=True)
    when = models.CharField()
    where = models.CharField()
    suitable = models.ManyToManyField(Employee, blank=True)

    class Meta:
        ordering = ["code"]

    def __str__(self) -> str:
        return self.code


class ShiftAssignment(Undoable):
    """Who covers a shift. The database allows one at a time."""

    prefix = "SA"
    shift = models.ForeignKey(Shift, models.CASCADE, related_name="assignments")
    who = models.CharField()

    class Meta(Undoable.Meta):
        constraints = [
            models.UniqueConstraint(fields=["shift"], condition=Q(status=Status.OPEN), name="one_person_covers_a_shift")
        ]


class RegionFigure(models.Model):
    """Yesterday's sales of a region, and what is usual there."""

    region = models.CharField(unique=True)
    sales = models.IntegerField()
    usual = models.IntegerField()

    class Meta:
        ordering = ["region"]

    def __str__(self) -> str:
        return self.region


class Report(Undoable):
    """The figures of one night; done once it is sent. Shapes: what ``/reports/build`` got and found."""

    prefix = "D"
    figures = models.JSONField()
    odd = models.JSONField()
