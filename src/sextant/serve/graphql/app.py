"""What answers a GraphQL request: its document is found, its run started, its result written.

All errors are told as GraphQL does, over HTTP 200: on another status clients speak of the network.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, cast

from graphql import GraphQLError, GraphQLObjectType
from graphql.execution.values import VariableValues, get_argument_values
from starlette.datastructures import Headers
from starlette.types import Scope, Send

from sextant.chat.run import Run
from sextant.errors import InvalidInput, SextantError
from sextant.serve.caller import Role
from sextant.serve.copilotkit.asking import asked_for, subject_of
from sextant.serve.errors import hidden, shown
from sextant.serve.graphql.arguments import CLOUD_KEY, extensions_of, run_request_of
from sextant.serve.graphql.documents import Document, Documents, Rejected
from sextant.serve.graphql.failures import error_of, rejection_of
from sextant.serve.graphql.incremental.selection import RUN_FIELD
from sextant.serve.graphql.incremental.writer import RunFacts, Writer
from sextant.serve.graphql.queries import Root, answer_query
from sextant.serve.graphql.replying import Reply
from sextant.serve.graphql.runs import Copilot, write_run
from sextant.serve.graphql.schema import copilot_schema
from sextant.serve.guards.limits.concurrency import step_aside
from sextant.serve.house import Porch, Visit
from sextant.serve.http.problem import request_id_of
from sextant.text.codec.json_bytes import written
from sextant.types import Json
from sextant.types import Scope as Asking

_log = logging.getLogger(__name__)


class GraphqlApp:
    """Answers for one house; documents that were read once are kept."""

    def __init__(self, porch: Porch, copilot: Copilot) -> None:
        self._porch, self._copilot = porch, copilot
        introspects = porch.settings.serve.graphql_introspection
        self._schema = copilot_schema()
        self._documents = Documents(self._schema, can_introspect=introspects)
        self._run_field = cast(GraphQLObjectType, self._schema.mutation_type).fields[RUN_FIELD]

    async def answer(self, scope: Scope, body: Mapping[str, Any], send: Send) -> None:
        """Answer one request whose body has been read."""
        reply, request_id = Reply(Headers(scope=scope), send), request_id_of(scope)
        try:
            await self._answer(scope, body, reply)
        except Rejected as rejected:
            await reply.fail(rejection_of(rejected.errors, rejected.code, request_id))
        except GraphQLError as error:
            await reply.fail(rejection_of([error], "BAD_USER_INPUT", request_id))
        except SextantError as error:
            await reply.fail([error_of(shown(error), request_id)])
        except Exception:
            _log.exception("The request %s failed.", request_id)
            await reply.fail([error_of(hidden(), request_id)])

    async def _answer(self, scope: Scope, body: Mapping[str, Any], reply: Reply) -> None:
        document = self._documents.find(_text(body, "query"), _text(body, "operationName"))
        given = _object(body, "variables")
        variables = document.variables(given)
        if document.is_mutation:
            await self._run(scope, document, variables, reply)
        else:
            root = Root(self._copilot, partial(self._enter, scope))
            told = await answer_query(document, root, given, request_id_of(scope))
            await reply.whole(written(told))

    async def _run(
        self, scope: Scope, document: Document, variables: VariableValues, reply: Reply
    ) -> None:
        plan = document.plan(variables, in_parts=reply.framing is not None)
        given = get_argument_values(self._run_field, plan.node, variables)
        request = run_request_of(given, Headers(scope=scope).get(CLOUD_KEY, ""))
        asking = self._enter(scope, "chat", subject_of(request), request.properties)
        run = await self._copilot.start(asking, request)
        step_aside(scope)
        facts = RunFacts(
            run.thread_id,
            run.run_id,
            request.run_id or None,
            extensions_of(given),
            request_id_of(scope),
        )
        await _write(run, Writer(plan, facts), reply, in_parts=plan.is_in_parts)

    def _enter(
        self,
        scope: Scope,
        verb: str,
        subject: str,
        properties: Mapping[str, Json] | None = None,
    ) -> Asking:
        visit: Visit = scope["state"]["visit"]
        wanted = asked_for(scope, properties)
        return self._porch.enter(visit, wanted, Role.SEARCH, verb, subject)


async def _write(run: Run, writer: Writer, reply: Reply, *, in_parts: bool) -> None:
    async with aclosing(write_run(run, writer)) as made:
        async for payloads in made:
            if in_parts:
                await reply.parts(payloads, is_last=writer.is_ended)
            else:
                await reply.whole(payloads[0])


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"`{name}` is not a text.", "Send GraphQL over HTTP, as JSON.")
    return value or ""


def _object(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = body.get(name)
    if value is not None and not isinstance(value, dict):
        raise InvalidInput(f"`{name}` is not an object.", "Send GraphQL over HTTP, as JSON.")
    return value or {}
