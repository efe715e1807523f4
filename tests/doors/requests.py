"""Any request that a tenant may think of, through REST and through MCP: right and wrong ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

from tests.doors.sending import LAST_REPLY, Sent

_BOTH = {"accept": "application/json, text/event-stream"}
_WAIT = {"prefer": "wait=30"}
_DAY = "2026-10-31T00:00:00Z"

words = st.sampled_from(
    ["Where is the Hub?", "Thing theirs.md", "What depends on Hub?", "Hello!", "And where is it?"]
)
documents = st.sampled_from(["hub.md", "same.md", "ours.md", "theirs.md", "new", "no.md"])
entities = st.sampled_from(["thing:hub", "thing:ours.md", "thing:theirs.md", "thing:no", "Hub"])
jobs = st.sampled_from(["JOB-0", "JOB-1", "THEIR-JOB-0", "THEIR-JOB-1", "no-such-job"])
conversations = st.sampled_from([None, "talk", "chat"])
profiles = st.sampled_from(["fresh", "broad", "no such"])
tenants = st.sampled_from([None, None, None, "THEM", "nobody-at-all"])
keys = st.sampled_from(["", "", "key-1", "key-2"])


def _query(**given: Any) -> str:
    said = [f"{name}={quote(str(one))}" for name, one in given.items() if one not in (None, "")]
    return f"?{'&'.join(said)}" if said else ""


def ingest(name: str, text: str, tenant: str | None = None, key: str = "") -> Sent:
    """Send a document in, and wait until it is known."""
    document = {"id": name, "title": "New Hall", "text": text, "modified": _DAY}
    headers = {**_WAIT, **({"idempotency-key": key} if key else {})}
    return Sent("POST", "/api/ingest", {"documents": [document], "tenantId": tenant}, headers)


def ask(query: str, conversation: str | None = None, **more: Any) -> Sent:
    """Ask a question."""
    return Sent(
        "POST", "/api/ask", {"query": query, "now": _DAY, "conversationId": conversation, **more}
    )


def save_profile(name: str, recency: float, *, default: bool = True) -> Sent:
    """Save a profile; by default everything is ranked by it that asks for no other."""
    body = {"weights": {"recency": recency}, "default": default}
    return Sent("PUT", f"/api/profiles/{quote(name)}", body)


@st.composite
def _asks(draw: st.DrawFn) -> Sent:
    whole = ask(
        draw(words),
        draw(conversations),
        context={"tenantId": draw(tenants)},
        rankingPrefs=draw(st.none() | profiles),
        filter=draw(st.sampled_from([None, None, "documentId eq 'theirs.md'", "nonsense ("])),
    )
    return replace(whole, headers=draw(st.sampled_from([{}, {"accept": "text/event-stream"}])))


@st.composite
def _searches(draw: st.DrawFn) -> Sent:
    tenant = draw(tenants) or ""
    body = {"query": draw(words), "topK": draw(st.integers(1, 5)), "tenantId": tenant}
    return Sent("POST", "/api/search", body | {"rankingPrefs": draw(st.none() | profiles)})


@st.composite
def _reads(draw: st.DrawFn) -> Sent:
    tenant, is_all = draw(tenants), draw(st.sampled_from(["", "true"]))
    path = draw(
        st.one_of(
            st.builds(lambda one: f"/api/documents/{one}", documents),
            st.builds(lambda one: f"/api/entities/{one}", entities),
            st.sampled_from(["/api/documents", "/api/status", "/api/profiles"]),
            st.builds(lambda one: f"/api/profiles/{quote(one)}", profiles),
            st.builds(lambda one: f"/api/conversations/{one or 'never'}", conversations),
        )
    )
    query = _query(tenantId=tenant, all=is_all)
    return Sent("GET", path + query, is_again=draw(st.booleans()))


@st.composite
def _pages(draw: st.DrawFn) -> Sent:
    limit = draw(st.integers(1, 3))
    after = draw(st.none() | documents)
    name = draw(st.sampled_from(["Hub", "Thing", "Thing theirs.md", "Thyng ours"]))
    return draw(
        st.sampled_from(
            [
                Sent("GET", "/api/documents" + _query(after=after, limit=limit)),
                Sent("GET", "/api/entities" + _query(name=name, limit=limit)),
                Sent("POST", "/api/expand", {"entityIds": [draw(entities)], "hops": 2}),
            ]
        )
    )


@st.composite
def _jobs(draw: st.DrawFn) -> Sent:
    job, after = draw(jobs), draw(jobs)
    return draw(
        st.sampled_from(
            [
                Sent("GET", "/api/jobs"),
                Sent("GET", f"/api/jobs?after={after}"),
                Sent("GET", f"/api/jobs?limit=1&after={after}"),
                Sent("GET", f"/api/jobs/{job}"),
                Sent("GET", f"/api/jobs/{job}/events"),
                Sent("DELETE", f"/api/jobs/{job}"),
            ]
        )
    )


@st.composite
def _ingests(draw: st.DrawFn) -> Sent:
    text = draw(st.sampled_from(["New Hall depends on Hub.", "Hub moves to Oslo."]))
    name = draw(st.sampled_from(["new", "newer"]))
    return ingest(name, text, draw(tenants), draw(keys))


@st.composite
def _changes(draw: st.DrawFn) -> Sent:
    verdict = draw(st.sampled_from(["helpful", "unhelpful", "withdrawn"]))
    profile = quote(draw(profiles))
    save = save_profile(draw(profiles), draw(st.sampled_from([0.1, 0.9])))
    key = draw(keys)
    return draw(
        st.sampled_from(
            [
                Sent("DELETE", f"/api/documents/{draw(documents)}"),
                Sent("DELETE", f"/api/conversations/{draw(conversations) or 'never'}"),
                Sent(
                    "POST",
                    "/api/feedback",
                    {"documentId": draw(documents), "verdict": verdict},
                    {"idempotency-key": key} if key else {},
                ),
                Sent("POST", "/api/feedback", {"answer": LAST_REPLY, "verdict": verdict}),
                save,
                replace(save, headers={"if-none-match": "*"}),
                Sent("DELETE", f"/api/profiles/{profile}"),
            ]
        )
    )


wrong = st.sampled_from(
    [
        Sent("POST", "/api/ask", b"{nonsense", {"content-type": "application/json"}),
        Sent("POST", "/api/ask", b"query=x", {"content-type": "text/plain"}),
        Sent("POST", "/api/ask", {"query": ""}),
        Sent("PUT", "/api/ask", {"query": "x"}),
        Sent("GET", "/api/nothing"),
        Sent("GET", "/metrics"),
        Sent("GET", "/api/backups"),
        Sent("POST", "/api/backups"),
        Sent("GET", "/api/documents", headers={"authorization": "Bearer sxt_000000000000_no"}),
        Sent("GET", "/api/documents?aadObjectId=somebody"),
        Sent("GET", "/ready"),
        Sent("GET", "/openapi.json"),
    ]
)
rest = st.one_of(
    _asks(), _searches(), _reads(), _pages(), _jobs(), _jobs(), _ingests(), _changes(), wrong
)


def rpc(method: str, /, **params: Any) -> Sent:
    """Send a message of MCP."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return Sent("POST", "/mcp", body, _BOTH)


