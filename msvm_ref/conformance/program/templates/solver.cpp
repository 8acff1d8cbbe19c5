// A multi-class SVM behind the protocol of msvm_ref: the WW machine with no or a penalized bias, by dual coordinate ascent.
//
//     min 1/2 ||W||^2 + sum_i C_i sum_{c != y_i} max(0, 1 - 1/2 (f_{y_i} - f_c)),    C_i = C weight_i
//
//     c++ -O2 -std=c++17 -o my_svm my_svm.cpp && msvm-ref validate --command ./my_svm --machine WW --tolerance 1e-6
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using Matrix = std::vector<std::vector<double>>;

// ---- JSON, as much of it as the protocol needs ----
struct Value {
    enum Kind { Number, Text, List, Object, Other } kind = Other;
    double number = 0;
    std::string text;
    std::vector<Value> items;
    std::map<std::string, Value> fields;

    bool has(const std::string &name) const { return fields.count(name) > 0; }
    const Value &at(const std::string &name) const {
        if (!has(name)) throw std::runtime_error("no " + name);
        return fields.at(name);
    }
    double real() const {
        if (kind != Number || !std::isfinite(number)) throw std::runtime_error("numbers must be finite");
        return number;
    }
};

class Reader {
  public:
    explicit Reader(const std::string &text) : s(text) {}

    Value value(int depth = 0) {
        Value out;
        if (depth > 100) throw std::runtime_error("nested too deeply");
        space();
        if (peek() == '"') {
            out.kind = Value::Text;
            out.text = text();
        } else if (peek() == '[' || peek() == '{') {
            const bool object = s[at++] == '{';
            const char end = object ? '}' : ']';
            out.kind = object ? Value::Object : Value::List;
            for (space(); peek() != end; space()) {
                std::string name;
                if (object) {
                    name = text();
                    space();
                    expect(':');
                    out.fields[name] = value(depth + 1);
                } else {
                    out.items.push_back(value(depth + 1));
                }
                space();
                if (peek() != end) expect(',');
            }
            at++;
        } else if (std::isdigit(static_cast<unsigned char>(peek())) || peek() == '-') {
            out.kind = Value::Number;
            const char *start = s.c_str() + at;
            char *end = nullptr;
            out.number = std::strtod(start, &end);
            if (end == start) throw std::runtime_error("not JSON");
            at += static_cast<size_t>(end - start);
        } else {
            const size_t start = at;
            while (std::isalpha(static_cast<unsigned char>(peek()))) at++;
            if (at == start) throw std::runtime_error("not JSON");
        }
        return out;
    }

  private:
    const std::string &s;
    size_t at = 0;

    char peek() const { return at < s.size() ? s[at] : '\0'; }
    void space() {
        while (std::isspace(static_cast<unsigned char>(peek()))) at++;
    }
    void expect(char c) {
        if (peek() != c) throw std::runtime_error("not JSON");
        at++;
    }
    std::string text() {
        expect('"');
        std::string out;
        while (peek() != '"') {
            if (peek() == '\0') throw std::runtime_error("a text without an end");
            if (peek() == '\\') at++;
            out += s[at++];
        }
        at++;
        return out;
    }
};

// ---- the solver ----
struct Found {
    Matrix W, alpha;
    double objective = 0;
    bool converged = false;
};

Found solve(const Matrix &X, const std::vector<int> &y, const std::vector<double> &C, int d, double tolerance = 1e-8) {
    const size_t n = X.size(), p = X[0].size();
    Found found{Matrix(p, std::vector<double>(d)), Matrix(n, std::vector<double>(d))};
    Matrix &W = found.W, &alpha = found.alpha;
    auto margin = [&](size_t i, int c) {
        double sum = 0;
        for (size_t k = 0; k < p; k++) sum += X[i][k] * (W[k][y[i]] - W[k][c]) / 2;
        return sum;
    };
    for (int pass = 0; pass < 20000 && !found.converged; pass++) {
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            for (double v : X[i]) square += v * v;
            for (int c = 0; c < d; c++) {
                if (c == y[i]) continue;
                const double step = square > 0 ? 2 * (1 - margin(i, c)) / square : C[i];
                const double next = std::clamp(alpha[i][c] + step, 0.0, C[i]), change = (next - alpha[i][c]) / 2;
                alpha[i][c] = next;
                for (size_t k = 0; k < p; k++) {
                    W[k][y[i]] += change * X[i][k];
                    W[k][c] -= change * X[i][k];
                }
            }
        }
        double half = 0, loss = 0, gain = 0;
        for (const auto &row : W)
            for (double v : row) half += v * v / 2;
        for (size_t i = 0; i < n; i++)
            for (int c = 0; c < d; c++)
                if (c != y[i]) {
                    loss += C[i] * std::max(0.0, 1 - margin(i, c));
                    gain += alpha[i][c];
                }
        found.objective = half + loss;
        found.converged = half + loss - (gain - half) <= tolerance * (half + loss);
    }
    return found;
}

void print(const Matrix &M) {
    std::cout << "[";
    for (size_t i = 0; i < M.size(); i++) {
        std::cout << (i ? ", [" : "[");
        for (size_t c = 0; c < M[i].size(); c++) std::cout << (c ? ", " : "") << M[i][c];
        std::cout << "]";
    }
    std::cout << "]";
}

void answer(const Value &task) {
    if ((task.has("machine") && task.at("machine").text != "WW") || task.at("cost").text != "linear" || task.at("convention").text != "UV")
        throw std::runtime_error("only the WW machine, linear cost, convention UV");
    if (task.at("bias").text == "free") throw std::runtime_error("no free bias");
    const bool penalized = task.at("bias").text == "penalized";
    const auto &rows = task.at("X").items, &labels = task.at("y").items;
    if (rows.empty() || rows[0].items.empty() || labels.size() != rows.size())
        throw std::runtime_error("X must be n rows of p numbers, y n labels");
    const int d = static_cast<int>(task.at("n_classes").real());
    if (!(task.at("C").real() > 0)) throw std::runtime_error("C must be positive");
    Matrix X;
    std::vector<int> y;
    std::vector<double> C;
    for (size_t i = 0; i < rows.size(); i++) {
        if (rows[i].items.size() != rows[0].items.size()) throw std::runtime_error("X must be n rows of p numbers");
        X.emplace_back();
        for (const auto &v : rows[i].items) X.back().push_back(v.real());
        if (penalized) X.back().push_back(1);
        y.push_back(static_cast<int>(labels[i].real()));
        if (y.back() < 0 || y.back() >= d) throw std::runtime_error("labels must lie below n_classes");
        C.push_back(task.at("C").real() * (task.has("sample_weight") ? task.at("sample_weight").items.at(i).real() : 1));
    }
    Found found = solve(X, y, C, d);
    Matrix b(1, std::vector<double>(d));
    if (penalized) {
        b[0] = found.W.back();
        found.W.pop_back();
    }
    std::cout << std::setprecision(17) << "{\"W\": ";
    print(found.W);
    std::cout << ", \"b\": [";
    for (int c = 0; c < d; c++) std::cout << (c ? ", " : "") << b[0][c];
    std::cout << "], \"alpha\": ";
    print(found.alpha);
    std::cout << ", \"objective\": " << found.objective << ", \"converged\": " << (found.converged ? "true" : "false") << "}\n";
}

int main() {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    try {
        answer(Reader(text).value());
    } catch (const std::exception &error) {
        std::cout << "{\"error\": \"" << error.what() << "\"}\n";
    }
}
