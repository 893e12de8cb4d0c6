"""What the demo's functions know and what they did.

Two kinds of rows: *facts* (stock, budgets, shifts ...) are set up by :mod:`demo.seed` and edited in the admin;
*records* (:mod:`demo.models.records`) are what functions did.
"""

from demo.models.behaviour import Behaviour
from demo.models.company import (
    Account,
    Budget,
    Employee,
    Equipment,
    LedgerEntry,
    PurchaseOrder,
    RegionFigure,
    Report,
    Shift,
    ShiftAssignment,
    SupplierOffer,
)
from demo.models.records import Mail, Note, Record, Status, Undoable
from demo.models.shop import (
    Charge,
    CourierBooking,
    CreditNote,
    CustomerOrder,
    Refund,
    Reservation,
    SeatHold,
    StockItem,
    TicketBlock,
)

__all__ = [
    "Account",
    "Behaviour",
    "Budget",
    "Charge",
    "CourierBooking",
    "CreditNote",
    "CustomerOrder",
    "Employee",
    "Equipment",
    "LedgerEntry",
    "Mail",
    "Note",
    "PurchaseOrder",
    "Record",
    "Refund",
    "RegionFigure",
    "Report",
    "Reservation",
    "SeatHold",
    "Shift",
    "ShiftAssignment",
    "Status",
    "StockItem",
    "SupplierOffer",
    "TicketBlock",
    "Undoable",
]
