"""Tables from elsewhere: broken archives, bombs and odd numbers end in a typed error, before the memory is filled."""

from __future__ import annotations

import io
import warnings
import zipfile

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.datasets.tables import read_points, read_table


def npy(shape, descr="<f8", data=b"", version=b"\x01\x00"):
    """An .npy member whose header may say anything."""
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}".encode()
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + data


def archive(path, compression=zipfile.ZIP_STORED, **members):
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, content in members.items():
            out.writestr(f"{name}.npy", content)
    return str(path)


GOOD_Y = npy((2,), "<i8", np.array([0, 1]).tobytes())


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (npy((10**12, 10**3)), "all of them in the archive"),
        (npy((2**62, 2)), "all of them in the archive"),
        (npy((-1, 1)), "all of them in the archive"),
        (npy((2, 1), "|O", b"\x80\x04N."), "numbers or text"),
        (npy((2, 1), "<U99999999"), "all of them in the archive"),
        (npy((2, 1), [("a", "<f8")], bytes(16)), "numbers or text"),
        (npy((2, 1), "<M8[s]", bytes(16)), "numbers or text"),
        (npy((2, 1), "<c16", bytes(32)), "numbers or text"),
        (npy((2, 1), "nonsense"), "plain arrays"),
        (npy("x"), "plain arrays"),
        (npy((2, 1), data=bytes(16), version=b"\x09\x09"), "plain arrays"),
        (b"\x93NUMPY", "plain arrays"),
        (b"", "plain arrays"),
        (b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, "plain arrays"),
    ],
)
def test_arrays_are_judged_by_their_headers(tmp_path, X, words):
    path = archive(tmp_path / "a.npz", X=X, y=GOOD_Y)
    for read in (lambda: read_table(path), lambda: read_points(path, 1)):
        with pytest.raises(mr.DataError, match=words):
            read()


def test_a_zip_that_unfolds_into_far_more_than_it_is(tmp_path, monkeypatch):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out, out.open("X.npy", "w") as member:
        member.write(npy((2**20, 1)))
        member.write(bytes(2**23))
    assert path.stat().st_size < 2**14
    monkeypatch.setattr("msvm_ref.datasets.archive.ARRAY_LIMIT", 2**22)
    with pytest.raises(mr.DataError, match="at most"):
        read_points(str(path), 1)


def test_archives_that_are_none(tmp_path):
    good = io.BytesIO()
    np.savez(good, X=np.ones((2, 1)), y=np.array([0, 1]))
    whole = good.getvalue()
    plain = io.BytesIO()
    np.save(plain, np.ones((2, 2)))
    for content in (
        b"",
        whole[:50],
        whole[:-10],
        whole.replace(b"NUMPY", b"NUMBY"),
        plain.getvalue(),
    ):
        path = tmp_path / "bad.npz"
        path.write_bytes(content)
        with pytest.raises(mr.DataError):
            read_table(str(path))
    path.write_bytes(whole)
    assert list(read_table(str(path)).y) == [0, 1]


def test_a_name_that_is_held_twice(tmp_path):
    path = tmp_path / "twice.npz"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as out:
        warnings.simplefilter("ignore")
        for value in (0.0, 1.0):
            out.writestr("X.npy", npy((1, 1), data=np.array([value]).tobytes()))
    with pytest.raises(mr.DataError, match="each once"):
        read_points(str(path), 1)


@pytest.mark.parametrize("cell", ["1_000", "٣", "0x10", "1" * 5000, "", "１"])
def test_what_python_would_read_as_a_number_is_none(tmp_path, cell):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b,label\n1,2,x\n{cell},2,y\n", encoding="utf-8")
    with pytest.raises(mr.DataError, match="numeric"):
        read_table(str(path))


def test_a_label_column_that_is_not_there_or_there_twice(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,l,l\n1,x,y\n")
    for target in ("z", "l"):
        with pytest.raises(mr.DataError, match="target"):
            read_table(str(path), target)


@pytest.mark.parametrize("content", [b'"' * 300_000, b"a,b\n" + b"x" * 200_000 + b",1\n", b"\xff"])
def test_texts_that_are_no_table(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    for read in (read_table, lambda p: read_points(p, 1)):
        with pytest.raises(mr.DataError):
            read(str(path))
