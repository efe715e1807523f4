"""From what others say of their tools to a catalogue in the store: read, flagged, compared."""

from sextant.toolbox.catalogue.flags import ToolFlag, flags_of
from sextant.toolbox.catalogue.flow import Embed, import_tools
from sextant.toolbox.catalogue.formats import CatalogueForm, Naming, read_catalogue
from sextant.toolbox.catalogue.nouns import Catalogue, RefusedTool, ToolSource
from sextant.toolbox.catalogue.plan import ImportPlan, StoredCatalogue, plan_import
from sextant.toolbox.catalogue.report import (
    ChangedTool,
    FlaggedTool,
    ImportReport,
    ImportStep,
    MissingTool,
    RelationCounts,
)
from sextant.toolbox.catalogue.sources import DataSource, FileSource, ServerSource, file_source

__all__ = [
    "Catalogue",
    "CatalogueForm",
    "ChangedTool",
    "DataSource",
    "Embed",
    "FileSource",
    "FlaggedTool",
    "ImportPlan",
    "ImportReport",
    "ImportStep",
    "MissingTool",
    "Naming",
    "RefusedTool",
    "RelationCounts",
    "ServerSource",
    "StoredCatalogue",
    "ToolFlag",
    "ToolSource",
    "file_source",
    "flags_of",
    "import_tools",
    "plan_import",
    "read_catalogue",
]
