"""Deterministic mutations of texts that readers accept: of their bytes, and of the tree where they are JSON."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from tests.fuzz.readers import Reader

NASTY: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    10**18,
    10**400,
    -(10**30),
    0.0,
    -0.0,
    0.5,
    1e308,
    -1e308,
    5e-324,
    1e-300,
    1e16,
    "",
    "0",
    "-0",
    "1/3",
    "1/0",
    "1e999999999",
    "1e-999999999",
    "9" * 300,
    "1/" + "9" * 300,
    "nan",
    "inf",
    "NaN",
    "free",
    "penalized",
    "quadratic",
    "polynomial",
    "RM(1e99999999)",
    "/dev/null",
    "\x00",
    "\ud800",
    "٣",
    [],
    {},
    [[]],
    [None],
    [[0.0]],
    {"name": "rbf", "gamma": 1e300},
    {"name": "polynomial", "degree": 9999, "gamma": 1.0, "coef0": 1.0},
    [1] * 100,
)
TOKENS = (
    b"nan", b"inf", b"1e999", b"1e999999999", b"-", b"/", b"/0", b'"', b"'", b",", b"\n", b"\r", b"\0", b"[", b"]",
    b"{", b"}", b":", b"null", b"true", b"\xff", b"\xef\xbb\xbf", b"1_0", "٣".encode(), b"(", b")", b"9" * 400,
    b"\x93NUMPY", b"PK\x03\x04", b"(10000000000,)", b"|O", b"<U99999999",
)  # fmt: skip


def mutated(reader: Reader, random_: random.Random) -> bytes:
    """One input, made from the reader's samples."""
    content = random_.choice(reader.samples)
    if reader.json and random_.random() < 0.8:
        return mutated_json(reader, content, random_) or content
    return mutated_bytes(content, random_.choice(reader.samples), random_)


def mutated_json(reader: Reader, content: bytes, random_: random.Random) -> bytes | None:
    """A few nodes replaced, dropped, doubled, exchanged or nested; None where the content is no JSON."""
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return None
    for _ in range(random_.choice((1, 1, 1, 2, 4))):
        tree = _changed(tree, random_)
    if random_.random() < 0.9:
        tree = reader.repaired(tree)
    return json.dumps(tree).encode("utf-8", "surrogatepass")


def _changed(tree: Any, random_: random.Random) -> Any:
    places = list(_places(tree, ()))
    if not places:
        return copy.deepcopy(random_.choice(NASTY))
    path = random_.choice(places)
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    key, kind = path[-1], random_.randrange(8)
    if kind <= 2:
        parent[key] = copy.deepcopy(random_.choice(NASTY))
    elif kind == 3:
        parent[key] = _nudged(parent[key], random_)
    elif kind == 4:
        del parent[key]
    elif kind == 5 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif kind == 6:
        parent[key] = copy.deepcopy(_at(tree, random_.choice(places)))
    else:
        parent[key] = [parent[key]]
    return tree


def _nudged(value: Any, random_: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)) and abs(value) < 1e300:
        return value * random_.choice((-1, 2, 0.5, 1e10, 1e-10)) + random_.choice((0, 1, 1e-9))
    if isinstance(value, str) and value:
        k = random_.randrange(len(value))
        return value[:k] + random_.choice("0123456789-/.eE aZ") + value[k + random_.randrange(2) :]
    if isinstance(value, list):
        return value[::-1]
    return value


def _places(node: Any, path: tuple[Any, ...]) -> Any:
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in inner:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def mutated_bytes(content: bytes, other: bytes, random_: random.Random) -> bytes:
    out = bytearray(content)
    for _ in range(random_.choice((1, 1, 2, 4, 8))):
        kind, k = random_.randrange(6), random_.randrange(len(out) + 1)
        if kind == 0 and k < len(out):
            out[k] ^= 1 << random_.randrange(8)
        elif kind == 1:
            del out[k : k + random_.choice((1, 1, 2, 8, 64))]
        elif kind == 2:
            out[k:k] = random_.choice(TOKENS)
        elif kind == 3:
            out[k:k] = out[k : k + random_.choice((1, 4, 32))]
        elif kind == 4 and k < len(out):
            out[k] = random_.randrange(256)
        else:
            j = random_.randrange(len(other) + 1)
            out[k:] = other[j:]
    return bytes(out)
