"""The forms in which others describe their tools: lists, graphs, MCP, OpenAI, OpenAPI."""

from sextant.toolbox.catalogue.formats.entries import Naming
from sextant.toolbox.catalogue.formats.forms import CatalogueForm, read_catalogue
from sextant.toolbox.catalogue.formats.lists import read_list

__all__ = ["CatalogueForm", "Naming", "read_catalogue", "read_list"]
