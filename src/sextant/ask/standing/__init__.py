"""What sources and users earned: feedback, use, ranking profiles and learnt weights."""

from sextant.ask.standing.choice import Choice, Wish, choose
from sextant.ask.standing.earned import UNKNOWN, Standing
from sextant.ask.standing.feedback import Opinion, Said, record
from sextant.ask.standing.folding import Folded, standing_at
from sextant.ask.standing.profiles import (
    Profile,
    Saved,
    delete_profile,
    read_profiles,
    save_profile,
)
from sextant.ask.standing.shown import shown_by, shown_in
from sextant.ask.standing.use import Kind, count_use, with_uses

__all__ = [
    "UNKNOWN",
    "Choice",
    "Folded",
    "Kind",
    "Opinion",
    "Profile",
    "Said",
    "Saved",
    "Standing",
    "Wish",
    "choose",
    "count_use",
    "delete_profile",
    "read_profiles",
    "record",
    "save_profile",
    "shown_by",
    "shown_in",
    "standing_at",
    "with_uses",
]
