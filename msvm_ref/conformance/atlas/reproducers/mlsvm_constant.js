// ml-svm with its default whitening: a feature that is constant makes the model NaN.
const SVM = require("ml-svm");
const X = [[1, 5], [2, 5], [-1, 5], [-2, 5]];
const model = new SVM({ kernel: "linear", random: () => 0.5 });
model.train(X, [1, 1, -1, -1]);
const scores = X.map((x) => model.marginOne(x));
console.log("scores", scores);
if (!scores.every(Number.isFinite)) throw new Error("AssertionError: NaN from finite data");
