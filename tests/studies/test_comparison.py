"""The comparison: right conventions, honest rows, ties, failures told, and the same answer on a dask cluster."""

from __future__ import annotations

import json

import joblib
import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.cli import main
from msvm_ref.studies.comparison import ComparisonRow, Method, compare, hsu_lin, table, unified_view
from tests.small_problems import blobs

X, Y = blobs(3, 5)
SMALL = [("small", X, Y)]


def figures(rows):
    return [
        (r.data, r.method, r.C, r.gamma, r.accuracy, r.support_vectors, r.relative_gap)
        for r in rows
    ]


def test_fifteen_methods_with_their_conventions():
    names = [m.name for m in (*hsu_lin(), *unified_view())]
    assert names == [
        "one-against-all",
        "one-against-one",
        "DAGSVM",
        "all together (9)",
        "C&S (16)",
        *(m.name for m in mr.CATALOGUE),
    ]
    factor = {m.name: m.C_factor for m in hsu_lin()}
    assert factor["all together (9)"] == 2  # f_UV(C) = f_HL(C/2)
    assert factor["C&S (16)"] == 4  # f_UV(C) = 2 f_HL(C/4)
    together = hsu_lin()[3].make(0.7, "scale", "linear", 1e-9, "primal").fit(X, Y).solution_
    posed = mr.conventions.HL9.pose(X, Y, 0.7)
    assert together.objective == pytest.approx(mr.solve(posed.problem).objective, rel=1e-8)
    crammer_singer = hsu_lin()[4].make(0.7, "scale", "linear", 1e-9, "primal").fit(X, Y).solution_
    assert crammer_singer.objective == pytest.approx(
        mr.solve(mr.conventions.HL16.pose(X, Y, 0.7).problem).objective, rel=1e-8
    )


def test_all_methods_at_the_shell_with_a_picture(tmp_path, capsys):
    path = tmp_path / "small.csv"
    path.write_text(
        "".join(
            ",".join([*map(repr, map(float, x)), "abc"[y]]) + "\n"
            for x, y in zip(X, Y, strict=True)
        )
    )
    arguments = [
        "compare",
        str(path),
        "--kernel",
        "linear",
        "--folds",
        "2",
        "--plot",
        str(tmp_path / "out.png"),
    ]
    assert main([*arguments, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert len(out["rows"]) == 15
    assert all(
        row["relative_gap"] <= 1e-6 and row["n"] == 15 and row["seconds"] > 0 for row in out["rows"]
    )
    assert (tmp_path / "out.png").stat().st_size > 10000


def test_accuracy_is_cross_validation_and_the_best_is_reported():
    from sklearn.model_selection import StratifiedKFold
    from sklearn.preprocessing import StandardScaler

    method = unified_view()[:1]
    rows = compare(SMALL, Cs=(0.01, 1.0), gammas=(0.1, 1.0), folds=3, seed=4, methods=method)
    best = {}
    for C in (0.01, 1.0):
        for gamma in (0.1, 1.0):
            hits = []
            for train, test in StratifiedKFold(3, shuffle=True, random_state=4).split(X, Y):
                scale = StandardScaler().fit(X[train])
                fitted = mr.MulticlassSVC("WW", C=C, gamma=gamma).fit(
                    scale.transform(X[train]), Y[train]
                )
                hits.append(np.mean(fitted.predict(scale.transform(X[test])) == Y[test]))
            best[C, gamma] = np.mean(hits), np.std(hits)
    top = max(best, key=lambda k: best[k][0])  # the first of equals
    assert (rows[0].C, float(rows[0].gamma)) == top
    assert (rows[0].accuracy, rows[0].deviation) == pytest.approx(best[top])


def test_rows_agree_between_processes_and_one_after_another():
    methods = (*hsu_lin()[2:3], *unified_view()[:1])
    settings = {"folds": 2, "methods": methods}
    alone = compare(SMALL, n_jobs=1, **settings)
    with joblib.parallel_config(backend="threading"):
        assert figures(compare(SMALL, n_jobs=2, **settings)) == figures(alone)
    assert [r.method for r in alone] == [m.name for m in methods]


def test_data_of_one_name_stay_apart():
    rows = compare(
        [("small", X, Y), ("small", X[Y < 2], Y[Y < 2])],
        kernel="linear",
        folds=2,
        methods=unified_view()[:1],
    )
    assert [row.n for row in rows] == [15, 10]


def test_a_dask_cluster_serves():
    distributed = pytest.importorskip(
        "distributed", reason="needs the dask extra: pip install 'msvm-ref[dask]'"
    )
    settings = {"folds": 2, "methods": unified_view()[:2]}
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        rows = compare(SMALL, **settings)
    assert figures(rows) == figures(compare(SMALL, n_jobs=1, **settings))


def test_a_method_that_fails_is_told_and_the_others_go_on():
    broken = Method("broken", "UV", "MulticlassSVC", (("machine", "SVM"),))
    rows = compare(SMALL, kernel="linear", folds=2, methods=(broken, *unified_view()[:1]))
    assert "machine must be one of" in rows[0].error
    assert rows[0].to_dict()["accuracy"] is None
    assert rows[1].accuracy > 0.3
    assert "machine must be one of" in table(rows, 1e-6)


def test_the_table_marks_the_best_and_open_gaps():
    row = ComparisonRow("toy", "WW", "UV", 1.0, "scale", 0.9, 0.01, 0.1, 5, 10, 1e-3, "primal")
    text = table(
        [
            row,
            ComparisonRow("toy", "CS", "UV", 1.0, "scale", 0.8, 0.01, 0.1, 5, 10, 1e-9, "primal"),
        ],
        1e-6,
    )
    assert "90.00 ± 1.00*" in text
    assert "1.0e-03!" in text
    assert "80.00 ± 1.00 " in text
    assert "1.0e-09 " in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["iris", "--C", "1,x"],
        ["iris", "--gamma", "big"],
        ["iris", "--folds", "1"],
        ["iris", "--folds", "51"],
        ["iris", "--plot", "/nosuch/out.png"],
        ["iris", "--plot", "out.foo"],
        ["iris", "--jobs", "0"],
        ["iris", "--C", "1,0"],
        ["iris", "--gamma=-1"],
        ["iris", "--tolerance", "3"],
        ["iris", "--seed=-1"],
    ],
)
def test_wrong_use_is_refused_at_once(arguments, capsys):
    assert main(["compare", *arguments]) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    "data",
    [
        (np.where(X > 1, np.nan, X), Y),
        (X, Y[:-1]),
        (X[:, 0], Y),
        (X.astype(str), Y),
        (X, np.zeros(len(Y))),
        (1j * X, Y),
    ],
)
def test_data_that_are_no_table_are_refused_before_the_first_fit(data):
    with pytest.raises(mr.DataError):
        compare([("bad", *data)], folds=2, methods=unified_view()[:1])
    for wrong in ({"kernel": "sigmoid"}, {"method": "newton"}, {"seed": 0.5}, {"tol": "x"}):
        with pytest.raises(mr.DataError):
            compare(SMALL, folds=2, methods=unified_view()[:1], **wrong)