def tool(name: str, /, **arguments: Any) -> Sent:
    """Call a tool."""
    return rpc("tools/call", name=name, arguments=arguments)


def _told_of(sent: Sent) -> Sent:
    """Return a call of a tool whose client wants to hear how far it is."""
    params = {**sent.body["params"], "_meta": {"progressToken": "p"}}
    return replace(sent, body={**sent.body, "params": params})


@st.composite
def _asking_tools(draw: st.DrawFn) -> Sent:
    query, tenant = draw(words), draw(tenants)
    return draw(
        st.sampled_from(
            [
                tool(
                    "graphrag_query",
                    query=query,
                    now=_DAY,
                    conversationId=draw(conversations),
                    tenantId=tenant,
                ),
                tool("RAGPipeline.SearchAndRank", UserQueryText=query, TenantId=tenant or ""),
                tool("entity_lookup", name=draw(entities), tenantId=tenant),
                tool("graph_expansion", entityIds=[draw(entities)], tenantId=tenant),
                tool("LlmOrchestration.ExpandOrRephraseQuery", Query=query),
                tool("LlmOrchestration.GenerateEmbeddings", Texts=[query], Purpose="query"),
            ]
        )
    )


@st.composite
def _entries(draw: st.DrawFn) -> Sent:
    document, tenant = draw(documents), draw(tenants) or ""
    entry = {"EntryId": f"{document}#c0", "TenantId": tenant}
    return draw(
        st.sampled_from(
            [
                tool("KnowledgeStore.GetEntry", **entry),
                tool("KnowledgeStore.DeleteEntry", **entry),
                tool("KnowledgeStore.GetArtifactMetadata", ArtifactId=document, TenantId=tenant),
                tool("KnowledgeStore.SearchPersonaKnowledgeByFilters", Keywords="Hub"),
                tool(
                    "KnowledgeStore.UpsertEntry",
                    ArtifactId=document,
                    EntryId=f"{document}#c0",
                    Content="Hub is here.",
                    TenantId=tenant,
                ),
                rpc("resources/read", uri=f"sextant://documents/{quote(document, safe='')}"),
                rpc("resources/read", uri="sextant://entities/thing%3Atheirs.md"),
            ]
        )
    )


_others = st.sampled_from(
    [
        rpc("tools/list"),
        rpc("resources/list"),
        rpc("prompts/list"),
        rpc("no/such"),
        tool("no_such_tool"),
        tool("graphrag_query"),
        Sent("POST", "/mcp", b"{nonsense", {**_BOTH, "content-type": "application/json"}),
        Sent("GET", "/mcp", headers=_BOTH),
    ]
)
mcp = st.one_of(
    _asking_tools(), st.builds(_told_of, _asking_tools()), _entries(), _entries(), _others
)
