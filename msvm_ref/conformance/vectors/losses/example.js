// Check golden loss vectors without Python:  node example.js WW.json ...   (../FORMAT.md has the formulas; BigInt rationals)
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
const q = (n, d = 1n) => { if (d < 0n) { n = -n; d = -d; } const g = gcd(n, d) || 1n; return [n / g, d / g]; };
const add = (a, b) => q(a[0] * b[1] + b[0] * a[1], a[1] * b[1]), mul = (a, b) => q(a[0] * b[0], a[1] * b[1]);
const neg = a => [-a[0], a[1]], sub = (a, b) => add(a, neg(b)), less = (a, b) => a[0] * b[1] < b[0] * a[1];
const zero = q(0n), one = q(1n), max = (a, b) => less(a, b) ? b : a, same = (a, b) => a[0] === b[0] && a[1] === b[1];
const sum = v => v.reduce(add, zero), dot = (u, v) => sum(u.map((x, k) => mul(x, v[k]))), size = a => max(a, neg(a));
function parse(s) {                                                  // "-3/4", "0.25"
  const [num, den] = s.split("/"), [whole, frac = ""] = num.split(".");
  return q(BigInt(whole + frac), 10n ** BigInt(frac.length) * BigInt(den || 1));
}
const deep = v => Array.isArray(v) ? v.map(deep) : parse(v);

function loss(machine, v) {                                          // sum over slacks of max(0, gamma - <nu, f>)^q
  const gamma = deep(machine.gamma[v.y]), nu = deep(machine.nu[v.y]);
  let f = deep(v.scores);
  if (machine.sum_to_zero) { const mean = mul(sum(f), q(1n, BigInt(f.length))); f = f.map(x => sub(x, mean)); }
  return sum(machine.groups[v.y].map(group => {
    const xi = group.map(p => sub(gamma[p], dot(nu[p], f))).reduce(max, zero);
    return v.cost === "quadratic" ? mul(xi, xi) : xi;
  }));
}
const member = (set, shares, weights) => set.base.map((b, m) => sum([b, ...set.segments.map((s, j) => mul(shares[j], s[m])), ...set.points.map((p, k) => mul(weights[k], p[m]))]));
const support = (set, h) => sum([dot(set.base, h), ...set.segments.map(s => max(zero, dot(s, h))), ...(set.points.length ? [set.points.map(p => dot(p, h)).reduce(max)] : [])]);
const parts = v => ({ base: deep(v.base), segments: deep(v.segments), points: deep(v.points) });
const weigh = (shares, weights) => shares.every(s => !less(s, zero) && !less(one, s)) && weights.every(w => !less(w, zero)) && (!weights.length || same(sum(weights), one));

function check(document, v, base) {
  if (v.result === "valid") {                                        // the loss, and that subgradient is a member
    const shares = deep(v.shares), weights = deep(v.weights), g = member(parts(v.subdifferential), shares, weights);
    return same(loss(document.machines[v.scores.length], v), parse(v.loss)) && weigh(shares, weights) && g.every((x, m) => same(x, parse(v.subgradient[m])));
  }
  if (v.fault === "loss") return !same(parse(v.candidate.loss), loss(document.machines[base.scores.length], base));
  const set = parts(base.subdifferential), g = deep(v.candidate.subgradient), h = deep(v.evidence.direction);
  const shares = deep(v.evidence.shares), weights = deep(v.evidence.weights), near = member(set, shares, weights);
  const apart = sub(dot(h, g), support(set, h)), away = g.map((x, m) => size(sub(x, near[m]))).reduce(max);
  return weigh(shares, weights) && same(sum(h.map(size)), one) && same(apart, away) && less(zero, apart);
}
let bad = 0, count = 0;
for (const file of process.argv.slice(2)) {
  const document = JSON.parse(require("fs").readFileSync(file)), byId = new Map(document.vectors.map(v => [v.id, v]));
  for (const v of document.vectors) { count++; if (!check(document, v, byId.get(v.problem))) { bad++; console.log(`${file}: ${v.id} is wrong`); } }
}
console.log(`${count} loss vectors, ${bad} wrong`);
process.exit(bad ? 1 : 0);
