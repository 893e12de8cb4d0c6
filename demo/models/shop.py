"""What the shop and its service desk keep."""

from django.db import models

from demo.models.records import Record, Undoable


class StockItem(models.Model):
    sku = models.CharField("SKU", unique=True)
    title = models.CharField()
    available = models.PositiveIntegerField(help_text="Pieces that nobody has reserved.")

    class Meta:
        ordering = ["sku"]

    def __str__(self) -> str:
        return self.sku


class Reservation(Undoable):
    """Goods set aside for an order; done once the courier has them. ``lines``: ``[{sku, quantity}]``."""

    prefix = "R"
    order = models.CharField()
    lines = models.JSONField()


class CourierBooking(Undoable):
    """A courier on the way to fetch an order; done once the parcel is handed over."""

    prefix = "C"
    order = models.CharField()
    country = models.CharField()
    abroad = models.BooleanField()
    reason = models.CharField("why it was cancelled", blank=True)


class Charge(Record):
    """Money taken from a customer's card."""

    prefix = "P"
    order = models.CharField()
    amount = models.DecimalField(max_digits=16, decimal_places=2)


class CreditNote(Undoable):
    """A promise to pay back; done once it is paid."""

    prefix = "N"
    order = models.CharField()
    amount = models.DecimalField(max_digits=16, decimal_places=2)
    because = models.CharField(blank=True)


class Refund(Record):
    """Money paid back, for a charge that was reversed or for a credit note."""

    prefix = "F"
    charge = models.ForeignKey(Charge, models.CASCADE, null=True, blank=True, related_name="refunds")
    note = models.ForeignKey(CreditNote, models.CASCADE, null=True, blank=True, related_name="refunds")
    amount = models.DecimalField(max_digits=16, decimal_places=2)


class CustomerOrder(models.Model):
    """Whose order it was: what the service desk looks up."""

    order = models.CharField(unique=True)
    customer = models.CharField()

    class Meta:
        ordering = ["order"]

    def __str__(self) -> str:
        return self.order


class TicketBlock(models.Model):
    """The seats of one block at one event."""

    event = models.CharField()
    name = models.CharField("block")
    price = models.DecimalField(max_digits=12, decimal_places=2)
    free = models.PositiveIntegerField("free seats")

    class Meta:
        ordering = ["event", "name"]
        constraints = [models.UniqueConstraint(fields=["event", "name"], name="one_block_of_a_name")]

    def __str__(self) -> str:
        return f"{self.event}, block {self.name}"


class SeatHold(Undoable):
    """Seats kept for a buyer; done once the tickets are issued."""

    prefix = "H"
    block = models.ForeignKey(TicketBlock, models.CASCADE)
    quantity = models.PositiveIntegerField()
    price = models.DecimalField("price in all", max_digits=16, decimal_places=2)
    reference = models.CharField("payment reference", blank=True)
