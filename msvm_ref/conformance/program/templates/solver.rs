// A multi-class SVM behind the protocol of msvm_ref: the WW machine with no or a penalized bias, by dual coordinate ascent.
//
//     min 1/2 ||W||^2 + sum_i C_i sum_{c != y_i} max(0, 1 - 1/2 (f_{y_i} - f_c)),    C_i = C weight_i
//
//     rustc -O -o my_svm my_svm.rs && msvm-ref validate --command ./my_svm --machine WW --tolerance 1e-6
use std::collections::HashMap;
use std::io::Read;

type Matrix = Vec<Vec<f64>>;

// ---- JSON, as much of it as the protocol needs ----
enum Value {
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(HashMap<String, Value>),
    Other,
}

impl Value {
    fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(fields) => fields.get(name),
            _ => None,
        }
    }
    fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }
    fn real(&self) -> Result<f64, String> {
        match self {
            Value::Number(v) if v.is_finite() => Ok(*v),
            _ => Err("numbers must be finite".into()),
        }
    }
    fn list(&self) -> Result<&[Value], String> {
        match self {
            Value::List(items) => Ok(items),
            _ => Err("a list is missing".into()),
        }
    }
}

struct Reader<'a> {
    s: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        while self.at < self.s.len() && self.s[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        *self.s.get(self.at).unwrap_or(&0)
    }
    fn expect(&mut self, c: u8) -> Result<(), String> {
        if self.peek() != c {
            return Err("not JSON".into());
        }
        self.at += 1;
        Ok(())
    }
    fn text(&mut self) -> Result<String, String> {
        self.expect(b'"')?;
        let mut out = Vec::new();
        loop {
            match self.s.get(self.at) {
                None => return Err("a text without an end".into()),
                Some(b'"') => break,
                Some(b'\\') => self.at += 1,
                Some(_) => {}
            }
            out.push(*self.s.get(self.at).ok_or("a text without an end")?);
            self.at += 1;
        }
        self.at += 1;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > 100 {
            return Err("nested too deeply".into());
        }
        match self.peek() {
            b'"' => Ok(Value::Text(self.text()?)),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while self.peek() != b']' {
                    items.push(self.value(depth + 1)?);
                    if self.peek() != b']' {
                        self.expect(b',')?;
                    }
                }
                self.at += 1;
                Ok(Value::List(items))
            }
            b'{' => {
                self.at += 1;
                let mut fields = HashMap::new();
                while self.peek() != b'}' {
                    let name = self.text()?;
                    self.expect(b':')?;
                    fields.insert(name, self.value(depth + 1)?);
                    if self.peek() != b'}' {
                        self.expect(b',')?;
                    }
                }
                self.at += 1;
                Ok(Value::Object(fields))
            }
            _ => {
                let start = self.at;
                while self.at < self.s.len() && (self.s[self.at].is_ascii_alphanumeric() || b"+-.".contains(&self.s[self.at])) {
                    self.at += 1;
                }
                let word = String::from_utf8_lossy(&self.s[start..self.at]).into_owned();
                match word.as_str() {
                    "" => Err("not JSON".into()),
                    "true" | "false" | "null" => Ok(Value::Other),
                    number => number.parse().map(Value::Number).map_err(|_| "not JSON".to_string()),
                }
            }
        }
    }
}

// ---- the solver ----
fn margin(x: &[f64], w: &Matrix, own: usize, c: usize) -> f64 {
    x.iter().zip(w).map(|(v, row)| v * (row[own] - row[c]) / 2.0).sum()
}

// W (p x d), alpha (n x d), the objective, and whether the relative duality gap reached the tolerance
fn solve(x: &Matrix, y: &[usize], c_of: &[f64], d: usize, tolerance: f64) -> (Matrix, Matrix, f64, bool) {
    let mut w = vec![vec![0.0; d]; x[0].len()];
    let mut alpha = vec![vec![0.0; d]; x.len()];
    let mut primal = 0.0;
    for _ in 0..20000 {
        for (i, row) in x.iter().enumerate() {
            let square: f64 = row.iter().map(|v| v * v).sum();
            for c in (0..d).filter(|&c| c != y[i]) {
                let step = if square > 0.0 { 2.0 * (1.0 - margin(row, &w, y[i], c)) / square } else { c_of[i] };
                let next = (alpha[i][c] + step).max(0.0).min(c_of[i]);
                let change = (next - alpha[i][c]) / 2.0;
                alpha[i][c] = next;
                for (v, weights) in row.iter().zip(w.iter_mut()) {
                    weights[y[i]] += change * v;
                    weights[c] -= change * v;
                }
            }
        }
        let half: f64 = w.iter().flatten().map(|v| v * v / 2.0).sum();
        let (mut loss, mut gain) = (0.0, 0.0);
        for (i, row) in x.iter().enumerate() {
            for c in (0..d).filter(|&c| c != y[i]) {
                loss += c_of[i] * (1.0 - margin(row, &w, y[i], c)).max(0.0);
                gain += alpha[i][c];
            }
        }
        primal = half + loss;
        if primal - (gain - half) <= tolerance * primal {
            return (w, alpha, primal, true);
        }
    }
    (w, alpha, primal, false)
}

fn answer(text: &str) -> Result<String, String> {
    let task = Reader { s: text.as_bytes(), at: 0 }.value(0)?;
    let machine = task.text("machine");
    if !(machine.is_empty() || machine == "WW") || task.text("cost") != "linear" || task.text("convention") != "UV" {
        return Err("only the WW machine, linear cost, convention UV".into());
    }
    if task.text("bias") == "free" {
        return Err("no free bias".into());
    }
    let penalized = task.text("bias") == "penalized";
    let constant = task.get("C").ok_or("no C")?.real()?;
    if constant <= 0.0 {
        return Err("C must be positive".into());
    }
    let d = task.get("n_classes").ok_or("no n_classes")?.real()? as usize;
    let (mut x, mut y, mut c_of): (Matrix, Vec<usize>, Vec<f64>) = (vec![], vec![], vec![]);
    for row in task.get("X").ok_or("no X")?.list()? {
        let mut values = row.list()?.iter().map(Value::real).collect::<Result<Vec<f64>, String>>()?;
        if penalized {
            values.push(1.0);
        }
        x.push(values);
    }
    for (i, label) in task.get("y").ok_or("no y")?.list()?.iter().enumerate() {
        y.push(label.real()? as usize);
        let weight = match task.get("sample_weight") {
            Some(weights) => weights.list()?.get(i).ok_or("a weight is missing")?.real()?,
            None => 1.0,
        };
        c_of.push(constant * weight);
    }
    if x.is_empty() || x[0].len() == penalized as usize || x.len() != y.len() || x.iter().any(|row| row.len() != x[0].len()) {
        return Err("X must be n rows of p numbers, y n labels".into());
    }
    if y.iter().any(|&label| label >= d) {
        return Err("labels must lie below n_classes".into());
    }
    let (mut w, alpha, objective, converged) = solve(&x, &y, &c_of, d, 1e-8);
    let b = if penalized { w.pop().unwrap() } else { vec![0.0; d] };
    Ok(format!("{{\"W\": {w:?}, \"b\": {b:?}, \"alpha\": {alpha:?}, \"objective\": {objective:?}, \"converged\": {converged}}}"))
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("standard input must be UTF-8");
    println!("{}", answer(&text).unwrap_or_else(|why| format!("{{\"error\": \"{why}\"}}")));
}
