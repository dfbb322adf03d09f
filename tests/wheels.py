"""A package for tests, and the variables by which uv installs it without a network."""

import zipfile
from collections.abc import Mapping
from pathlib import Path


def write_wheel(folder: Path) -> Path:
    """Writes the wheel of `tinypack`, by hand, into a new folder; returns the folder."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "tinypack-1.0-py3-none-any.whl", "w") as wheel:
        info = "tinypack-1.0.dist-info"
        wheel.writestr("tinypack.py", "WORD = 'from the package'\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tinypack\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", f"tinypack.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return folder


def offline_uv(wheels: Path) -> Mapping[str, str]:
    """Returns the variables of uv."""
    return {"UV_NO_INDEX": "1", "UV_FIND_LINKS": str(wheels), "UV_OFFLINE": "1", "UV_NO_CACHE": "1"}
