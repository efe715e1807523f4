"""A search as it is asked for, and its answer in the service's shape."""

from collections import Counter
from typing import Any

from tests.peers.search_service.documents import Held, Row
from tests.peers.search_service.fields import Definition
from tests.peers.search_service.filters import compiled
from tests.peers.search_service.ranking import (
    Keyword,
    fused,
    ordered,
    parse_simple,
    similarities,
)
from tests.peers.search_service.refusals import invalid

_PAGE = 1_000
_TOP = 50
_MOST_SKIPPED = 100_000
_FACETS = 10


def answer(held: Held, body: dict[str, Any]) -> dict[str, Any]:
    """Search, and return the body of the answer."""
    definition = held.definition
    passes = compiled(body.get("filter"), definition)
    rows = {key: row for key, row in held.rows.items() if passes(row)}
    legs = _legs(held, rows, body)
    scores = _scores(legs, is_near=bool(body.get("vectorQueries")))
    keys = _in_order(definition, rows, scores, body.get("orderby"))
    told: dict[str, Any] = {}
    if body.get("count"):
        told["@odata.count"] = len(keys)
    if body.get("facets"):
        found = [rows[key] for key in keys]
        told["@search.facets"] = dict(_facet(definition, found, one) for one in body["facets"])
    return told | _page(held, rows, keys, scores, legs, body)


def _legs(held: Held, rows: dict[str, Row], body: dict[str, Any]) -> list[dict[str, float]]:
    definition, queries = held.definition, body.get("vectorQueries") or ()
    wanted = parse_simple(body.get("search") or "")
    if body.get("queryType", "simple") != "simple":
        raise invalid("Only the simple query type is served here.")
    legs: list[dict[str, float]] = []
    if wanted is not None:
        names = _names(definition, body.get("searchFields")) or definition.searched()
        for name in names:
            if name not in definition.searched():
                raise invalid(f"The field '{name}' in the search field list is not searchable.")
        weights = definition.weights(body.get("scoringProfile"))
        found = Keyword(definition, held.rows, names).scores(
            wanted, weights, is_all=body.get("searchMode") == "all"
        )
        legs.append({key: own for key, own in found.items() if key in rows})
    elif not queries:
        legs.append(dict.fromkeys(rows, 1.0))
    return [*legs, *(similarities(definition, rows, query) for query in queries)]


def _scores(legs: list[dict[str, float]], *, is_near: bool) -> dict[str, float]:
    """Return what orders the rows: of a vector alone 1 / (1 + the cosine distance)."""
    if len(legs) > 1:
        return fused(legs)
    return {key: 1 / (2 - own) for key, own in legs[0].items()} if is_near else legs[0]


def _names(definition: Definition, given: Any) -> list[str]:
    """Return a list of fields, which comes as a text with commas; all of them must be there."""
    names = given if isinstance(given, list) else (given or "").split(",")
    found = [one.strip() for one in names if one.strip()]
    for name in found:
        if name not in definition.fields:
            raise invalid(f"Could not find a property named '{name}' on type 'search.document'.")
    return found


def _in_order(
    definition: Definition, rows: dict[str, Row], scores: dict[str, float], wanted: Any
) -> list[str]:
    keys = ordered(scores)
    clauses = wanted if isinstance(wanted, list) else (wanted or "").split(",")
    for clause in reversed([one.strip() for one in clauses if one.strip()]):
        name, _, way = clause.partition(" ")
        _names(definition, name)
        if not definition.may(name, "sortable"):
            raise invalid(f"The field '{name}' is not sortable.")
        keys.sort(
            key=lambda key, name=name: (rows[key].get(name) is not None, rows[key].get(name)),  # type: ignore[misc]
            reverse=way.strip() == "desc",
        )
    return keys


def _facet(
    definition: Definition, rows: list[Row], wanted: str
) -> tuple[str, list[dict[str, Any]]]:
    name, *options = wanted.split(",")
    _names(definition, name)
    if not definition.may(name, "facetable"):
        raise invalid(f"The field '{name}' is not facetable.")
    most = next((int(one[6:]) for one in options if one.startswith("count:")), _FACETS)
    values = Counter[Any]()
    for row in rows:
        value = row.get(name)
        values.update(set(value) if isinstance(value, list) else [] if value is None else [value])
    return name, [{"value": value, "count": count} for value, count in values.most_common(most)]


def _page(
    held: Held,
    rows: dict[str, Row],
    keys: list[str],
    scores: dict[str, float],
    legs: list[dict[str, float]],
    body: dict[str, Any],
) -> dict[str, Any]:
    skip, top = body.get("skip") or 0, body.get("top", _TOP)
    if skip > _MOST_SKIPPED:
        raise invalid(f"Value must be between 0 and {_MOST_SKIPPED}.\r\nParameter name: $skip")
    size = min(top, _PAGE)
    names = _names(held.definition, body.get("select")) or list(held.definition.fields)
    shown = [name for name in names if held.definition.may(name, "retrievable")]
    values = []
    for key in keys[skip : skip + size]:
        row = {"@search.score": scores[key], **{name: rows[key].get(name) for name in shown}}
        if body.get("debug") in ("vector", "all"):
            row["@search.documentDebugInfo"] = {
                "vectors": {"subscores": _subscores(key, legs, body)}
            }
        values.append(row)
    told: dict[str, Any] = {"value": values}
    if size < top and len(keys) > skip + size:
        following = {**body, "skip": skip + size, "top": top - size}
        told["@search.nextPageParameters"] = following
        told["@odata.nextLink"] = "https://loopback/indexes/docs/search.post.search"
    return told


def _subscores(key: str, legs: list[dict[str, float]], body: dict[str, Any]) -> dict[str, Any]:
    """Return what each leg gave a row, as far as it brought it."""
    queries = body.get("vectorQueries") or []
    text, near = legs[: len(legs) - len(queries)], legs[len(legs) - len(queries) :]
    own: dict[str, Any] = {"documentBoost": 1.0}
    if text and key in text[0]:
        own["text"] = {"searchScore": text[0][key]}
    own["vectors"] = [
        {query["fields"]: {"searchScore": 1 / (2 - leg[key]), "vectorSimilarity": leg[key]}}
        for query, leg in zip(queries, near, strict=True)
        if key in leg
    ]
    return own
