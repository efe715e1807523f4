"""The definition of the index: which fields there are, and what each may be used for.

``id``, ``content``, ``contentVector``, ``title``, ``url`` and ``entityIds`` are the fields that an
index of somebody else has as well; the others are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azure.search.documents.indexes.models import (
    HnswAlgorithmConfiguration,
    HnswParameters,
    ScoringProfile,
    SearchField,
    SearchIndex,
    TextWeights,
    VectorSearch,
    VectorSearchProfile,
)

from sextant.settings import KeywordSettings, Settings

KEY, CONTENT, VECTOR = "id", "content", "contentVector"
TITLE, URL, ENTITIES, HEADINGS = "title", "url", "entityIds", "headings"
SEED_FIELDS = (KEY, CONTENT, VECTOR, TITLE, URL, ENTITIES)
"""What an index has that was made for the same question by somebody else."""

_TEXT, _LIST, _FLOATS = "Edm.String", "Collection(Edm.String)", "Collection(Edm.Single)"
_USES = ("key", "searchable", "filterable", "sortable", "facetable", "retrievable")
_FILTERED = ("filterable", "retrievable")
_COUNTED = ("filterable", "facetable", "retrievable")
_SEARCHED = ("searchable", "retrievable")
_FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {
    KEY: (_TEXT, ("key", "filterable", "sortable", "retrievable")),
    CONTENT: (_TEXT, _SEARCHED),
    TITLE: (_TEXT, _SEARCHED),
    HEADINGS: (_LIST, _SEARCHED),
    URL: (_TEXT, ("retrievable",)),
    ENTITIES: (_LIST, _FILTERED),
    "tenant": (_TEXT, _FILTERED),
    "chunkId": (_TEXT, ("filterable", "sortable", "retrievable")),
    "documentId": (_TEXT, _COUNTED),
    "version": (_TEXT, _FILTERED),
    "tags": (_LIST, _COUNTED),
    "personas": (_LIST, _FILTERED),
    "sourceType": (_TEXT, _COUNTED),
    "language": (_TEXT, _FILTERED),
    "created": ("Edm.DateTimeOffset", ("filterable", "sortable", "retrievable")),
    "modified": ("Edm.DateTimeOffset", ("filterable", "sortable", "retrievable")),
    "reputation": ("Edm.Double", ("filterable", "sortable", "retrievable")),
    "changes": ("Edm.Int64", _FILTERED),
    "change": ("Edm.Int64", _FILTERED),
    "hasVector": ("Edm.Boolean", _FILTERED),
    "passage": (_TEXT, ("retrievable",)),
    "pieces": (_TEXT, ("retrievable",)),
}
_PROFILE, _ALGORITHM, _WEIGHTS = "nearest", "hnsw", "fields"
_ANALYZERS = {
    "arabic": "ar",
    "armenian": "hy",
    "basque": "eu",
    "catalan": "ca",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "greek": "el",
    "hindi": "hi",
    "hungarian": "hu",
    "indonesian": "id",
    "irish": "ga",
    "italian": "it",
    "norwegian": "no",
    "portuguese": "pt-PT",
    "romanian": "ro",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "turkish": "tr",
}
"""Languages that both we and AI Search have stems for; the words of others are left as they are."""


def index_definition(settings: Settings, width: int) -> SearchIndex:
    """Return the definition of an index of ours; without a width it takes no vectors."""
    analyzer = _analyzer(settings.keyword.language)
    fields = [_field(name, kind, uses, analyzer) for name, (kind, uses) in _FIELDS.items()]
    vectors = None
    if width:
        fields.append(
            SearchField(
                name=VECTOR,
                type=_FLOATS,
                searchable=True,
                hidden=True,
                vector_search_dimensions=width,
                vector_search_profile_name=_PROFILE,
            )
        )
        vectors = VectorSearch(
            profiles=[VectorSearchProfile(name=_PROFILE, algorithm_configuration_name=_ALGORITHM)],
            algorithms=[
                HnswAlgorithmConfiguration(
                    name=_ALGORITHM, parameters=HnswParameters(metric="cosine")
                )
            ],
        )
    return SearchIndex(
        name=settings.azure.search_index,
        fields=fields,
        vector_search=vectors,
        scoring_profiles=[ScoringProfile(name=_WEIGHTS, text_weights=_weights(settings.keyword))],
        default_scoring_profile=_WEIGHTS,
    )


def _analyzer(language: str) -> str:
    short = _ANALYZERS.get(language)
    return f"{short}.lucene" if short else "standard.lucene"


def _field(name: str, kind: str, uses: tuple[str, ...], analyzer: str) -> SearchField:
    marks: dict[str, Any] = {use: use in uses for use in _USES[:-1]}
    if "searchable" in uses:
        marks["analyzer_name"] = analyzer
    return SearchField(name=name, type=kind, hidden="retrievable" not in uses, **marks)


def _weights(keyword: KeywordSettings) -> TextWeights:
    """Return what a word counts for where it stands; what counts for nothing is not searched."""
    weights = {CONTENT: 1, TITLE: keyword.title_weight, HEADINGS: keyword.headings_weight}
    return TextWeights(weights={name: float(own) for name, own in weights.items() if own})


def searched_fields(keyword: KeywordSettings) -> list[str]:
    """Return the fields that are searched by words."""
    return [*_weights(keyword).weights]


def add_missing_fields(found: SearchIndex, wanted: SearchIndex) -> SearchIndex:
    """Return a definition that is there with what it lacks; nothing of it is changed."""
    known = {field.name for field in found.fields}
    found.fields = [*found.fields, *(one for one in wanted.fields if one.name not in known)]
    found.vector_search = found.vector_search or wanted.vector_search
    if not found.scoring_profiles:
        found.scoring_profiles = wanted.scoring_profiles
        found.default_scoring_profile = wanted.default_scoring_profile
    return found


def definition_problems(
    found: SearchIndex, settings: Settings, width: int, *, is_seed: bool = False
) -> list[str]:
    """Name what an index that exists lacks, or has otherwise than it is needed.

    Of one that somebody else fills in the common shape, only what that needs is asked.
    """
    known = {field.name: field for field in found.fields}
    problems: list[str] = []
    for wanted in index_definition(settings, width).fields:
        if is_seed and wanted.name not in SEED_FIELDS:
            continue
        own = known.get(wanted.name)
        if own is None:
            problems.append(f"The field {wanted.name} is missing.")
        else:
            problems += _field_problems(own, wanted, _needed(wanted.name, is_seed=is_seed))
    return problems


def _needed(name: str, *, is_seed: bool) -> Sequence[str]:
    """Return for what a field must be usable."""
    if name == VECTOR:
        return ("searchable",)
    uses = _FIELDS[name][1]
    if not is_seed:
        return uses
    return [use for use in uses if use in ("key", "searchable") or name == ENTITIES]


def _field_problems(own: SearchField, wanted: SearchField, uses: Sequence[str]) -> list[str]:
    has_type, needs_type = _value(own.type), _value(wanted.type)
    if has_type != needs_type:
        return [f"The field {wanted.name} is of type {has_type}; {needs_type} is needed."]
    problems = [f"The field {wanted.name} is not {use}." for use in uses if not _is(own, use)]
    if (has := own.vector_search_dimensions) != (needs := wanted.vector_search_dimensions):
        problems.append(
            f"The field {wanted.name} takes vectors of {has} numbers; the embedder makes {needs}."
        )
    return problems


def _value(name: object) -> str:
    """Return a name as the service writes it; the client may have it as one of an enumeration."""
    return str(getattr(name, "value", name))


def _is(field: SearchField, use: str) -> bool:
    if use == "retrievable":
        return not field.hidden
    return bool(getattr(field, use))
