"""The Terraform of deploy/azure, read: what it declares, and what each part of it refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import hcl2

from tests.deploy import files

AZURE = files.DEPLOY / "azure"
FOLDER = AZURE / "terraform"
README = (AZURE / "README.md").read_text()
SCRIPTS = (AZURE / "build-image.sh", AZURE / "deploy.sh")
_NO_CONTENT = {"__is_block__", "__comments__", "__inline_comments__"}
_REFERENCE = re.compile(
    r"(?<![\w.])(?P<kind>var|local|data\.\w+|azurerm_\w+|azapi_\w+|random_\w+|terraform_data)"
    r"\.(?P<name>\w+)"
)

Block = dict[str, Any]


@dataclass
class Module:
    """What all files together declare; a resource by its type and name."""

    resources: dict[str, Block] = field(default_factory=dict)
    data: dict[str, Block] = field(default_factory=dict)
    variables: dict[str, Block] = field(default_factory=dict)
    outputs: dict[str, Block] = field(default_factory=dict)
    locals: dict[str, Any] = field(default_factory=dict)

    def one(self, kind: str) -> Block:
        """Return the only resource of a type."""
        (found,) = (body for name, body in self.resources.items() if name.split(".")[0] == kind)
        return found

    def declared(self) -> set[str]:
        """Return how everything that was declared is referred to."""
        return {
            *self.resources,
            *(f"data.{name}" for name in self.data),
            *(f"var.{name}" for name in self.variables),
            *(f"local.{name}" for name in self.locals),
        }

    def referred(self) -> set[str]:
        """Return everything that is referred to."""
        all_of_it = (self.resources, self.data, self.variables, self.outputs, self.locals)
        texts = [text for part in all_of_it for text in texts_in([*part.values()])]
        return {f"{one['kind']}.{one['name']}" for text in texts for one in references(text)}


def read_module() -> Module:
    """Read every file of the folder."""
    module = Module()
    for path in sorted(FOLDER.glob("*.tf")):
        _add(module, _clean(hcl2.loads(path.read_text())))
    return module


def references(text: str) -> Iterator[re.Match[str]]:
    """Yield what an expression refers to."""
    return _REFERENCE.finditer(text)


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text and expression of a block, and the keys of its tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from texts_in(one)


def blocks_in(body: Block, name: str) -> list[Block]:
    """Return the blocks of a name, however deep they stand."""
    found: list[Block] = []
    for key, value in body.items():
        for one in value if isinstance(value, list) else ():
            if isinstance(one, dict):
                found += [one] if key == name else []
                found += blocks_in(one, name)
    return found


def _add(module: Module, parsed: Block) -> None:
    for kind, into in (("resource", module.resources), ("data", module.data)):
        for block in parsed.get(kind, []):
            ((type_, named),) = block.items()
            into.update({f"{type_}.{name}": body for name, body in named.items()})
    for kind, into in (("variable", module.variables), ("output", module.outputs)):
        for block in parsed.get(kind, []):
            into.update(block)
    for block in parsed.get("locals", []):
        module.locals.update(block)


def _clean(value: Any) -> Any:
    """Return what was parsed without the quotes and marks that the parser keeps."""
    if isinstance(value, dict):
        return {key.strip('"'): _clean(one) for key, one in value.items() if key not in _NO_CONTENT}
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, str) and value[:1] == value[-1:] == '"':
        return value[1:-1]
    return value
