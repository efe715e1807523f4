"""What can be set, with what holds by default: one small section per room. Knows no room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sextant.limits import Limits
from sextant.settings.azure_section import AzureSettings
from sextant.settings.copilot_sections import (
    AnalyticsSettings,
    ChatSettings,
    GuardrailSettings,
    Neo4jSettings,
    ToolboxSettings,
)
from sextant.settings.m365_sections import M365Settings
from sextant.types import Weights

NO_MODEL = "none"
"""The choice of a language model that stays offline."""


@dataclass(frozen=True, slots=True)
class KeywordSettings:
    """How text becomes keywords, and what a field's words count for."""

    language: str = "english"
    title_weight: int = 2
    headings_weight: int = 1


@dataclass(frozen=True, slots=True)
class SqliteSettings:
    """How the embedded store waits and tidies up.

    Tenants hold up to so many files open, or half of what the system allows if it is 0; those not
    used for longest are closed.
    """

    wait_seconds: float = 10.0
    flush_chunks: int = 1_000
    readers: int = 4
    descriptors: int = 0


@dataclass(frozen=True, slots=True)
class MinilmSettings:
    """How MiniLM runs."""

    threads: int = 0


@dataclass(frozen=True, slots=True)
class BgeSettings:
    """How bge-small runs, and the small reader that learnt from it."""

    threads: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds for documents whose path or address matches a pattern, such as ``runbooks/**``.

    A path counts with the name of its source in front and without. A rule that names owners holds
    for their documents only. Where a rule with a reputation names a path, nobody else brings
    documents there but curators; ``*`` is everybody, ``operator`` whoever runs the store.
    Files link to an address below the base, which may say where their path goes.
    """

    match: str
    tags: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    source_type: str = ""
    reputation: float = -1.0
    owners: tuple[str, ...] = ()
    base_url: str = ""


MODEL_CHOICES = ("llm", "llm:")
"""How ingest.extractor names the language model that is set."""


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How documents come in. Later rules go before earlier ones; tags of all rules add up.

    What a language model finds as extractor is kept in the cache folder, by default beside the
    store. Runs of several processes into one tenant take turns: one lasts so many seconds if others
    wait, and who waits for longer goes on beside them, which makes both look at everything again.
    """

    extractor: str = ""
    cache: str = ""
    chunk_characters: int = 800
    file_megabytes: int = 64
    readers: int = 2
    read_seconds: int = 60
    read_megabytes: int = 2_048
    private_addresses: bool = False
    turn_seconds: float = 5.0
    wait_seconds: float = 60.0
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How questions are answered: what each R counts for, and what is remembered of use.

    Candidates are how many passages a search ranks, results how many of them it returns, where a
    request says neither. Late vectors are how many passages that have none yet a question reads.
    Nothing is remembered unless it is chosen: with use counted, the same question can rank
    differently later. What a model writes and no source says is dropped, or kept and marked. Where
    the router finds that no knowledge is needed, its message is the reply, or there is a search.
    """

    relevancy: float = 0.74
    recency: float = 0.04
    richness: float = 0.02
    reputation: float = 0.2
    half_life_days: float = 365.0
    candidates: int = 50
    results: int = 10
    late_vectors: int = 12
    count_use: bool = False
    learn_weights: bool = False
    unsupported: str = "drop"
    no_rag: str = "reply"

    @property
    def weights(self) -> Weights:
        """What each R counts for."""
        return Weights(self.relevancy, self.recency, self.richness, self.reputation)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a language model is called: how long, how often, and for how many tokens at most.

    A key comes from the provider's own environment variable or from this file, never from here;
    prices are for a million tokens, 0 where they are not known. Replies are written side by side up
    to the concurrency; of documents that are taken in, fewer at once are read or embedded.
    """

    key_file: str = ""
    connect_seconds: float = 10.0
    read_seconds: float = 60.0
    total_seconds: float = 120.0
    retries: int = 2
    concurrency: int = 64
    batch_concurrency: int = 4
    tokens: int = 0
    characters: int = 400_000
    input_price: float = 0.0
    output_price: float = 0.0


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Where the doors listen, who may come in, and how much of each caller is taken.

    Keys, jobs and the audit log are kept in the folder, by default beside the store; records says
    where keys, jobs and replies are if servers share them elsewhere. Hosts and origins are names
    that are trusted beside the own address, with commas between them; so are doors, of this
    package and of others.
    """

    host: str = "127.0.0.1"
    port: int = 8787
    auth: str = "local"
    tenant: str = "default"
    folder: str = ""
    records: str = "sqlite:"
    public_url: str = ""
    hosts: str = ""
    origins: str = ""
    doors: str = "rest,mcp,copilotkit,copilotkit-remote"
    graphql_introspection: bool = True
    body_kilobytes: int = 1_024
    upload_megabytes: int = 64
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    body_kilobytes_per_second: int = 64
    request_seconds: float = 120.0
    requests_per_minute: int = 1_200
    streams: int = 32
    concurrency: int = 64
    waiting: int = 512
    connections: int = 20_000
    jobs: int = 2
    job_minutes: float = 120.0
    cached_searches: int = 512
    audit: bool = True

    @property
    def is_shared(self) -> bool:
        """Whether several callers may come in, who are told apart."""
        return self.auth in ("api-key", "oidc")


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Whose tokens are taken, and what their claims are called; as Entra ID has them by default.

    Where keys names no address, the issuer's own metadata do.
    """

    issuer: str = ""
    audience: str = ""
    keys: str = ""
    algorithms: str = "RS256,PS256,ES256"
    tenant_claim: str = "tid"
    user_claim: str = "oid"
    roles_claim: str = "roles"
    personas_claim: str = "personas"
    leeway_seconds: float = 60.0
    tenants: str = ""


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """The other two servers where the pipeline runs alone, and how it proves who it is to them.

    What is set for one of them alone goes before what is set for both. Secrets and tokens come from
    the environment, never from here.
    """

    knowledge_store: str = ""
    llm_orchestration: str = ""
    token_url: str = ""
    client_id: str = ""
    scope: str = ""
    managed_identity: bool = False
    call_seconds: float = 10.0
    retries: int = 2
    knowledge_store_token_url: str = ""
    knowledge_store_client_id: str = ""
    knowledge_store_scope: str = ""
    llm_orchestration_token_url: str = ""
    llm_orchestration_client_id: str = ""
    llm_orchestration_scope: str = ""


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What servers write to stderr: from which level on, and as text or as JSON lines."""

    level: str = "warning"
    format: str = "text"


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Where spans go, as OTLP over HTTP; nowhere unless it is said."""

    endpoint: str = ""
    service: str = "sextant"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    store: str = "sqlite:.sextant"
    index: str = ""
    embedder: str = "bge-fast:"
    llm: str = NO_MODEL
    workflow: str = ""
    keyword: KeywordSettings = field(default_factory=KeywordSettings)
    sqlite: SqliteSettings = field(default_factory=SqliteSettings)
    minilm: MinilmSettings = field(default_factory=MinilmSettings)
    bge: BgeSettings = field(default_factory=BgeSettings)
    ingest: IngestSettings = field(default_factory=IngestSettings)
    ask: AskSettings = field(default_factory=AskSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    oidc: OidcSettings = field(default_factory=OidcSettings)
    remote: RemoteSettings = field(default_factory=RemoteSettings)
    toolbox: ToolboxSettings = field(default_factory=ToolboxSettings)
    neo4j: Neo4jSettings = field(default_factory=Neo4jSettings)
    azure: AzureSettings = field(default_factory=AzureSettings)
    chat: ChatSettings = field(default_factory=ChatSettings)
    guardrails: GuardrailSettings = field(default_factory=GuardrailSettings)
    analytics: AnalyticsSettings = field(default_factory=AnalyticsSettings)
    m365: M365Settings = field(default_factory=M365Settings)
    log: LogSettings = field(default_factory=LogSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    limits: Limits = field(default_factory=Limits)
    plugins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """Tables of plugins by their names, as they were set; `section` turns one into its type."""
