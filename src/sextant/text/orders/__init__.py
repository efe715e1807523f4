"""Orders to an assistant in a document: found in whatever disguise, so that no answer says them."""

from sextant.text.orders.detect import (
    blank_orders,
    has_order,
    is_within,
    orders_in,
    without_orders,
)
from sextant.text.orders.marks import ORDER, marks_of

__all__ = [
    "ORDER",
    "blank_orders",
    "has_order",
    "is_within",
    "marks_of",
    "orders_in",
    "without_orders",
]
