"""The migrations of the record's tables: numbered SQL files, up and down, in both dialects.

To add one, write its four files, raise LATEST, add the digest that `tests/adapters/store/test_migrations.py` names, and
run `python docs/make_schema.py`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from aeon.platform.store import Dialect

LATEST: Final = 16
"""The number of the newest migration, and the version of a fully migrated record."""

DIGESTS: Final[Mapping[int, str]] = {
    1: "271726f6cf20a2493052f1bb55e7507d5ab511542d882bd58377e72dfef041bb",
    2: "e8f3067b159d089912aff5a9f9763175a56c5569493fb5c43ca8499600aac3ae",
    3: "d520189b97790dab61cccb1831f5869517a899e4211b14dddb6bc53023ee5c31",
    4: "d32b0202c6649746578f02cfc42bacbdab3eca41459d4753bbd4e6d1542e7ac1",
    5: "c9a8f7169ed8412095ca792437397948b1986679d728814f614b6f7ce7071cd3",
    6: "65ede67566b195d659deeb5ef27c95876d083723dc5ec30f50b8dd148d11ad96",
    7: "6f949d86828c12998867e9caf418e4a481d5417c827227f84aab1473b0268ac6",
    8: "4df221468da213017817d5e732e8c686f6d2d7b679615015aa7780cdb8ba7a10",
    9: "eb22f7eaeb889659782261dc223213dd5f8d82cfe75a14c78ab4c2bd84da8c59",
    10: "0259ca1ba790092a24ee7fe38934cdf8ff419cd6d3792c2cb95a32bc1dcb9a15",
    11: "727024e2d2c395c08f88f2634a98e8e1d3fa7e4888225ac94f699035667fd782",
    12: "87994be1a5e64cfc24b40dd506e12573ec048e5baf303368bcb73e9545243d94",
    13: "16d4da7c15789490637908a3180002b411e11c32475f02efe3ef82bb578bb862",
    14: "43d43162adbc931e64af713f6a1de7058ff5042105a9ad3c664669578f33795a",
    15: "d4978dacf1fbe6c7ad80afcaf60985117c22669eaddbf6e1599c06f33658fb07",
    16: "2a2233cfd08353f14b32617de8360e3947aac01bbebfb90d6cface87e760fd2d",
}
"""The digest of a SQLite record's schema by version (`sqlite.schema.schema_digest`)."""


class Migration(NamedTuple):
    """A change of the tables from version `number - 1` to `number`, and its reversal."""

    number: int
    name: str
    up: str
    down: str


def load_newest_schema() -> str:
    """Reads the SQLite script that creates an empty record of version LATEST at once, as all migrations together do."""
    from importlib.resources import files

    return files(__name__).joinpath("newest.sqlite.sql").read_text("utf-8")


def load_migrations(dialect: Dialect) -> list[Migration]:
    """Reads the migrations of one dialect from their files, by number.

    Opening a record of version LATEST does not need this.
    """
    from importlib.resources import files

    folder = files(__name__)
    suffix = f".{dialect}.up.sql"
    stems = sorted(file.name.removesuffix(suffix) for file in folder.iterdir() if file.name.endswith(suffix))
    return [
        Migration(
            int(stem[:4]),
            stem[5:],
            folder.joinpath(f"{stem}.{dialect}.up.sql").read_text("utf-8"),
            folder.joinpath(f"{stem}.{dialect}.down.sql").read_text("utf-8"),
        )
        for stem in stems
    ]
