"""An index definition: which fields there are, what may be done with each, and what changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.peers.search_service.refusals import Refusal, invalid

TEXT, LIST, VECTOR = "Edm.String", "Collection(Edm.String)", "Collection(Edm.Single)"
MOMENT = "Edm.DateTimeOffset"
_TYPES = {TEXT, LIST, VECTOR, MOMENT, "Edm.Boolean", "Edm.Int32", "Edm.Int64", "Edm.Double"}
_FIXED = ("type", "key", "searchable", "filterable", "sortable", "facetable", "dimensions")
_METRICS = {"cosine", "dotProduct", "euclidean"}


@dataclass(frozen=True)
class Definition:
    """A definition that was checked, as JSON, with its fields by name."""

    json: dict[str, Any]
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name of the key."""
        return next(name for name, own in self.fields.items() if own.get("key"))

    def may(self, name: str, what: str) -> bool:
        """Whether something may be done with a field; what is not said may be, as documented."""
        own = self.fields[name]
        is_usual = own["type"] != VECTOR or what in ("searchable", "retrievable")
        if what == "searchable":
            is_usual = own["type"] in (TEXT, LIST, VECTOR)
        value = own.get(what)
        return is_usual if value is None else bool(value)

    def searched(self) -> list[str]:
        """The names of the fields that are searched by words."""
        texts = (name for name, own in self.fields.items() if own["type"] in (TEXT, LIST))
        return [name for name in texts if self.may(name, "searchable")]

    def weights(self, profile: str | None) -> Mapping[str, float]:
        """What a word counts for in each field, by a scoring profile."""
        wanted = profile or self.json.get("defaultScoringProfile")
        for one in self.json.get("scoringProfiles") or ():
            if one["name"] == wanted:
                return (one.get("text") or {}).get("weights") or {}
        if profile:
            raise invalid(f"Scoring profile '{profile}' does not exist.")
        return {}


def checked(body: dict[str, Any]) -> Definition:
    """Return a definition, or refuse it."""
    found = {one["name"]: one for one in body.get("fields") or ()}
    keys = [name for name, one in found.items() if one.get("key")]
    if len(keys) != 1 or found[keys[0]]["type"] != TEXT:
        raise invalid("The request is invalid. Details: definition : Exactly one key field.")
    for name, one in found.items():
        if one["type"] not in _TYPES:
            raise invalid(f"The type '{one['type']}' of the field '{name}' is unknown.")
        if one["type"] == VECTOR:
            _check_vector(body, name, one)
        if one["type"] not in (TEXT, LIST, VECTOR) and one.get("searchable"):
            raise invalid(f"The field '{name}' of type {one['type']} cannot be searchable.")
    for profile in body.get("scoringProfiles") or ():
        for name, weight in ((profile.get("text") or {}).get("weights") or {}).items():
            if name not in found or weight <= 0:
                raise invalid(f"The weight of '{name}' must be positive and of a known field.")
    return Definition(body, found)


def _check_vector(body: dict[str, Any], name: str, one: Mapping[str, Any]) -> None:
    search = body.get("vectorSearch") or {}
    profiles = {own["name"]: own["algorithm"] for own in search.get("profiles") or ()}
    algorithms = {own["name"]: own for own in search.get("algorithms") or ()}
    if not one.get("dimensions") or one.get("vectorSearchProfile") not in profiles:
        raise invalid(f"The vector field '{name}' needs dimensions and a vector search profile.")
    own = algorithms.get(profiles[one["vectorSearchProfile"]])
    if own is None:
        raise invalid(f"The vector search profile of '{name}' names no algorithm.")
    metric = (own.get("hnswParameters") or {}).get("metric", "cosine")
    if metric not in _METRICS:
        raise invalid(f"The metric '{metric}' is unknown.")


def changed(old: Definition, new: Definition) -> Definition:
    """Return the new definition, which may have more fields, but keeps those that are there."""
    for name, one in old.fields.items():
        if name not in new.fields:
            raise Refusal(400, f"Existing field(s) '{name}' cannot be deleted.", "CannotDelete")
        if any(one.get(what) != new.fields[name].get(what) for what in _FIXED):
            raise Refusal(400, f"Existing field '{name}' cannot be changed.", "CannotChange")
    return new
