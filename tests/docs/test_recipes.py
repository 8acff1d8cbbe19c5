"""The wrappers of the recipe pages, with stand-ins for the programs that their users build."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
TASK = {"X": [[1.0, 2.0], [3.0, 0.5], [-1.0, 4.0]], "y": [1, 0, 2], "C": 2.0, "n_classes": 3}
KBB = """svm_type kbb
kernel_type linear
nr_class 3
total_sv 2
label 1 0 2
nr_sv 1 1 0
SV
0.5 0.25 1:1 2:2
0.125 1 1:3 2:0.5
"""
SPOC = (
    KBB.replace("kbb", "spoc").replace("0.5 0.25 ", "1 -0.5 -0.5 ").replace("0.125 1 ", "-2 2 0 ")
)


def answer(page: str, folder: Path, program: str, *options: str, **more: object):
    """What the page's wrapper prints for TASK with ``program`` as the library's own."""
    (code,) = re.findall(r"^```py\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)
    (folder / "wrapper.py").write_text(code)
    stand_in = folder / "program"
    stand_in.write_text(f"#!{sys.executable} -S\nimport sys\n{program}")
    stand_in.chmod(0o755)
    command = [sys.executable, "-S", str(folder / "wrapper.py"), str(stand_in), *options]
    task = json.dumps({**TASK, **more})
    return subprocess.run(command, input=task, capture_output=True, text=True, timeout=60)


def test_bsvm(tmp_path):
    writes = "open(sys.argv[-1], 'w').write({!r})\nassert '-c' in sys.argv and '2.0' in sys.argv"
    told = json.loads(answer("recipe-bsvm.md", tmp_path, writes.format(KBB), "-s", "1").stdout)
    # columns are classes 0, 1, 2: x_0 is of class 1 with 0.5 against 0, 0.25 against 2; x_1 of class 0
    x, z = (1, 2), (3, 0.5)
    coef = [(-0.5, 0.75, -0.25), (1.125, -0.125, -1.0)]
    assert told["W"] == [
        [coef[0][c] * x[k] + coef[1][c] * z[k] for c in range(3)] for k in range(2)
    ]
    assert told["b"] == [coef[0][c] + coef[1][c] for c in range(3)]
    told = json.loads(answer("recipe-bsvm.md", tmp_path, writes.format(SPOC), "-s", "2").stdout)
    coef = [(-0.5, 1, -0.5), (2, -2, 0)]
    assert told == {
        "W": [[coef[0][c] * x[k] + coef[1][c] * z[k] for c in range(3)] for k in range(2)]
    }
    refused = answer("recipe-bsvm.md", tmp_path, "", C=-1.0)
    assert refused.returncode == 1
    assert "refused by the wrapper" in refused.stderr


def test_msvmpack(tmp_path):
    program = """
train, test, outputs = sys.argv[1:4]
assert open(train).read() == "3\\n2\\n1.0 2.0 2\\n3.0 0.5 1\\n-1.0 4.0 3\\n"
rows = [line.split() for line in open(test).read().splitlines()[2:]]
open(outputs, "w").write("".join(f"{r[0]} {r[1]} 0.5 2\\n" for r in rows))
"""
    told = json.loads(answer("recipe-msvmpack.md", tmp_path, program, X_new=[[9.0, 8.0]]).stdout)
    assert told["scores"] == [[1.0, 2.0, 0.5], [3.0, 0.5, 0.5], [-1.0, 4.0, 0.5]]
    assert (told["scores_new"], told["predict_new"]) == ([[9.0, 8.0, 0.5]], [1])
