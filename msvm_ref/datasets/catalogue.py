"""The tables a name stands for: shape, classes, official training rows, sha256 of the CSV text, and who carries the file."""

from __future__ import annotations

from dataclasses import dataclass

PACKAGE, SCIKIT, USER = "package", "scikit-learn", "user"
"""In this folder; through scikit-learn; nobody may publish it here: the user names a folder that has it."""


@dataclass(frozen=True)
class TableFacts:
    """What is known of a table before it is read."""

    name: str
    """What it is asked for by; the file is ``name.csv.gz``."""
    shape: tuple[int, int]
    """Rows and features."""
    classes: int
    """Labels are 0 ... classes - 1."""
    train: int
    """So many rows come first for training where the literature has an official split; else all."""
    sha256: str
    """Of the CSV text: a certified value means nothing if the data changed."""
    carrier: str
    """PACKAGE, SCIKIT or USER."""


ENTRIES = (
    TableFacts(
        "iris",
        (150, 4),
        3,
        150,
        "0ec5376d012b0ebfcd73045de1143e270e8e2dda2622776b109efbe434448a83",
        SCIKIT,
    ),
    TableFacts(
        "wine",
        (178, 13),
        3,
        178,
        "f31eca90e60d109d79f7a515b95eeab05cedd3ed9af21ebe3da3133a24c34af0",
        SCIKIT,
    ),
    TableFacts(
        "glass",
        (214, 9),
        6,
        214,
        "14247731c09db564e214cb601f6dbae6d7f68fe1ae1fd9168a2fafb57c6a095e",
        PACKAGE,
    ),
    TableFacts(
        "thyroid",
        (215, 5),
        3,
        215,
        "a43b0a864cdfccfcea55f10e163fd7e57ff9797d9758adc2a80e2aed22c3f1b1",
        PACKAGE,
    ),
    TableFacts(
        "vowel",
        (990, 10),
        11,
        528,
        "8f9904771297860a22c8d465c3616e4020fd225e863451d07a912b085e8b752a",
        PACKAGE,
    ),
    TableFacts(
        "vehicle",
        (846, 18),
        4,
        846,
        "9abd8d83b3db22d76b0dedf8e984ca0b6625c9bb3270d1763efcbb3e34477528",
        PACKAGE,
    ),
    TableFacts(
        "iris_uci",
        (150, 4),
        3,
        150,
        "a313ff11ce584ff3bff8fded7a955cba74f82a965696c91ad6c3db9e2d5a452e",
        PACKAGE,
    ),
    TableFacts(
        "car",
        (1728, 6),
        4,
        1728,
        "d5795713b3cdaf99ae241e5498a3b7f05bfb262682da33c6a0aba95c034c6c55",
        PACKAGE,
    ),
    TableFacts(
        "soybean",
        (683, 35),
        19,
        307,
        "28dc9f07c855d23315163311fbab15444e7ee6dfac7cb8a8f0ad7d4690b205bd",
        PACKAGE,
    ),
    TableFacts(
        "segment",
        (2310, 19),
        7,
        2310,
        "de828bb648fa77d09eaee4520beee475378889b57d3b8e548dfb2753ce5c3f8c",
        PACKAGE,
    ),
    TableFacts(
        "wine_quality_red",
        (1599, 11),
        6,
        1599,
        "df7f7282faf3970be60f4750e0cfc0683258fb4d8b374799683db57b905b089f",
        PACKAGE,
    ),
    TableFacts(
        "wine_quality_white",
        (4898, 11),
        7,
        4898,
        "6e90c8ca120e4c254a2e303d1c6fffd2bbc63aa4659fca56b5e954b0601dc4ca",
        PACKAGE,
    ),
    TableFacts(
        "abalone",
        (4177, 10),
        28,
        4177,
        "2572947de74af4b35b4b35694e78fce9b35c1313d4093fa4deb92198e26bb40a",
        PACKAGE,
    ),
    TableFacts(
        "abe",
        (2323, 16),
        3,
        2323,
        "aa603eb2b82c6ed991900f86dc382b36570f90fb0778d9b864f8ca4b2629b6ff",
        PACKAGE,
    ),
    TableFacts(
        "dna",
        (3186, 180),
        3,
        2000,
        "ff50dd9ca073b9bce69d67aa0887f4ba972d81175c5abf4655d5142fd55c00ab",
        PACKAGE,
    ),
    TableFacts(
        "satimage",
        (6435, 36),
        6,
        4435,
        "56325ff0ac48cbee1f75e90cd2ec00801ca39f433503623c5f3e11b77413e271",
        PACKAGE,
    ),
    TableFacts(
        "optdigits",
        (5620, 64),
        10,
        3823,
        "75688a1842280f731b91b58216b3442b291acfa99cd9ff03702670789955bbbf",
        PACKAGE,
    ),
    TableFacts(
        "letter",
        (20000, 16),
        26,
        20000,
        "7a45ce9b4cb84874c70ceaebafdd9e3a17b34d9332e5aa91396fdfdcd2e70aec",
        PACKAGE,
    ),
    TableFacts(
        "shuttle",
        (58000, 9),
        7,
        43500,
        "dfc888dc7a9f429430f856c7d7864e42085024eeafa1615006c8ebc81d839232",
        PACKAGE,
    ),
    TableFacts(
        "page_blocks",
        (5473, 10),
        5,
        5473,
        "bc2e7782ad444308fe163174d5690422519907808257c52c7ee16578a21cfc68",
        USER,
    ),
    TableFacts(
        "usps",
        (9298, 256),
        10,
        7291,
        "a13fe93b2f408ab6da7664648300e5478dc40989d7ef2383682e755fcdafe3ee",
        USER,
    ),
    TableFacts(
        "waveform",
        (5000, 21),
        3,
        5000,
        "61f558c7baf7b32dc26db59c7adb77e4a15f4a9e7b3658a09ce1d9fad66caab9",
        USER,
    ),
)
BY_NAME = {entry.name: entry for entry in ENTRIES}
