"""Makes Graphiti ready to be imported: without telemetry, without a log of contents, without reading `.env` files."""

import logging
import os
import warnings
from importlib import import_module
from typing import Final

from aeon.base.errors import MissingExtraError

_TELEMETRY: Final = "GRAPHITI_TELEMETRY_ENABLED"
_NO_ENV_FILE: Final = "PYTHON_DOTENV_DISABLED"
_MODULES: Final = ("graphiti_core", "graphiti_core.driver.falkordb_driver", "graphiti_core.driver.neo4j_driver")
_LOG: Final = "graphiti_core"


def prepare_graphiti() -> None:
    """Import Graphiti, which takes two seconds the first time. The modules beside this one may be imported afterwards.

    Its telemetry is on by default, its log shows contents of failed queries, and its import reads the `.env` file of a
    folder above it, which may be a project's: all three are off before it is imported. Raises MissingExtraError.
    """
    os.environ[_TELEMETRY] = "false"
    before = os.environ.get(_NO_ENV_FILE)
    os.environ[_NO_ENV_FILE] = "true"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its dependencies, about themselves
            for module in _MODULES:
                import_module(module)
    except ImportError as missing:
        raise MissingExtraError(
            "The graph for Graphiti needs graphiti-core.", next_step="Install aeon-orchestrator[graphiti]."
        ) from missing
    finally:
        if before is None:
            del os.environ[_NO_ENV_FILE]
        else:
            os.environ[_NO_ENV_FILE] = before
    log = logging.getLogger(_LOG)
    log.setLevel(logging.CRITICAL)
    if not log.handlers:
        log.addHandler(logging.NullHandler())
