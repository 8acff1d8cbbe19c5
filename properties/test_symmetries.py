"""What must not change when the data are reordered, duplicated, scaled, rotated or shifted (all exactly, in dyadics)."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.conformance.strategies import machines, numbers, problems

linear_problems = problems(kernels=(mr.linear,))


def relabelled(machine, d, order):
    """The machine whose class order[c] plays the part class c plays in ``machine``."""
    if machine.fixed_d is None:
        return machine
    back = np.argsort(order)
    nu, gamma = (np.array(part, dtype=object) for part in (machine.nu(d), machine.gamma(d)))
    return replace(machine, margin=nu[np.ix_(back, back, back)], target=gamma[np.ix_(back, back)])


@given(linear_problems, st.randoms(use_true_random=False))
def test_order_of_examples_does_not_matter(same_value, same_weights, problem, random):
    order = random.sample(range(problem.n), problem.n)
    weight = None if problem.sample_weight is None else problem.sample_weight[order]
    shuffled = replace(problem, X=problem.X[order], y=problem.y[order], sample_weight=weight)
    a, b = mr.solve(problem), mr.solve(shuffled)
    same_value(a, b)
    same_weights(a, b)


@given(linear_problems, st.data())
def test_names_of_classes_do_not_matter(same_value, same_weights, problem, data):
    order = np.array(data.draw(st.permutations(range(problem.d))))
    renamed = replace(
        problem, machine=relabelled(problem.machine, problem.d, order), y=order[problem.y]
    )
    a, b = mr.solve(problem), mr.solve(renamed)
    same_value(a, b)
    same_weights(a, b, lambda W: W[:, np.argsort(order)])


@given(linear_problems, st.data())
def test_duplicating_an_example_doubles_its_weight(same_value, same_weights, problem, data):
    i = data.draw(st.integers(0, problem.n - 1))
    weight = np.ones(problem.n) if problem.sample_weight is None else problem.sample_weight
    heavy = replace(problem, sample_weight=weight * np.where(np.arange(problem.n) == i, 2.0, 1.0))
    twice = replace(
        problem,
        X=np.vstack([problem.X, problem.X[i]]),
        y=np.append(problem.y, problem.y[i]),
        sample_weight=np.append(weight, weight[i]),
    )
    a, b = mr.solve(heavy), mr.solve(twice)
    same_value(a, b)
    same_weights(a, b)


@given(linear_problems)
def test_an_example_of_weight_zero_might_as_well_be_absent(same_value, same_weights, problem):
    ignored = replace(
        problem,
        X=np.vstack([problem.X, problem.X[0] + 1]),
        y=np.append(problem.y, problem.d - 1),
        sample_weight=np.append(problem.costs / problem.C, 0.0),
    )
    a, b = mr.solve(problem), mr.solve(ignored)
    same_value(a, b)
    same_weights(a, b)


@given(problems(kernels=(mr.linear,), biases=("none", "free")), st.sampled_from((2, 4, 0.5, 0.25)))
def test_scaling_x_by_s_and_c_by_its_inverse_square_scales_the_optimum(
    same_value, same_weights, problem, s
):
    a, b = mr.solve(problem), mr.solve(replace(problem, X=problem.X * s, C=problem.C / s**2))
    same_value(a, b, s**-2)
    same_weights(a, b, lambda W: W / s, 1 / s)


@given(linear_problems)
def test_rotating_x_rotates_w(same_value, same_weights, fractions, problem):
    """3-4-5: X times 5 and X times 5R are both exact."""
    X = np.column_stack([problem.X, np.zeros(problem.n)])
    five_R = np.eye(X.shape[1]) * 5
    five_R[:2, :2] = [[3, -4], [4, 3]]
    a, b = mr.solve(replace(problem, X=5 * X)), mr.solve(replace(problem, X=X @ five_R))
    same_value(a, b)
    same_weights(a, b, lambda W: fractions(five_R.T).dot(W) / 5)


@given(problems(kernels=(mr.linear,), biases=("free",)), st.data())
def test_translating_x_changes_nothing_but_a_free_bias(same_value, same_weights, problem, data):
    shift = data.draw(
        st.lists(numbers(16), min_size=problem.X.shape[1], max_size=problem.X.shape[1])
    )
    a, b = mr.solve(problem), mr.solve(replace(problem, X=problem.X + shift))
    same_value(a, b)
    same_weights(a, b)


@given(problems(machines(), kernels=(mr.linear,)))
def test_linear_kernel_is_its_own_gram_matrix(same_value, problem):
    """Small dyadics: the Gram matrix is exact, and its Cholesky factor to ``residual``."""
    gram = replace(problem, X=problem.gram, kernel=mr.precomputed)
    a, b = mr.solve(problem), mr.solve(gram)
    if gram.factor.residual == 0:
        same_value(a, b)
