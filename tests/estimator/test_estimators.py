"""The estimators in use: what they solve, what they expose, how they live among scikit-learn's tools, and ugly input."""

from __future__ import annotations

import math
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import compute_class_weight

import msvm_ref as mr
from msvm_ref.estimator import base
from msvm_ref.solvers.automatic import FEW_WEIGHTS, TRUTH_UP_TO, choose
from tests.small_problems import blobs

X, Y = blobs(3, 8)
NAMES = np.array(["ant", "bee", "cat"])[Y]
ALL = (
    mr.MulticlassSVC(kernel="linear"),
    mr.OneVsOneSVC(kernel="linear"),
    mr.DAGSVC(kernel="linear"),
    mr.MarginTreeClassifier(),
)


def named(estimator) -> str:
    return type(estimator).__name__


@pytest.mark.parametrize("machine", [*mr.CATALOGUE], ids=lambda m: m.name)
def test_every_machine_is_the_problem_it_names(machine):
    fitted = mr.MulticlassSVC(machine.name, C=0.5, gamma=0.3, bias="none").fit(X, Y)
    truth = mr.solve(mr.Problem(machine, X, Y, C=0.5, kernel=mr.rbf(0.3)))
    assert fitted.certificate_.lower <= truth.certificate.upper
    assert truth.certificate.lower <= fitted.certificate_.upper
    assert fitted.certificate_.relative_gap <= 1e-6
    off = abs(fitted.decision_function(X) - truth.decision_function(X)).max()
    assert off <= fitted.certificate_.distance_bound + truth.certificate.distance_bound + 1e-12


def test_options_reach_the_problem():
    mine = mr.Machine(
        "mine",
        margin=mr.ABSOLUTE,
        aggregation=mr.TOTAL_MAX,
        target=mr.Target(own=2, other=1),
        sum_to_zero=True,
    )
    fitted = mr.MulticlassSVC(
        mine, C=3.0, kernel="poly", degree=2, gamma=0.5, coef0=0.25, bias="free", cost="quadratic"
    )
    problem = fitted.fit(X, Y).solution_.problem
    assert problem.machine == mine.with_cost("quadratic")
    assert str(problem.kernel) == "polynomial(2, 0.5, 0.25)"
    assert (problem.C, problem.bias) == (3.0, "free")
    assert mr.MulticlassSVC("RM(1/4)", kernel=mr.rbf(2.0)).fit(
        X, Y
    ).solution_.problem.machine == mr.RM(0.25)
    assert str(mr.MulticlassSVC(gamma="auto").fit(X, Y).solution_.problem.kernel) == "rbf(0.333333)"


@pytest.mark.parametrize("classes", [2, 3])
def test_attributes_make_the_decision_function(classes):
    rows = classes > Y
    for bias in ("none", "free", "penalized"):
        fitted = mr.MulticlassSVC("CS", kernel="linear", bias=bias, tol=1e-9).fit(
            X[rows], NAMES[rows]
        )
        assert fitted.coef_.shape == (1 if classes == 2 else 3, 3)
        scores = X @ fitted.coef_.T + fitted.intercept_
        assert np.allclose(scores if classes > 2 else scores[:, 0], fitted.decision_function(X))
        expanded = mr.linear(X, fitted.support_vectors_) @ fitted.dual_coef_.T + fitted.intercept_
        assert np.allclose(expanded, scores, atol=1e-5)
        assert set(map(tuple, fitted.support_vectors_)) == set(map(tuple, X[rows][fitted.support_]))
    with pytest.raises(AttributeError):
        _ = mr.MulticlassSVC().fit(X, Y).coef_


def test_pairs_expose_weights_certificates_and_votes():
    fitted = mr.OneVsOneSVC(kernel="linear").fit(X, NAMES)
    scores = X @ fitted.coef_.T + fitted.intercept_
    assert np.allclose(scores, np.column_stack(list(fitted.pairs_.pair_scores(X).values())))
    assert list(fitted.certificates_) == [("ant", "bee"), ("ant", "cat"), ("bee", "cat")]
    assert fitted.certificate_.relative_gap == max(
        c.relative_gap for c in fitted.certificates_.values()
    )
    assert (fitted.decision_function(X).sum(axis=1) == 3).all()
    assert set(fitted.vote_margin(X)) <= {0, 1, 2}
    two = mr.OneVsOneSVC(kernel="linear").fit(X[Y < 2], NAMES[Y < 2])
    assert np.allclose(X @ two.coef_[0] + two.intercept_, two.decision_function(X))
    assert ((two.decision_function(X) > 0) == (two.predict(X) == "bee")).all()


