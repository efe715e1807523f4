"""Every statement is Cypher as Neo4j itself understands it, not only the database of the tests.

Neo4j's own analysis of Cypher is on npm: it knows the grammar, the functions and the types.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from types import ModuleType

import pytest

from sextant.stores.neo4j import catalogue, changes, paths, schema, state, uses
from tests.peers.fixtures import MODULES

_PACKAGE = MODULES / "@neo4j-cypher" / "language-support"
_CHECK = """
const { lintCypherQuery } = require(process.argv[1]);
const { statements, known } = JSON.parse(require('fs').readFileSync(0));
const found = statements.map((one) => lintCypherQuery(one, known).diagnostics);
console.log(JSON.stringify(found.map((all) => all.map((one) => one.message))));
"""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):  # these differ in the name of a type alone
        yield from _texts(next(iter(value.values()), ""))
    elif isinstance(value, tuple) and value:
        yield from (*_texts(value[0]), *_texts(value[-1]))


def _statements(module: ModuleType) -> set[str]:
    texts = {one for value in vars(module).values() for one in _texts(value)}
    first = ("MATCH", "MERGE", "UNWIND", "CREATE")
    return {one for one in texts if one.strip().startswith(first)}


def _mistakes(node: str, statements: list[str]) -> list[list[str]]:
    names = re.findall(r"\$(\w+)", " ".join(statements))
    known = {"parameters": dict.fromkeys(names, 1)}
    done = subprocess.run(
        [node, "-e", _CHECK, str(_PACKAGE)],
        input=json.dumps({"statements": statements, "known": known}),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


def test_neo4j_understands_every_statement(node22: str) -> None:
    if not _PACKAGE.is_dir():
        pytest.skip("missing: npm @neo4j-cypher/language-support; make test installs it")
    modules = (catalogue, changes, paths, schema, state, uses)
    statements = sorted(set().union(*map(_statements, modules)))
    assert len(statements) > 30
    control = ["MATCH (n:Tool) WHERE size(n) = 1 RETURN m"]
    *found, noticed = _mistakes(node22, statements + control)
    assert noticed, "a wrong statement is not noticed"
    mistakes = {one: wrong for one, wrong in zip(statements, found, strict=True) if wrong}
    assert mistakes == {}


def test_every_pattern_with_a_label_names_the_tenant() -> None:
    modules = (catalogue, changes, paths, state, uses)
    for statement in set().union(*map(_statements, modules)):
        for name, properties in re.findall(r"\((\w*):\w+([^)]*)\)", statement):
            own = "tenant: $tenant" in properties or f"{name}.tenant = $tenant" in statement
            assert own or "CREATE (use:ToolUse) SET use = row" in statement, statement
