"""How people of a harbour say where a ship lies."""

from sextant.plugins import RelationVocabulary

HARBOUR = RelationVocabulary(
    forward={"berths_at": ("moors at", "is berthed at")},
    backward={"berths_at": ("is the berth of",)},
)