def test_the_dag_shows_its_path():
    fitted = mr.DAGSVC(order=["cat", "ant", "bee"], kernel="linear").fit(X, NAMES)
    path = fitted.path(X)
    assert path.shape == (len(X), 2, 3)
    assert (path[:, 0, :2] == ["cat", "bee"]).all()
    assert (path[:, -1, 2] == fitted.predict(X)).all()
    assert (
        mr.DAGSVC(order=np.array(["cat", "ant", "bee"]), kernel="linear").fit(X, NAMES).path(X)
        == path
    ).all()
    for wrong in (
        ["ant"],
        ["ant", "bee", "dog"],
        ["ant", "bee", "bee"],
        [0, 1, 2],
        "ant",
        5,
        [["ant"], ["bee"], ["cat"]],
        set(NAMES),
    ):
        with pytest.raises(mr.DataError, match="permutation"):
            mr.DAGSVC(order=wrong, kernel="linear").fit(X, NAMES)


def test_the_tree_draws_itself(tmp_path):
    fitted = mr.MarginTreeClassifier(rule="greedy").fit(X, NAMES)
    fitted.plot(str(tmp_path / "tree.png"))
    assert (tmp_path / "tree.png").stat().st_size > 5000
    assert len(fitted.certificates_) == 2
    far = np.repeat(10.0 * np.eye(3), 3, axis=0) + 0.1 * X[:9]
    labels = np.repeat([0, 1, 2], 3)
    hard = mr.MarginTreeClassifier(C=math.inf)
    margin = hard.fit(far, labels).tree_.root.margin
    assert margin.lower > 1
    assert (
        hard.fit(far[[0, *range(9), 4]], labels[[0, *range(9), 4]]).tree_.root.margin == margin
    )  # copies change nothing
    with pytest.raises(mr.DataError, match="finite with sample_weight"):
        hard.fit(far, labels, sample_weight=np.full(9, 2.0))


@pytest.mark.parametrize("estimator", ALL, ids=named)
def test_among_scikit_learns_tools(estimator):
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    assert cross_val_score(pipeline, X, NAMES, cv=2).shape == (2,)
    search = GridSearchCV(clone(estimator), {"C": [0.1, 1.0]}, cv=2).fit(X, NAMES)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert (again.predict(X) == search.predict(X)).all()
    assert set(again.predict(X)) <= set(NAMES)


@pytest.mark.parametrize("estimator", ALL, ids=named)
def test_weights_classes_and_order(estimator):
    weight = np.arange(len(Y)) % 4.0  # not % 3: that would take a whole class away
    a = clone(estimator).fit(X, Y, sample_weight=weight)
    order = np.random.default_rng(0).permutation(len(Y))
    b = clone(estimator).fit(
        np.repeat(X, weight.astype(int), axis=0), np.repeat(Y, weight.astype(int))
    )
    c = clone(estimator).fit(X[order], Y[order], sample_weight=weight[order])
    for other in (b, c):  # the same problem to the last bit
        assert other.certificate_ == a.certificate_
    assert not set(a.support_) & set(np.flatnonzero(weight == 0))
    assert set(order[c.support_]) == set(a.support_)
    heavy = clone(estimator).set_params(class_weight={0: 1.0, 1: 4.0, 2: 0.5}).fit(X, Y)
    by_hand = clone(estimator).fit(X, Y, sample_weight=np.array([1.0, 4.0, 0.5])[Y])
    assert heavy.certificate_ == by_hand.certificate_
    balanced = clone(estimator).set_params(class_weight="balanced")
    by_weight = balanced.fit(X, Y, sample_weight=weight).certificate_
    by_copies = balanced.fit(
        np.repeat(X, weight.astype(int), axis=0), np.repeat(Y, weight.astype(int))
    ).certificate_
    assert by_weight == by_copies
    share = compute_class_weight(
        "balanced", classes=np.arange(3), y=np.repeat(Y, weight.astype(int))
    )
    assert by_weight == clone(estimator).fit(X, Y, sample_weight=weight * share[Y]).certificate_


