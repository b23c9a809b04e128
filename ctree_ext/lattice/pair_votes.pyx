"""What the leaves of the last two levels say of new cases, all cases of a node together.

Below a node with k tests, a case ends in one leaf for each pair of tests. Which leaf follows from the sides on which the
case is, and both orders of the two tests lead to the same one, so what they say is added up first. Then the tests are
taken in groups of a few: for each first test, what all second tests of a group say together is worked out once for each
way to be on their sides, and a case looks it up once a group instead of once a test. All terms are positive, so that
nothing is lost by rounding.

`pair_terms` makes of the same numbers terms of a polynomial, which hold for any case.
"""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memset

from ctree_ext.base.bits cimport lowest_bit
from ctree_ext.base.interrupts cimport check_after
from ctree_ext.base.memory cimport pool_raw, pool_resize
from ctree_ext.lattice.pairs cimport pair_counts, pair_scores
from ctree_ext.lattice.polynomial cimport Polynomial
from ctree_ext.lattice.tree_prior cimport log_leaf_prior, split_prior
from ctree_ext.lattice.views cimport side_count

cdef enum:
    MAX_SQUARE = 1024      # tests up to which both orders are added up first, which takes 16 bytes a pair
    # Tests of a group. Larger groups are better with more than a few hundred cases at a node, but not by much, and with
    # groups of one size what is said of a case does not depend on the cases beside it, not even in the last bit.
    WIDTH = 5
    MAX_SMALL = 64         # classes of a polynomial

cdef double TOO_SMALL = 1e-250   # below, products of likelihoods may have lost terms


cdef int votes_init(PairVotes* votes, Pool* pool, const TreePrior* prior, Py_ssize_t n_tests,
                    Py_ssize_t n_cases) noexcept nogil:
    # -1 without memory.
    cdef Py_ssize_t n
    votes.reciprocals = <double*> pool_raw(pool, n_cases + 1, sizeof(double))
    votes.members = <int32_t*> pool_raw(pool, n_tests, sizeof(int32_t))
    votes.member_start = <int32_t*> pool_raw(pool, prior.n_groups + 1, sizeof(int32_t))
    if votes.reciprocals == NULL or votes.members == NULL or votes.member_start == NULL:
        return -1
    for n in range(n_cases + 1):
        votes.reciprocals[n] = 1.0 / (n + prior.classes.total)
    return 0


cdef int _reserve(PairVotes* votes, Pool* pool, Py_ssize_t k, Py_ssize_t n_cases, int n_classes) noexcept nogil:
    # Room for so many tests and cases; -1 without memory.
    cdef Py_ssize_t rows = k if k <= MAX_SQUARE else 1, groups = (k + WIDTH - 1) // WIDTH
    if k > votes.max_tests:
        if not (pool_resize(pool, <void**> &votes.shares, k, sizeof(double))
                and pool_resize(pool, <void**> &votes.both, k, sizeof(double))
                and pool_resize(pool, <void**> &votes.valid, k, sizeof(int32_t))
                and pool_resize(pool, <void**> &votes.leaves, 2 * k * n_classes, sizeof(double))
                and pool_resize(pool, <void**> &votes.coefficients, 4 * k * n_classes, sizeof(double))):
            return -1
        votes.max_tests = k
    if rows * k > votes.max_rows:
        if not pool_resize(pool, <void**> &votes.seconds, 2 * rows * k, sizeof(double)):
            return -1
        votes.max_rows = rows * k
    if groups << WIDTH > votes.max_patterns:
        if not pool_resize(pool, <void**> &votes.table, (groups << WIDTH) * n_classes, sizeof(double)):
            return -1
        votes.max_patterns = groups << WIDTH
    if n_cases * groups > votes.max_cases:
        if not pool_resize(pool, <void**> &votes.patterns, n_cases * groups, sizeof(uint8_t)):
            return -1
        votes.max_cases = n_cases * groups
    return 0


