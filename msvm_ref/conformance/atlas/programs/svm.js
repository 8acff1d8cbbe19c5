// libsvm-js, ml-svm and svm behind a JSON line in and a JSON line out; task.package says which.
const readline = require("readline");
console.log = console.error; // what a library prints is not the answer

async function libsvm(task) {
  const SVM = await require("libsvm-js");
  const model = new SVM({
    kernel: SVM.KERNEL_TYPES.LINEAR, type: SVM.SVM_TYPES.C_SVC, cost: task.C, tolerance: task.tol, quiet: true,
  });
  model.train(task.X, task.y);
  const predict = model.predict(task.X);
  const lines = model.serializeModel().trim().split("\n");
  const field = (name) => lines.find((l) => l.startsWith(name + " ")).split(" ").slice(1).map(Number);
  const label = field("label"), rho = field("rho"), count = field("nr_sv");
  const vectors = lines.slice(lines.indexOf("SV") + 1).map((l) => l.trim().split(" "));
  const p = task.X[0].length, d = label.length, first = count.map((_, k) => count.slice(0, k).reduce((a, b) => a + b, 0));
  const pairs = [];
  for (let i = 0, k = 0; i < d; i++) for (let j = i + 1; j < d; j++, k++) {
    const w = new Array(p).fill(0);
    const add = (from, size, column) => {
      for (let s = from; s < from + size; s++)
        for (const entry of vectors[s].slice(d - 1)) {
          const [at, value] = entry.split(":");
          w[at - 1] += Number(vectors[s][column]) * Number(value);
        }
    };
    add(first[i], count[i], j - 1);
    add(first[j], count[j], i);
    const sign = label[i] < label[j] ? -1 : 1;
    pairs.push({ classes: [label[i], label[j]].sort((a, b) => a - b), w: w.map((v) => sign * v), b: -sign * rho[k] });
  }
  return { pairs, predict };
}

function oneVsRest(task, binary) {
  const p = task.X[0].length, W = task.X[0].map(() => []), b = [];
  for (let c = 0; c < task.n_classes; c++) {
    const [w, bias] = binary(task.y.map((v) => (v === c ? 1 : -1)));
    for (let k = 0; k < p; k++) W[k].push(w[k]);
    b.push(bias);
  }
  return { W, b };
}

function mlSvm(task) {
  const SVM = require("ml-svm");
  return oneVsRest(task, (sign) => {
    const model = new SVM({ C: task.C, kernel: "linear", whitening: false, ...task.options });
    model.train(task.X, sign);
    const f = (x) => model.marginOne(x);
    const zero = task.X[0].map(() => 0), b = f(zero);
    return [zero.map((_, k) => f(zero.map((_, l) => (l === k ? 1 : 0))) - b), b];
  });
}

function svmjs(task) {
  const { SVM } = require("svm");
  return oneVsRest(task, (sign) => {
    const model = new SVM();
    model.train(task.X, sign, { C: task.C, kernel: "linear", ...task.options });
    const f = (x) => model.marginOne(x);
    const zero = task.X[0].map(() => 0), b = f(zero);
    return [zero.map((_, k) => f(zero.map((_, l) => (l === k ? 1 : 0))) - b), b];
  });
}

const call = { "libsvm-js": libsvm, "ml-svm": mlSvm, svm: svmjs };
(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const task = JSON.parse(line);
    let answer;
    try { answer = await call[task.package](task); } catch (error) { answer = { error: String(error) }; }
    process.stdout.write(JSON.stringify(answer) + "\n");
  }
})();
