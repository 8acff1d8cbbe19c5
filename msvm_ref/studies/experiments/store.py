"""The store: one sqlite file of records under their keys. A batch is one transaction: a kill at any moment leaves whole ones.

Only the process that leads a run writes; a key that is there already is left as it is, but for a failure that is mended.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType

from msvm_ref.errors import StoreError
from msvm_ref.studies.experiments.cell import CellRecord

FORMAT = 2
COLUMNS = tuple(field.name for field in fields(CellRecord))
TYPES = {
    "gamma": "REAL", "C": "REAL", "repetition": "INTEGER", "fold": "INTEGER", "n": "INTEGER", "tested": "INTEGER",
    "right": "INTEGER", "gap": "REAL", "converged": "INTEGER", "seconds": "REAL", "support": "INTEGER", "started": "REAL",
    "iterations": "INTEGER DEFAULT -1", "value": "REAL",
}  # fmt: skip


class Store:
    """``with Store(path) as store``; ``records`` holds everything that is in the file."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.records: dict[str, CellRecord] = {}

    def __enter__(self) -> Store:
        with self._typed("be a store of this program"):
            self.connection = sqlite3.connect(self.path, timeout=60.0)
            try:
                self._open()
            except BaseException:
                self.connection.close()
                raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.connection.close()

    def _open(self) -> None:
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        tables = self.connection.execute("SELECT name FROM sqlite_master").fetchall()
        if not 0 <= version <= FORMAT or (version == 0 and tables):
            raise StoreError(
                str(self.path),
                f"be a store of format {FORMAT} or earlier",
                f"another sqlite file, of version {version}",
                "name another --store",
            )
        self.connection.execute("PRAGMA journal_mode=WAL")
        described = ", ".join(f'"{name}" {TYPES.get(name, "TEXT")}' for name in COLUMNS[1:])
        with self.connection:
            self.connection.execute(
                f"CREATE TABLE IF NOT EXISTS cells (key TEXT PRIMARY KEY, {described}) WITHOUT ROWID"
            )
            there = {row[1] for row in self.connection.execute("PRAGMA table_info(cells)")}
            for name in COLUMNS:  # a store of an earlier format lacks the later columns
                if name not in there:
                    self.connection.execute(f'ALTER TABLE cells ADD COLUMN "{name}" {TYPES[name]}')
            self.connection.execute(f"PRAGMA user_version={FORMAT}")
        for row in self.connection.execute(f"SELECT {_names()} FROM cells"):
            record = _record(row)
            self.records[record.key] = record

    def add(self, batch: Iterable[CellRecord]) -> None:
        """All of the batch or nothing; a cell that failed gives way to one that did not."""
        new = [r for r in batch if self._lacks(r)]
        marks = ", ".join("?" for _ in COLUMNS)
        mended = ", ".join(f'"{name}" = excluded."{name}"' for name in COLUMNS[1:])
        with self._typed("take more results"), self.connection:
            self.connection.executemany(
                f"INSERT INTO cells ({_names()}) VALUES ({marks}) ON CONFLICT (key) DO UPDATE SET {mended} "
                "WHERE cells.error != '' AND excluded.error = ''",
                [tuple(asdict(record).values()) for record in new],
            )
        self.records |= {record.key: record for record in new}

    def _lacks(self, record: CellRecord) -> bool:
        old = self.records.get(record.key)
        return old is None or bool(old.error and not record.error)

    def forget_failures(self) -> int:
        """Cells with an error are taken out, to be tried again; how many."""
        failed = [key for key, record in self.records.items() if record.error]
        with self._typed("be written"), self.connection:
            self.connection.executemany("DELETE FROM cells WHERE key = ?", [(k,) for k in failed])
        for key in failed:
            del self.records[key]
        return len(failed)

    @contextmanager
    def _typed(self, expected: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            remedy = "every batch before this one is kept: free some space, or name another --store"
            raise StoreError(str(self.path), expected, str(error), remedy) from error


def _names() -> str:
    return ", ".join(f'"{name}"' for name in COLUMNS)


def _record(row: tuple[object, ...]) -> CellRecord:
    values = dict(zip(COLUMNS, row, strict=True))
    values["converged"] = bool(values["converged"])
    for name in ("gap", "seconds"):
        values[name] = float("nan") if values[name] is None else values[name]
    return CellRecord(**values)  # type: ignore[arg-type]
