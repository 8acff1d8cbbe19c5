// Check golden vectors without Python:  node example.js WW.json ...   (FORMAT.md has the formulas; BigInt rationals)
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
const q = (n, d = 1n) => { if (d < 0n) { n = -n; d = -d; } const g = gcd(n, d) || 1n; return [n / g, d / g]; };
const add = (a, b) => q(a[0] * b[1] + b[0] * a[1], a[1] * b[1]), mul = (a, b) => q(a[0] * b[0], a[1] * b[1]);
const neg = a => [-a[0], a[1]], sub = (a, b) => add(a, neg(b)), less = (a, b) => a[0] * b[1] < b[0] * a[1];
const zero = q(0n), half = q(1n, 2n), max = (a, b) => less(a, b) ? b : a, same = (a, b) => a[0] === b[0] && a[1] === b[1];
const sum = v => v.reduce(add, zero), dot = (u, v) => sum(u.map((x, k) => mul(x, v[k]))), norm = v => mul(half, dot(v, v));
function parse(s) {                                                  // "-3/4", "0.25", "9.5e-07"
  const [num, den] = s.split("/"), [m, e] = num.toLowerCase().split("e"), [whole, frac = ""] = m.split(".");
  const shift = BigInt(e || 0) - BigInt(frac.length), digits = BigInt(whole + frac);
  return q(shift > 0n ? digits * 10n ** shift : digits, (shift < 0n ? 10n ** -shift : 1n) * BigInt(den || 1));
}
const deep = v => Array.isArray(v) ? v.map(deep) : parse(v), column = (M, c) => M.map(row => row[c]);

function check(v, W, b, alpha) {                                     // the faults of (W, b, alpha) as an optimum of problem v
  const { groups, sum_to_zero } = v.machine, nu = deep(v.machine.nu), gamma = deep(v.machine.gamma), X = deep(v.X);
  const quadratic = v.cost === "quadratic", faults = [], d = q(BigInt(gamma.length));
  const C = v.y.map((_, i) => mul(parse(v.C), v.sample_weight ? parse(v.sample_weight[i]) : q(1n)));
  if (sum_to_zero && [...W, b].some(row => sum(row)[0] !== 0n)) faults.push("sum-to-zero");
  if (v.bias === "none" && b.some(x => x[0] !== 0n)) faults.push("bias-none");
  let P = norm(W.flat()), D = zero;
  if (v.bias === "penalized") P = add(P, norm(b));
  const A = v.y.map((y, i) => {
    const f = b.map((bc, c) => add(bc, dot(X[i], column(W, c)))), counted = groups[y].flat();
    if (alpha[i].some((a, p) => less(a, zero) || (a[0] !== 0n && !counted.includes(p)))) faults.push("dual-sign or support");
    for (const group of groups[y]) {
      const xi = group.map(p => sub(gamma[y][p], dot(nu[y][p], f))).reduce(max, zero), mass = sum(group.map(p => alpha[i][p]));
      P = add(P, mul(C[i], quadratic ? mul(xi, xi) : xi));
      if (less(C[i], mass) && (!quadratic || C[i][0] === 0n)) faults.push("dual-bound");
      if (quadratic && C[i][0] !== 0n) D = sub(D, mul(mul(mass, mass), q(C[i][1], 4n * C[i][0])));
    }
    D = add(D, dot(gamma[y], alpha[i]));
    const image = b.map((_, m) => dot(alpha[i], column(nu[y], m))), mean = sum_to_zero ? mul(sum(image), q(1n, d[0])) : zero;
    return image.map(x => sub(x, mean));
  });
  const totals = b.map((_, m) => sum(column(A, m)));
  if (v.bias === "free" && totals.some(x => x[0] !== 0n)) faults.push("dual-equality");
  if (v.bias === "penalized") D = sub(D, norm(totals));
  for (let k = 0; k < W.length; k++) for (let m = 0; m < b.length; m++) D = sub(D, norm([dot(column(X, k), column(A, m))]));
  if (!same(P, D)) faults.push(`P - D = ${sub(P, D).join("/")}`);
  return faults;
}
let wrong = 0, count = 0;
for (const file of process.argv.slice(2)) {
  const { vectors = [] } = JSON.parse(require("fs").readFileSync(file, "utf8")), byId = new Map(vectors.map(v => [v.id, v]));
  for (const v of vectors) {
    const base = v.result === "valid" ? v : byId.get(v.problem), handed = { ...base, ...(v.candidate || {}) };
    const faults = check(base, deep(handed.W), deep(handed.b), deep(handed.alpha));
    count++;
    if ((faults.length === 0) !== (v.result === "valid")) { wrong++; console.log(v.id, "expected", v.result, faults.join("; ")); }
  }
}
console.log(`${count} vectors, ${count - wrong} as stated, ${wrong} not`);
process.exit(wrong || !count ? 1 : 0);
