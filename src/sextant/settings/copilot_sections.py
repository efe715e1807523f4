"""What can be set of tools and copilots, as sections has it for all the rest. Knows no room."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolServerSettings:
    """An MCP server of others, at an address or started by a command, and who we are to it.

    A command gets of our environment only what every program needs, and the variables named here.
    Tokens and secrets for an address come from the environment, under the server's name, and go to
    no other server. Its tools are for these personas, or for all.
    """

    name: str
    at: str
    variables: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    token_url: str = ""
    client_id: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ToolboxSettings:
    """Where the tools of a tenant are, how long their use is remembered, and who else has some.

    The graph is the store's own unless another engine is named. A use counts half as much after the
    half-life, which is not measured: half a year, in which most catalogues change. Reading the list
    of a server includes starting it, for which a package may have to be fetched; a gateway reads it
    again so often, as not every server says when it changes, and passes on results up to a size.
    """

    graph: str = ""
    half_life_days: float = 180.0
    remembered_uses: int = 20_000
    list_seconds: float = 60.0
    call_seconds: float = 60.0
    refresh_seconds: float = 300.0
    result_megabytes: float = 10.0
    servers: tuple[ToolServerSettings, ...] = ()


@dataclass(frozen=True, slots=True)
class Neo4jSettings:
    """How a Neo4j that holds the tools is reached, and how long it may take.

    The password comes from the environment, never from here. Without a user, none is sent; without
    a database, the server's default is used.
    """

    user: str = "neo4j"
    database: str = ""
    connections: int = 50
    connect_seconds: float = 5.0
    retry_seconds: float = 2.0
    read_seconds: float = 5.0
    write_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class RemoteEndpointSettings:
    """A server of others whose agents and actions are used here, and who we are to it.

    It speaks CopilotKit's protocol of remote endpoints below its address, or is one agent of AG-UI
    (`agui`) or one chain of LangServe (`langserve`) of that name and description at its address.
    Tokens and secrets come from the environment, under its name, and go to no other server.
    """

    name: str
    url: str
    kind: str = "copilotkit"
    description: str = ""
    token_url: str = ""
    client_id: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How a copilot is answered: from the knowledge or not, by which models, and within bounds.

    Grounding is `agent` (the answer is the line's), `tool` (the model may ask the line) or `off`.
    A client may choose among these models beside the one that is set; each is written as `llm` is.
    Rounds are how often a model may call actions of the server before it has to reply. A run is at
    most so many events ahead of its fastest reader; one that ended can be read for some seconds.
    A reply of a remote agent lasts at most so long; what remotes offer is read in so long.
    Tools of these servers, by their names in `toolbox.servers`, are actions; where there are more
    than so many, the toolbox chooses for each message. Tools whose id or name fits a pattern of
    `approve`, and other actions whose name does, wait for a person. In what they are called with,
    an address that nobody said before has one of the tool hosts. A client may send servers of its
    own only below these https addresses.
    Links are `known` (in what a model or an agent writes, too, an address that nobody said before
    has one of the tool hosts), `all`, or `auto`: known unless grounding is off.
    """

    grounding: str = "agent"
    models: tuple[str, ...] = ()
    tool_servers: tuple[str, ...] = ()
    tools: int = 20
    approve: tuple[str, ...] = ()
    tool_hosts: tuple[str, ...] = ()
    links: str = "auto"
    client_tool_servers: tuple[str, ...] = ()
    rounds: int = 8
    action_seconds: float = 60.0
    runs: int = 1_000
    ahead: int = 1_000
    kept_seconds: float = 60.0
    remote_seconds: float = 300.0
    offer_seconds: float = 5.0
    remotes: tuple[RemoteEndpointSettings, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardrailSettings:
    """Who checks what a user writes to a copilot, and for what, before anybody answers.

    All services have to allow it: `local:` checks here, an `https:` address is asked as
    CopilotKit's cloud is. Topics without a service are checked here. Likeness is how near to a
    topic a sentence is that is about it, as the embedder has it; orders are those that overrule
    what a model was told. A service that cannot be asked denies, unless it is to leave open.
    """

    services: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    likeness: float = 0.2
    orders: bool = True
    secrets: bool = True
    when_down: str = "closed"
    seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class AnalyticsSettings:
    """Where events of use and of errors go, without text; nowhere unless it is said.

    Of all runs a share is told, in batches of at most so many, each after at most so long. A batch
    that is not taken is sent again so often; at most so many events wait, then the oldest go.
    """

    endpoint: str = ""
    sample: float = 1.0
    batch: int = 100
    batch_seconds: float = 10.0
    retries: int = 3
    waiting: int = 10_000
    seconds: float = 10.0
