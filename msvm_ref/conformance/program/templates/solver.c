/* A multi-class SVM behind the protocol of msvm_ref: the WW machine with no or a penalized bias, by dual coordinate ascent.
 *
 *     min 1/2 ||W||^2 + sum_i C_i sum_{c != y_i} max(0, 1 - 1/2 (f_{y_i} - f_c)),    C_i = C weight_i
 *
 *     cc -O2 -o my_svm my_svm.c -lm && msvm-ref validate --command ./my_svm --machine WW --tolerance 1e-6
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON, as much of it as the protocol needs: a value is a number, a text, a list, an object, or something else ---- */
typedef enum { NUMBER, TEXT, LIST, OBJECT, OTHER } Kind;
typedef struct Value {
    Kind kind;
    double number;
    char *text;
    size_t count;
    struct Value *items; /* of a list, or the values of an object */
    char **names;        /* of an object */
} Value;

static void refuse(const char *why) {
    printf("{\"error\": \"%s\"}\n", why);
    exit(0);
}

static void *get(size_t bytes) {
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (memory == NULL) refuse("out of memory");
    return memory;
}

static const char *space(const char *s) {
    while (isspace((unsigned char)*s)) s++;
    return s;
}

static const char *read_text(const char *s, char **out) {
    const char *end = ++s;
    while (*end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
    if (*end != '"') refuse("a text without an end");
    *out = get((size_t)(end - s) + 1);
    memcpy(*out, s, (size_t)(end - s));
    return end + 1;
}

static const char *read_value(const char *s, Value *out, int depth) {
    memset(out, 0, sizeof *out);
    s = space(s);
    if (depth > 100) refuse("nested too deeply");
    if (*s == '"') {
        out->kind = TEXT;
        return read_text(s, &out->text);
    }
    if (*s == '[' || *s == '{') {
        int object = *s == '{';
        size_t room = 0;
        out->kind = object ? OBJECT : LIST;
        s = space(s + 1);
        while (*s != (object ? '}' : ']')) {
            if (out->count == room) {
                room = room ? 2 * room : 8;
                out->items = realloc(out->items, room * sizeof *out->items);
                out->names = realloc(out->names, room * sizeof *out->names);
                if (out->items == NULL || out->names == NULL) refuse("out of memory");
            }
            if (object) {
                if (*s != '"') refuse("not JSON");
                s = space(read_text(s, &out->names[out->count]));
                if (*s++ != ':') refuse("not JSON");
            }
            s = space(read_value(s, &out->items[out->count++], depth + 1));
            if (*s == ',') s = space(s + 1);
            else if (*s != (object ? '}' : ']')) refuse("not JSON");
        }
        return s + 1;
    }
    char *end;
    out->number = strtod(s, &end);
    if (end != s && (isdigit((unsigned char)*s) || *s == '-')) {
        out->kind = NUMBER;
        return end;
    }
    out->kind = OTHER; /* true, false, null */
    while (isalpha((unsigned char)*s)) s++;
    if (s == end) refuse("not JSON");
    return s;
}

static const Value *field(const Value *object, const char *name) {
    for (size_t k = 0; k < object->count; k++)
        if (strcmp(object->names[k], name) == 0) return &object->items[k];
    return NULL;
}

static const char *word(const Value *object, const char *name, const char *otherwise) {
    const Value *value = field(object, name);
    return value != NULL && value->kind == TEXT ? value->text : otherwise;
}

static double number(const Value *value) {
    if (value == NULL || value->kind != NUMBER || !isfinite(value->number)) refuse("numbers must be finite");
    return value->number;
}

/* ---- the solver: 1 where the relative duality gap reached the tolerance ---- */
static int solve(const double *X, const int *y, const double *C, int n, int p, int d, double *W, double *alpha, double *objective) {
    for (int pass = 0; pass < 20000; pass++) {
        for (int i = 0; i < n; i++) {
            const double *x = X + (size_t)i * p;
            double square = 0;
            for (int k = 0; k < p; k++) square += x[k] * x[k];
            for (int c = 0; c < d; c++) {
                if (c == y[i]) continue;
                double margin = 0, *a = &alpha[i * d + c];
                for (int k = 0; k < p; k++) margin += x[k] * (W[k * d + y[i]] - W[k * d + c]) / 2;
                double step = square > 0 ? 2 * (1 - margin) / square : C[i];
                double next = fmin(fmax(*a + step, 0), C[i]), change = (next - *a) / 2;
                *a = next;
                for (int k = 0; k < p; k++) {
                    W[k * d + y[i]] += change * x[k];
                    W[k * d + c] -= change * x[k];
                }
            }
        }
        double half = 0, loss = 0, gain = 0;
        for (int k = 0; k < p * d; k++) half += W[k] * W[k] / 2;
        for (int i = 0; i < n; i++)
            for (int c = 0; c < d; c++) {
                double margin = 0;
                if (c == y[i]) continue;
                for (int k = 0; k < p; k++) margin += X[(size_t)i * p + k] * (W[k * d + y[i]] - W[k * d + c]) / 2;
                loss += C[i] * fmax(0, 1 - margin);
                gain += alpha[i * d + c];
            }
        *objective = half + loss;
        if (half + loss - (gain - half) <= 1e-8 * (half + loss)) return 1;
    }
    return 0;
}

static void print_rows(const double *values, int rows, int d) {
    printf("[");
    for (int i = 0; i < rows; i++) {
        printf(i ? ", [" : "[");
        for (int c = 0; c < d; c++) printf(c ? ", %.17g" : "%.17g", values[i * d + c]);
        printf("]");
    }
    printf("]");
}

int main(void) {
    size_t size = 0, room = 1 << 16;
    char *text = get(room);
    for (size_t got; (got = fread(text + size, 1, room - size - 1, stdin)) > 0;) {
        size += got;
        if (size + 1 == room && (text = realloc(text, room *= 2)) == NULL) refuse("out of memory");
    }
    text[size] = 0;
    Value task;
    read_value(text, &task, 0);
    if (task.kind != OBJECT) refuse("not a JSON object");
    if (strcmp(word(&task, "machine", "WW"), "WW") || strcmp(word(&task, "cost", ""), "linear") || strcmp(word(&task, "convention", ""), "UV"))
        refuse("only the WW machine, linear cost, convention UV");
    const char *bias = word(&task, "bias", "none");
    if (strcmp(bias, "free") == 0) refuse("no free bias");
    const Value *rows = field(&task, "X"), *labels = field(&task, "y"), *weight = field(&task, "sample_weight");
    if (rows == NULL || rows->kind != LIST || rows->count == 0 || labels == NULL || labels->count != rows->count || rows->items[0].count == 0)
        refuse("X must be n rows of p numbers, y n labels");
    int n = (int)rows->count, given = (int)rows->items[0].count, penalized = strcmp(bias, "penalized") == 0;
    int p = given + penalized, d = (int)number(field(&task, "n_classes")), *y = get(sizeof *y * n);
    double *X = get(sizeof *X * n * p), *C = get(sizeof *C * n), *W = get(sizeof *W * p * d), *alpha = get(sizeof *alpha * n * d);
    for (int i = 0; i < n; i++) {
        if ((int)rows->items[i].count != given) refuse("X must be n rows of p numbers");
        for (int k = 0; k < given; k++) X[i * p + k] = number(&rows->items[i].items[k]);
        if (penalized) X[i * p + given] = 1;
        y[i] = (int)number(&labels->items[i]);
        if (y[i] < 0 || y[i] >= d) refuse("labels must lie below n_classes");
        C[i] = number(field(&task, "C")) * (weight == NULL ? 1 : number(&weight->items[i]));
    }
    if (!(number(field(&task, "C")) > 0)) refuse("C must be positive");
    double objective = 0;
    int converged = solve(X, y, C, n, p, d, W, alpha, &objective);
    printf("{\"W\": ");
    print_rows(W, given, d);
    printf(", \"b\": [");
    for (int c = 0; c < d; c++) printf(c ? ", %.17g" : "%.17g", penalized ? W[given * d + c] : 0.0);
    printf("], \"alpha\": ");
    print_rows(alpha, n, d);
    printf(", \"objective\": %.17g, \"converged\": %s}\n", objective, converged ? "true" : "false");
    return 0;
}