cdef int pair_votes(PairVotes* votes, Pool* pool, const View* view, const TreePrior* prior, Py_ssize_t depth,
                    double weight, const double* first, PairScratch* scratch, Watch* watch,
                    double* class_weights) except -1 nogil:
    # Add to the class weights of the new cases of a node, [new cases, n_classes], what trees say that have one test or
    # two below it. `weight` is ln of what stands around the node, divided by the evidence; `first` is the prior of each
    # test at the node.
    cdef Py_ssize_t k = view.k, n_new = view.counts[view.n_classes], i, start, passing
    cdef Py_ssize_t groups = (k + WIDTH - 1) // WIDTH
    cdef bint square = k <= MAX_SQUARE
    cdef double* seconds
    if _reserve(votes, pool, k, n_new, view.n_classes) < 0:
        with gil:
            raise MemoryError
    votes.log_split = log(split_prior(prior, depth))
    votes.below_split = split_prior(prior, depth + 1)
    votes.below_leaf = log_leaf_prior(prior, depth + 1, True)
    _list_members(votes, view, prior)
    _find_patterns(votes, view, groups)
    check_after(watch, 2 * n_new * k)
    if square:
        for i in range(k):
            check_after(watch, k * (view.n_words + 12))
            pair_counts(view, i, 0, scratch)
            _weigh_row(votes, view, prior, i, weight, first[i], scratch, votes.seconds + 2 * i * k)
    for i in range(k):
        check_after(watch, k * (view.n_words + 12) + (n_new + (4 << WIDTH)) * (groups // 2 + 1))
        start = i + 1 if square else 0
        pair_counts(view, i, start, scratch)
        seconds = votes.seconds
        if not square:
            _weigh_row(votes, view, prior, i, weight, first[i], scratch, seconds)
        _set_coefficients(votes, view, prior, i, start, square, scratch)
        passing = view.ones[view.n_classes * k + i]
        if passing > 0:
            _vote(votes, view, i, True, start, groups, class_weights)
        if passing < n_new:
            _vote(votes, view, i, False, start, groups, class_weights)
    _vote_of_leaves(votes, view, groups, class_weights)
    return 0


cdef int pair_terms(PairVotes* votes, Pool* pool, const View* view, const TreePrior* prior, Py_ssize_t depth,
                    double weight, const double* first, PairScratch* scratch, Watch* watch,
                    Polynomial polynomial) except -1 nogil:
    # Add to the polynomial, which stands at the node, what trees say that have one test or two below it.
    cdef Py_ssize_t k = view.k, i, j, n = view.n_classes, c
    cdef const double* one
    cdef const double* other
    cdef double* linear
    cdef double* constant
    if k > MAX_SQUARE or n > MAX_SMALL:
        with gil:
            raise ValueError("too many tests or classes for a polynomial")
    if _reserve(votes, pool, k, 0, view.n_classes) < 0:
        with gil:
            raise MemoryError
    votes.log_split = log(split_prior(prior, depth))
    votes.below_split = split_prior(prior, depth + 1)
    votes.below_leaf = log_leaf_prior(prior, depth + 1, True)
    _list_members(votes, view, prior)
    for i in range(k):
        check_after(watch, k * (view.n_words + 12))
        pair_counts(view, i, 0, scratch)
        _weigh_row(votes, view, prior, i, weight, first[i], scratch, votes.seconds + 2 * i * k)
    # By the sides of both tests there are four numbers: f00 + (f10 - f00) x + (f01 - f00) y + (f11 - f10 - f01 + f00) x y.
    # Leaves below one test begin with what is said on its sides.
    constant = votes.table
    linear = votes.leaves
    for c in range(n):
        constant[c] = 0.0
    for i in range(k):
        _turn(polynomial, view, i, linear + 2 * i * n)
        for c in range(n):
            constant[c] += linear[2 * i * n + c]
            linear[(2 * i + 1) * n + c] -= linear[2 * i * n + c]
    for i in range(k):
        check_after(watch, k * (view.n_words + 30))
        pair_counts(view, i, i + 1, scratch)
        _set_coefficients(votes, view, prior, i, i + 1, True, scratch)
        for j in range(i + 1, k):
            one = votes.coefficients + 2 * (k + j) * n
            other = votes.coefficients + 2 * j * n
            if polynomial.flips[view.first[i]]:
                one, other = other, one
            _add_pair(polynomial, view, i, j, one, other, linear, constant)
    for i in range(k):
        polynomial.add(view.first[i], -1, linear + (2 * i + 1) * n)
    polynomial.add(-1, -1, constant)
    return 0


cdef inline void _turn(Polynomial polynomial, const View* view, Py_ssize_t i, double* sides) noexcept nogil:
    # What is said on the two sides of a test, so that the side that passes, as the polynomial sees it, comes second.
    cdef int c
    if polynomial.flips[view.first[i]]:
        for c in range(view.n_classes):
            sides[c], sides[view.n_classes + c] = sides[view.n_classes + c], sides[c]


cdef void _add_pair(Polynomial polynomial, const View* view, Py_ssize_t i, Py_ssize_t j, const double* one,
                    const double* other, double* linear, double* constant) noexcept nogil:
    # Two tests: `one` has what is said if the first is passed and the second is not, and if both are, `other` the same if
    # the first is not passed.
    cdef Py_ssize_t n = view.n_classes, c, no = 0, yes = n
    cdef double[MAX_SMALL] both
    if polynomial.flips[view.first[j]]:
        no, yes = n, 0
    for c in range(n):
        constant[c] += other[no + c]
        linear[(2 * i + 1) * n + c] += one[no + c] - other[no + c]
        linear[(2 * j + 1) * n + c] += other[yes + c] - other[no + c]
        both[c] = (one[yes + c] - one[no + c]) - (other[yes + c] - other[no + c])
    polynomial.add(view.first[i], view.first[j], both)


cdef void _list_members(PairVotes* votes, const View* view, const TreePrior* prior) noexcept nogil:
    # The tests of the root that are here, by where they are, group of the prior by group.
    cdef Py_ssize_t g, i, n = 0
    votes.n_members = 0
    if prior.group_start == NULL:
        return
    for g in range(prior.n_groups):
        votes.member_start[votes.n_members] = <int32_t> n
        for i in range(prior.group_start[g], prior.group_start[g + 1]):
            if view.place[prior.group_tests[i]] >= 0:
                votes.members[n] = view.place[prior.group_tests[i]]
                n += 1
        votes.n_members += n > votes.member_start[votes.n_members]
    votes.member_start[votes.n_members] = <int32_t> n


cdef void _find_patterns(PairVotes* votes, const View* view, Py_ssize_t groups) noexcept nogil:
    # The tests of each group that a new case passes, as bits.
    cdef Py_ssize_t n = view.counts[view.n_classes], q, i
    cdef const uint64_t* bits
    cdef uint8_t* pattern
    cdef int place
    memset(votes.patterns, 0, n * groups)
    for q in range(view.k):
        bits = view.bits + q * view.n_words + view.start[view.n_classes]
        pattern = votes.patterns + q // WIDTH
        place = <int> (q % WIDTH)
        for i in range(n):
            pattern[i * groups] |= <uint8_t> ((bits[i >> 6] >> (i & 63) & 1) << place)


cdef double _second_shares(PairVotes* votes, const View* view, const TreePrior* prior) noexcept nogil:
    # The prior of each second test, which those that are valid share, and what they add up to with their likelihoods; the
    # likelihood of those that are not is 0.
    cdef Py_ssize_t k = view.k, g, i, q, count = 0
    cdef int32_t valid
    cdef double total = 0.0, part
    if prior.group_start == NULL:
        for q in range(k):
            votes.shares[q] = view.weights[q]
            count += view.times[q] * votes.valid[q]
            total += view.weights[q] * votes.both[q]
        if prior.uniform or count == 0:
            return total
        part = 1.0 / count
        for q in range(k):
            votes.shares[q] *= part
        return total * part
    for q in range(k):
        votes.shares[q] = 0.0
    for g in range(votes.n_members):
        valid = 0
        for i in range(votes.member_start[g], votes.member_start[g + 1]):
            valid += votes.valid[votes.members[i]]
        if valid == 0:
            continue
        count += 1
        part = 1.0 / valid
        for i in range(votes.member_start[g], votes.member_start[g + 1]):
            votes.shares[votes.members[i]] += part
    if count == 0:
        return 0.0
    part = 1.0 / count
    for q in range(k):
        votes.shares[q] *= part
        total += votes.shares[q] * votes.both[q]
    return total


cdef void _weigh_row(PairVotes* votes, const View* view, const TreePrior* prior, Py_ssize_t i, double weight,
                     double first, PairScratch* scratch, double* row) noexcept nogil:
    # P(test i is here, and a second test on one side of it), [2, k], and what the sides say as leaves; the counts of
    # pairs with test i are there.
    cdef Py_ssize_t k = view.k, j, n
    cdef int c, side
    cdef double[2] log_u
    cdef double[2] leaf
    cdef double probability, part
    cdef bint product = view.n <= prior.max_linear
    if product:
        pair_scores(view, prior, i, 0, True, scratch)
        for side in range(2):
            product = product and _weigh_side(votes, view, prior, i, side, True, scratch, row, leaf, log_u)
    if not product:
        pair_scores(view, prior, i, 0, False, scratch)
        for side in range(2):
            _weigh_side(votes, view, prior, i, side, False, scratch, row, leaf, log_u)
    probability = exp(weight + votes.log_split + log_u[0] + log_u[1]) * first
    for side in range(2):
        for j in range(k):
            row[side * k + j] *= probability
        n = view.totals[i] if side else view.n - view.totals[i]
        part = probability * leaf[side] * votes.reciprocals[n]
        for c in range(view.n_classes):
            votes.leaves[(2 * i + side) * view.n_classes + c] = part * (side_count(view, c, i, side) + prior.classes.alpha)


cdef bint _weigh_side(PairVotes* votes, const View* view, const TreePrior* prior, Py_ssize_t i, int side,
                      bint product, const PairScratch* scratch, double* row, double* leaf,
                      double* log_u) noexcept nogil:
    # For one side of test i, the probability that it is a leaf, and that of each second test; ln u of the side. The
    # likelihoods are there as they are (`product`) or as logarithms; False if as they are they are too small.
    cdef Py_ssize_t k = view.k, j, n = view.totals[i] if side else view.n - view.totals[i]
    cdef const double* scores = scratch.scores + (0 if side else 2 * k)
    cdef const int32_t* sizes = scratch.sizes + (0 if side else 2 * k)
    cdef int32_t least = <int32_t> prior.min_cases
    cdef bint divisible = False
    cdef double likelihood = prior.classes.log_sums[n], most = 0.0, total, split, own
    cdef int c
    for c in range(view.n_classes):
        likelihood += prior.classes.log_gammas[side_count(view, c, i, side)]
    for j in range(k):
        votes.valid[j] = sizes[j] >= least and sizes[k + j] >= least
        divisible |= votes.valid[j]
    if product:
        for j in range(k):
            votes.both[j] = scores[j] * scores[k + j]
    else:
        most = likelihood
        for j in range(k):
            votes.both[j] = scores[j] + scores[k + j]
            most = max(most, votes.both[j])
        for j in range(k):
            votes.both[j] = exp(votes.both[j] - most)
    own = exp(likelihood - most + (votes.below_leaf if divisible else 0.0))
    split = votes.below_split if divisible else 0.0
    total = own + split * _second_shares(votes, view, prior)
    if product and total < TOO_SMALL:
        return False
    log_u[side] = most + log(total)
    leaf[side] = own / total
    split /= total
    for j in range(k):
        row[side * k + j] = split * votes.shares[j] * votes.both[j]
    return True


cdef void _set_coefficients(PairVotes* votes, const View* view, const TreePrior* prior, Py_ssize_t i, Py_ssize_t start,
                            bint square, const PairScratch* scratch) noexcept nogil:
    # What test i and each from `start` on say together, by class and by the sides of both, times the probability of the
    # two: in both orders if `square`, else with test i as the first.
    cdef Py_ssize_t k = view.k, j, row = 2 * i * k if square else 0
    cdef int c, n_classes = view.n_classes, side, second
    cdef double[4] part
    cdef double alpha = prior.classes.alpha, count, with_, other
    cdef double* coefficient = votes.coefficients
    for j in range(start, k):
        for side in range(2):
            for second in range(2):
                part[2 * side + second] = votes.seconds[row + side * k + j]
                if square:
                    part[2 * side + second] += votes.seconds[(2 * j + second) * k + i]
                # `sizes` has the cases that pass both tests, the first only, the second only, and neither
                part[2 * side + second] *= votes.reciprocals[scratch.sizes[(3 - 2 * side - second) * k + j]]
        for c in range(n_classes):
            count = scratch.pairs[c * k + j]
            with_ = view.ones[c * k + i]
            other = view.ones[c * k + j]
            coefficient[(2 * j + 1) * n_classes + c] = part[1] * (other - count + alpha)
            coefficient[2 * j * n_classes + c] = part[0] * (view.counts[c] - with_ - other + count + alpha)
            coefficient[(2 * (k + j) + 1) * n_classes + c] = part[3] * (count + alpha)
            coefficient[2 * (k + j) * n_classes + c] = part[2] * (with_ - count + alpha)


cdef void _fill_table(PairVotes* votes, const double* coefficients, Py_ssize_t k, Py_ssize_t start,
                      Py_ssize_t group, int n_classes) noexcept nogil:
    # What the tests of a group say together, by the sides on which a case is; tests before `start` say nothing.
    cdef Py_ssize_t j, p, c, n = n_classes, place = 0
    cdef double* table = votes.table + (group << WIDTH) * n
    cdef double* other
    cdef const double* one
    memset(table, 0, n * sizeof(double))
    for j in range(group * WIDTH, min((group + 1) * WIDTH, k)):
        one = coefficients + 2 * j * n
        if j < start:
            for p in range(n << place):
                table[(n << place) + p] = table[p]
        elif n == 2:   # most often; so the compiler knows how many there are
            other = table + (2 << place)
            for p in range(1 << place):
                other[2 * p] = table[2 * p] + one[2]
                other[2 * p + 1] = table[2 * p + 1] + one[3]
                table[2 * p] += one[0]
                table[2 * p + 1] += one[1]
        else:
            for p in range(1 << place):
                for c in range(n):
                    table[((1 << place) + p) * n + c] = table[p * n + c] + one[n + c]
                    table[p * n + c] += one[c]
        place += 1


cdef void _vote(PairVotes* votes, const View* view, Py_ssize_t i, bint passed, Py_ssize_t start,
                Py_ssize_t groups, double* class_weights) noexcept nogil:
    # Add what second tests from `start` on say to the new cases on one side of test i.
    cdef Py_ssize_t g, w, case, first = start // WIDTH, block = view.start[view.n_classes], c, n = view.n_classes
    cdef const uint64_t* bits = view.bits + i * view.n_words
    cdef const double* coefficients = votes.coefficients + (2 * view.k * n if passed else 0)
    cdef const double* said
    cdef const uint8_t* pattern
    cdef double* weights
    cdef double one, other, one_more, other_more
    cdef uint64_t word
    for g in range(first, groups):
        _fill_table(votes, coefficients, view.k, start, g, <int> n)
    for w in range(block, view.n_words):
        word = bits[w] if passed else view.valid[w] & ~bits[w]
        while word:
            case = 64 * w + lowest_bit(word)
            weights = class_weights + <Py_ssize_t> view.marks[2 * case + 1] * n
            pattern = votes.patterns + (case - 64 * block) * groups
            if n == 2:
                # Two sums of each, so that an addition need not wait for the one before.
                one = other = one_more = other_more = 0.0
                g = first
                while g + 1 < groups:
                    said = votes.table + 2 * ((g << WIDTH) + pattern[g])
                    one += said[0]
                    other += said[1]
                    said = votes.table + 2 * (((g + 1) << WIDTH) + pattern[g + 1])
                    one_more += said[0]
                    other_more += said[1]
                    g += 2
                if g < groups:
                    said = votes.table + 2 * ((g << WIDTH) + pattern[g])
                    one += said[0]
                    other += said[1]
                weights[0] += one + one_more
                weights[1] += other + other_more
            else:
                for g in range(first, groups):
                    said = votes.table + ((g << WIDTH) + pattern[g]) * n
                    for c in range(n):
                        weights[c] += said[c]
            word &= word - 1


cdef void _vote_of_leaves(PairVotes* votes, const View* view, Py_ssize_t groups,
                          double* class_weights) noexcept nogil:
    # Add what first tests say to all new cases of the node, where the side on which a case is is a leaf.
    cdef Py_ssize_t g, i, at, c, n = view.n_classes, block = 64 * view.start[view.n_classes]
    cdef const double* said
    cdef double* weights
    for g in range(groups):
        _fill_table(votes, votes.leaves, view.k, 0, g, <int> n)
    for i in range(view.counts[view.n_classes]):
        at = <Py_ssize_t> view.marks[2 * (block + i) + 1]
        weights = class_weights + at * n
        for g in range(groups):
            said = votes.table + ((g << WIDTH) + votes.patterns[i * groups + g]) * n
            for c in range(n):
                weights[c] += said[c]