@pytest.mark.parametrize("estimator", ALL, ids=named)
def test_tables_names_and_sparse(estimator):
    dense = clone(estimator).fit(X, NAMES)
    for container in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert (
            clone(estimator).fit(container(X), NAMES).predict(container(X)) == dense.predict(X)
        ).all()
    columns = ["a", "b", "c"]
    for frame in (pandas.DataFrame(X, columns=columns), polars.DataFrame(X, schema=columns)):
        fitted = clone(estimator).fit(frame, NAMES)
        assert fitted.feature_names_in_.tolist() == columns
        assert (fitted.predict(frame) == dense.predict(X)).all()
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(frame[["b", "a", "c"]])


def all_certificates(fitted):
    several = getattr(fitted, "certificates_", (fitted.certificate_,))
    return list(several.values() if isinstance(several, dict) else several)


@pytest.mark.parametrize("estimator", ALL, ids=named)
def test_large_sparse_input_stays_sparse_or_is_refused(estimator, monkeypatch):
    dense = clone(estimator).fit(X, NAMES)
    monkeypatch.setattr(base, "SPARSE_FROM", 10)
    monkeypatch.setattr(base, "DENSE_UP_TO", 20)
    fitted = clone(estimator).set_params(method="fast").fit(sparse.csr_array(X), NAMES)
    assert fitted.method_ == "fast"
    for one, other in zip(all_certificates(fitted), all_certificates(dense), strict=True):
        assert one.lower <= other.upper * (1 + 1e-9)
        assert other.lower <= one.upper * (1 + 1e-9)
    for new in (sparse.csr_array(X), X):
        assert (fitted.predict(new) == dense.predict(X)).all()
    with pytest.raises(mr.DataError, match="kernel='linear'"):
        clone(estimator).set_params(kernel="rbf").fit(sparse.csr_array(X), Y)


@pytest.mark.parametrize(
    "estimator",
    [mr.MulticlassSVC("OVA"), mr.OneVsOneSVC(), mr.DAGSVC(), mr.MarginTreeClassifier(kernel="rbf")],
    ids=named,
)
def test_a_precomputed_gram_is_the_named_kernel(estimator):
    kernel, weight, new = mr.rbf(0.3), np.arange(len(Y)) % 3.0, X + 0.05
    by_name = clone(estimator).set_params(gamma=0.3).fit(X, Y, sample_weight=weight)
    given = (
        clone(estimator).set_params(kernel="precomputed").fit(kernel(X, X), Y, sample_weight=weight)
    )
    assert given.certificate_.upper == pytest.approx(by_name.certificate_.upper, rel=1e-6)
    assert (given.predict(kernel(new, X)) == by_name.predict(new)).all()
    assert cross_val_score(given, kernel(X, X), Y, cv=2).shape == (2,)
    with pytest.raises(mr.DataError, match="square"):
        clone(given).fit(kernel(X, X)[:-1], Y[:-1])


def test_auto_says_what_it_took():
    def problem(n, p, kernel):
        return mr.Problem(
            mr.WW, np.random.default_rng(0).normal(size=(n, p)), np.arange(n) % 3, kernel=kernel
        )

    tiny, kernel, large = (problem(n, 2, mr.rbf(1.0)) for n in (15, 150, 201))
    narrow, wide = problem(200, 5, mr.linear), problem(200, FEW_WEIGHTS, mr.linear)
    assert [choose(p) for p in (tiny, kernel, large, narrow, wide)] == [
        "dual",
        "fast",
        "fast",
        "primal",
        "fast",
    ]
    assert tiny.n * tiny.d <= TRUTH_UP_TO
    assert mr.MulticlassSVC(method="kesler", kernel="linear").fit(X, Y).method_ == "kesler"
    assert mr.MulticlassSVC().fit(X, Y).method_ == "dual"


def test_the_weights_of_copies_are_summed_in_no_order_but_their_own():
    copies, thirds = (
        np.r_[X, X, X],
        np.repeat([0.1, 0.2, 0.3], len(Y)),
    )  # (0.1 + 0.2) + 0.3 is not (0.3 + 0.2) + 0.1
    a, b = (
        mr.MulticlassSVC(kernel="linear").fit(
            copies[::step], np.r_[Y, Y, Y][::step], thirds[::step]
        )
        for step in (1, -1)
    )
    assert (a.solution_.problem.costs == b.solution_.problem.costs).all()
    assert a.certificate_ == b.certificate_


def test_a_fit_repeats_itself_to_the_last_bit():
    np.random.seed(1)  # noqa: NPY002 - global state that must not matter
    first = mr.MulticlassSVC("LLW", method="fast").fit(X, Y).decision_function(X)
    np.random.seed(2)  # noqa: NPY002
    assert np.array_equal(
        mr.MulticlassSVC("LLW", method="fast").fit(X, Y).decision_function(X), first
    )
    seeded = mr.MulticlassSVC("LLW", method="fast", random_state=3).fit(X, Y)
    assert np.allclose(seeded.decision_function(X), first, atol=1e-3)


