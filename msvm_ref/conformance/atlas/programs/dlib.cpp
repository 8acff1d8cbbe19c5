// dlib's svm_multiclass_linear_trainer: 1/2 (||W||^2 + ||b||^2) + C/n sum_i max_c [1 - (f_y - f_c)]_+, f = Wx - b.
// In:  n p C epsilon, then n lines "label x_1 ... x_p".   Out: p lines of d weights (columns in the order of the labels), then b.
#include <dlib/svm_threaded.h>
#include <iomanip>
#include <iostream>
#include <map>
#include <vector>

int main() {
    using vector = dlib::matrix<double, 0, 1>;
    long n, p;
    double C, epsilon;
    std::cin >> n >> p >> C >> epsilon;
    std::vector<vector> rows(n, vector(p));
    std::vector<double> labels(n);
    for (long i = 0; i < n; ++i) {
        std::cin >> labels[i];
        for (long k = 0; k < p; ++k) std::cin >> rows[i](k);
    }
    dlib::svm_multiclass_linear_trainer<dlib::linear_kernel<vector>, double> trainer;
    trainer.set_c(C);
    trainer.set_epsilon(epsilon);
    trainer.set_max_iterations(1000000);
    trainer.set_num_threads(1);
    const auto learned = trainer.train(rows, labels);
    std::map<double, long> place;
    for (long c = 0; c < (long)learned.labels.size(); ++c) place[learned.labels[c]] = c;
    std::cout << std::setprecision(17);
    for (long k = 0; k < p; ++k) {
        for (const auto& c : place) std::cout << learned.weights(c.second, k) << ' ';
        std::cout << '\n';
    }
    for (const auto& c : place) std::cout << learned.b(c.second) << ' ';
    std::cout << '\n';
}
