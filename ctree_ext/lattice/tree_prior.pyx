"""The prior of trees and the likelihood of their leaves, as tables."""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t

from ctree_ext.base.bayes cimport dirichlet_init
from ctree_ext.base.memory cimport Pool, pool_raw, pool_zeroed
from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.lattice.bitblocks cimport exp_sum, greatest
from ctree_ext.lattice.views cimport View

follow_processor(own_level())


cdef int prior_init(TreePrior* prior, Pool* pool, int n_classes, double alpha, Py_ssize_t n) noexcept nogil:
    # Make the tables for counts up to n; -1 without memory.
    cdef Py_ssize_t k
    cdef double scale = log(<double> MAX_LINEAR) - 1.0
    if dirichlet_init(&prior.classes, pool, n_classes, alpha, n, True) < 0:
        return -1
    prior.log_leaf_sums = <double*> pool_raw(pool, n + 1, sizeof(double))
    prior.gammas = <double*> pool_raw(pool, MAX_LINEAR + 1, sizeof(double))
    prior.leaf_sums = <double*> pool_raw(pool, MAX_LINEAR + 1, sizeof(double))
    if prior.log_leaf_sums == NULL or prior.gammas == NULL or prior.leaf_sums == NULL:
        return -1
    for k in range(n + 1):
        prior.log_leaf_sums[k] = -INFINITY
        if k >= prior.min_cases:
            prior.log_leaf_sums[k] = prior.classes.log_sums[k] + log_last_prior(prior, k)
    prior.max_linear = -1
    for k in range(min(n, MAX_LINEAR) + 1):
        prior.gammas[k] = exp(prior.classes.log_gammas[k] - k * scale)
        prior.leaf_sums[k] = exp(prior.log_leaf_sums[k] + k * scale)
        # The least factor of MAX_LINEAR cases is near exp(-MAX_LINEAR / e); a large alpha takes them out of the range.
        if (prior.max_linear == k - 1 and -700 < prior.classes.log_gammas[k] - k * scale < 700
                and -700 < prior.classes.log_sums[k] + k * scale < 700):
            prior.max_linear = k
    return _fill_table(prior, pool, n) if n_classes == 2 else 0


cdef int _fill_table(TreePrior* prior, Pool* pool, Py_ssize_t n) noexcept nogil:
    # The likelihood of leaves of two classes; -1 without memory.
    cdef Py_ssize_t k, a, b
    prior.table = <double*> pool_raw(pool, TABLE_SIDE * TABLE_SIDE, sizeof(double))
    prior.log_table = <double*> pool_raw(pool, TABLE_SIDE * TABLE_SIDE, sizeof(double))
    if prior.table == NULL or prior.log_table == NULL:
        return -1
    for a in range(TABLE_SIDE):
        for b in range(TABLE_SIDE):
            k = a * TABLE_SIDE + b
            prior.log_table[k] = -INFINITY
            if a + b <= n:
                prior.log_table[k] = (prior.log_leaf_sums[a + b] + prior.classes.log_gammas[a]
                                      + prior.classes.log_gammas[b])
            prior.table[k] = exp(prior.log_table[k])
    return 0


cdef int prior_groups(TreePrior* prior, Pool* pool, const int32_t* groups, Py_ssize_t n_tests) noexcept nogil:
    # List the tests of each group; groups are numbered from 0. Where each test is alone, there are no groups. -1 without
    # memory.
    cdef Py_ssize_t t, g, n_groups = 0
    for t in range(n_tests):
        n_groups = max(n_groups, groups[t] + 1)
    if n_groups == n_tests or prior.uniform:
        return 0
    prior.group_start = <int32_t*> pool_zeroed(pool, n_groups + 2, sizeof(int32_t))
    prior.group_tests = <int32_t*> pool_raw(pool, n_tests, sizeof(int32_t))
    if prior.group_start == NULL or prior.group_tests == NULL:
        return -1
    for t in range(n_tests):
        prior.group_start[groups[t] + 2] += 1
    for g in range(2, n_groups + 2):
        prior.group_start[g] += prior.group_start[g - 1]
    for t in range(n_tests):
        prior.group_tests[prior.group_start[groups[t] + 1]] = <int32_t> t
        prior.group_start[groups[t] + 1] += 1
    prior.n_groups = n_groups
    return 0