def test_what_did_not_converge_warns_with_its_gap(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mr.MulticlassSVC(kernel="linear", max_iter=5).fit(
            X, Y
        )  # auto: a limit the truth has no use for
    with pytest.warns(ConvergenceWarning, match="certified relative gap"):
        assert mr.MulticlassSVC(method="fast", max_iter=1, C=100.0).fit(X, Y).n_iter_ == 1
    monkeypatch.setattr(base, "solve", lambda *a, **k: replace(mr.solve(*a, **k), tolerance=1e-300))
    for estimator, parts in ((ALL[0], ""), (ALL[1], " in 3 of 3 binary problems")):
        with pytest.warns(
            ConvergenceWarning, match=rf"stopped{parts} at a certified relative gap of"
        ) as caught:
            fitted = clone(estimator).fit(X, Y)
        assert f"{fitted.certificate_.relative_gap:.2e} (tol = 1e-06)" in str(caught[0].message)
    for estimator in (*ALL, mr.OneVsAllSVC(kernel="linear")):
        with pytest.warns(ConvergenceWarning) as caught:
            clone(estimator).fit(X, Y)
        assert caught[0].filename == __file__  # the line of the user's that called fit


@pytest.mark.parametrize("estimator", ALL, ids=named)
def test_ugly_input_gets_a_typed_error(estimator):
    wrong = [
        {"C": 0.0},
        {"C": "1"},
        {"kernel": "cubic"},
        {"kernel": None},
        {"kernel": "rbf", "gamma": -1.0},
        {"tol": 0.0},
        {"kernel": "rbf", "gamma": "large"},
        {"bias": "maybe"},
        {"method": "quick"},
        {"cost": "cubic"},
        {"kernel": "poly", "degree": 1.5},
        {"method": "primal", "max_iter": 3},
    ]
    for parameters in wrong:
        with pytest.raises(mr.MsvmError):
            clone(estimator).set_params(**parameters).fit(X, Y)
    for y in (np.zeros(len(Y)), np.full(len(Y), "one")):
        with pytest.raises(mr.DataError, match="1 class"):
            clone(estimator).fit(X, y)
    with pytest.raises(mr.DataError, match="weight 0 do not count"):
        clone(estimator).fit(X, Y, sample_weight=(Y == 0).astype(float))
    for bad in (np.where(X > 1, np.nan, X), np.where(X > 1, np.inf, X), X[:, 0], X.astype(complex)):
        with pytest.raises(ValueError):
            clone(estimator).fit(bad, Y)
    with pytest.raises(ValueError):
        clone(estimator).fit(X, Y, sample_weight=-np.ones(len(Y)))
    with pytest.raises(NotFittedError):
        clone(estimator).predict(X)
    if named(estimator) == "MulticlassSVC":
        for machine in ("SVM", None, 3):
            with pytest.raises(mr.SpecError):
                mr.MulticlassSVC(machine).fit(X, Y)


@pytest.mark.parametrize("estimator", ALL, ids=named)
def test_odd_data_still_certify(estimator):
    contradictory = np.vstack([X[:6], X[:6]]), np.array([0, 1, 2, 0, 1, 2, 1, 2, 0, 1, 2, 0])
    constant = np.ones((6, 2)), np.array([0, 1, 2, 0, 1, 2])
    scaled = 1e6 * X, Y
    for data, labels in (contradictory, constant, scaled):
        fitted = (
            clone(estimator).set_params(C=1e-6 if data is scaled[0] else 10.0).fit(data, labels)
        )
        assert fitted.certificate_.relative_gap <= 1e-6
    one_each = clone(estimator).fit(X[:3], Y[:3])
    assert (one_each.predict(X[:3]) == Y[:3]).all()


def test_blas_keeps_to_one_thread_while_fitting_and_verbose_tells(monkeypatch, capsys):
    from threadpoolctl import threadpool_info

    import msvm_ref.estimator.base as base

    seen = []

    def solve(*arguments, **options):
        seen.extend(i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas")
        return mr.solve(*arguments, **options)

    monkeypatch.setattr(base, "solve", solve)
    mr.MulticlassSVC("CS", verbose=1).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert set(seen) == {1}
    assert "[MulticlassSVC] n = 3, d = 3: method " in capsys.readouterr().out
