# vw --bfgs --loss_function hinge --l2 0.25 minimises  0.25/2 ||w||² + Σ max(0, 1 − y w·x), the sum over the rows. Its weights
# are worse than w = 0, also if every loss is cut at 2 (predictions clipped to the labels' range). With --min_prediction and
# --max_prediction, which end the clipping, the same call is within 1e-4 of scikit-learn's LinearSVC.
import tempfile

import numpy as np
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC
from vowpalwabbit import Workspace

X, y = load_iris(return_X_y=True)
X, y, lam = (X - X.mean(0)) / X.std(0), np.where(y == 1, 1, -1), 0.25
FIXED = f"--bfgs --loss_function hinge --l2 {lam} --noconstant --holdout_off -b 8 -k --quiet"


def weights(more):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as data:
        for x, label in zip(X, y):
            print(label, "|", *(f"{j}:{v!r}" for j, v in enumerate(x.tolist())), file=data)
        data.flush()
        with tempfile.TemporaryDirectory() as folder:
            vw = Workspace(arg_str=f"{FIXED} -d {data.name} --cache_file {folder}/cache {more}")
            w = np.array([vw.get_weight(j) for j in range(4)])
            vw.finish()
    return w


def objective(w, cut=np.inf):
    return lam / 2 * w @ w + np.clip(1 - y * (X @ w), 0, cut).sum()


theirs = weights("--passes 100")
unclipped = weights("--passes 1000 --termination 0 --min_prediction -1e30 --max_prediction 1e30")
other = LinearSVC(loss="hinge", C=1 / lam, fit_intercept=False, max_iter=10**6, random_state=0)
print(
    f"objective of its weights {objective(theirs):.4f}, losses cut at 2: {objective(theirs, 2):.4f}"
)
print(f"of w = 0: {len(y)}; with --min_prediction, --max_prediction: {objective(unclipped):.4f}")
print(f"of LinearSVC's weights: {objective(other.fit(X, y).coef_[0]):.4f}")
assert objective(theirs, 2) <= len(y), f"worse than w = 0: {objective(theirs):.6g} > {len(y)}"