cdef void test_probabilities(const TreePrior* prior, const View* view, double* merged, double* largest) noexcept nogil:
    # The probability of each different test if the node is divided: that of all equivalent ones together, and that of the
    # most probable one of them. Under the uniform prior all are 1.
    cdef Py_ssize_t q, g, i, valid, groups = 0, count = 0
    for q in range(view.k):
        merged[q] = largest[q] = 0.0
        count += view.times[q]
    if prior.uniform:
        for q in range(view.k):
            merged[q] = view.weights[q]
            largest[q] = 1.0
        return
    if prior.group_start == NULL:
        for q in range(view.k):
            merged[q] = view.weights[q] / count
            largest[q] = 1.0 / count
        return
    for g in range(prior.n_groups):
        valid = 0
        for i in range(prior.group_start[g], prior.group_start[g + 1]):
            valid += view.place[prior.group_tests[i]] >= 0
        if valid == 0:
            continue
        groups += 1
        for i in range(prior.group_start[g], prior.group_start[g + 1]):
            q = view.place[prior.group_tests[i]]
            if q >= 0:
                merged[q] += 1.0 / valid
                largest[q] = max(largest[q], 1.0 / valid)
    for q in range(view.k):
        merged[q] /= groups
        largest[q] /= groups


cdef void single_probabilities(const TreePrior* prior, const View* view, const double* logs,
                               double* probabilities) noexcept nogil:
    # The probability of each test of the root if the node is divided; only those whose logarithm is finite are valid (all
    # that are in the view, if `logs` is NULL).
    cdef Py_ssize_t q, g, i, t, valid, groups = 0, count = 0
    for t in range(view.n_tests):
        q = view.place[t]
        probabilities[t] = 1.0 if q >= 0 and (logs == NULL or logs[q] > -INFINITY) else 0.0
        count += probabilities[t] > 0
    if prior.uniform:
        return
    if prior.group_start == NULL:
        for t in range(view.n_tests):
            probabilities[t] /= max(count, 1)
        return
    for g in range(prior.n_groups):
        valid = 0
        for i in range(prior.group_start[g], prior.group_start[g + 1]):
            valid += probabilities[prior.group_tests[i]] > 0
        groups += valid > 0
        for i in range(prior.group_start[g], prior.group_start[g + 1]):
            probabilities[prior.group_tests[i]] /= max(valid, 1)
    for t in range(view.n_tests):
        probabilities[t] /= max(groups, 1)


cdef double grouped_sum(const TreePrior* prior, const View* view, const double* logs) noexcept nogil:
    # ln of the sum of all exp(logs), each weighted by its probability among the valid ones (those that are finite).
    cdef Py_ssize_t q, g, i, valid, groups = 0
    cdef int32_t count = 0
    cdef double most = greatest(logs, view.times, view.k, &count), total = 0.0, part
    if most == -INFINITY:
        return most
    if prior.group_start == NULL:
        return most + log(exp_sum(logs, view.weights, view.k, most)) - (0.0 if prior.uniform else log(<double> count))
    for g in range(prior.n_groups):
        valid = 0
        part = 0.0
        for i in range(prior.group_start[g], prior.group_start[g + 1]):
            q = view.place[prior.group_tests[i]]
            if q >= 0 and logs[q] > -INFINITY:
                valid += 1
                if logs[q] > most - 45.0:
                    part += exp(logs[q] - most)
        if valid:
            groups += 1
            total += part / valid
    return most + log(total / groups)


cdef double grouped_max(const TreePrior* prior, const View* view, const double* logs) noexcept nogil:
    # ln of the greatest exp(logs), each weighted by its probability as a single test.
    cdef Py_ssize_t q, g, i, valid, groups = 0, count = 0
    cdef double most = -INFINITY, part
    if prior.group_start == NULL:
        for q in range(view.k):
            if logs[q] > -INFINITY:
                count += view.times[q]
                most = max(most, logs[q])
        return most - (0.0 if prior.uniform or count == 0 else log(<double> count))
    for g in range(prior.n_groups):
        valid = 0
        part = -INFINITY
        for i in range(prior.group_start[g], prior.group_start[g + 1]):
            q = view.place[prior.group_tests[i]]
            if q >= 0 and logs[q] > -INFINITY:
                valid += 1
                part = max(part, logs[q])
        if valid:
            groups += 1
            most = max(most, part - log(<double> valid))
    return most - (log(<double> groups) if groups else 0.0)
