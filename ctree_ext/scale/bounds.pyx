"""What a cut between two others can score at most, given the class weights below the first and between the two."""

from libc.math cimport INFINITY, log, log2

from ctree_ext.grow.split_scores cimport BAYES, ScoreFunction, Terms, term, total

cdef enum:
    MAX_CORNERS = 6          # classes between the two cuts for which all corners of the box are tried


cdef double _digamma(double x) noexcept nogil:
    # The derivative of ln Γ.
    cdef double result = 0.0, square
    while x < 12:
        result -= 1 / x
        x += 1
    square = 1 / (x * x)
    return result + log(x) - 0.5 / x - square * (1.0 / 12 - square * (1.0 / 120 - square / 252))


cdef double sum_bound(const double* low, const double* counts, const double* known, int n_classes, double start,
                      double size, double n, const Terms* below, const ScoreFunction* function) noexcept nogil:
    # N·gain and the Bayes factor, before the score of the node is taken away. With a weight T below a cut, l of a class,
    # it scores sum h(l) - G(T), both convex. G lies above its tangent in the middle, of slope s; what is left,
    # h(l) - s l per class, is greatest at one of the two ends.
    cdef double T = start + size / 2, slope, bound, left, right, high
    cdef int c
    if function.kind == BAYES:
        slope = _digamma(T + function.prior_weight) - _digamma(max(n - T, 0.0) + function.prior_weight)
    else:
        slope = log2(T) - log2(max(n - T, 1e-300))
    bound = slope * T - total(T, function) - total(max(n - T, 0.0), function)
    for c in range(n_classes):
        high = low[c] + counts[c]
        left = term(low[c], below, function) + term(max(known[c] - low[c], 0.0), below, function) - slope * low[c]
        right = term(high, below, function) + term(max(known[c] - high, 0.0), below, function) - slope * high
        bound += max(left, right)
    return bound


cdef double chi_square_bound(const double* low, const double* counts, const double* known, int n_classes, double start,
                             double size, double n, double least) noexcept nogil:
    # Chi-square is N (sum l² / (n T) + sum (n - l)² / (n (N - T)) - 1), convex in the weights l, so that it is greatest
    # at a corner of the box. Where these are too many, l² is taken for its chord, and what T has more than at one end
    # for the class that adds most: then each of the two sums is greatest at an end, which is by `least` or more from
    # the cuts given. Of a side of next to no weight, a sum of squares over it is at most 1.
    cdef int c, n_moving = 0, corner, i
    cdef int[MAX_CORNERS] moving
    cdef double L = 0.0, H = 0.0, best = -INFINITY, below, above, x, m, T, rise = 0.0, fall = INFINITY, end
    for c in range(n_classes):
        m = known[c]
        if m <= 0:
            continue
        x = low[c]
        if counts[c] > 0:
            if n_moving < MAX_CORNERS:
                moving[n_moving] = c
            n_moving += 1
            rise = max(rise, (2 * x + counts[c]) / m)
            fall = min(fall, (2 * (m - x) - counts[c]) / m)
        L += x * x / m
        H += (m - x) * (m - x) / m
    if n_moving <= MAX_CORNERS:
        for corner in range(1 << n_moving):
            below = L
            above = H
            T = start
            for i in range(n_moving):
                if corner >> i & 1:
                    c = moving[i]
                    m = known[c]
                    x = low[c]
                    below += counts[c] * (2 * x + counts[c]) / m
                    above -= counts[c] * (2 * (m - x) - counts[c]) / m
                    T += counts[c]
            below = below / T if T > 1e-9 * n else 1.0 if T > 0 else 0.0
            above = above / (n - T) if n - T > 1e-9 * n else 0.0 if least > 0 and T == n else 1.0
            best = max(best, below + above)
        return n * (best - 1)
    end = start + size - least
    start += least
    if start <= 1e-9 * n or n - end <= 1e-6 * n and least == 0:
        return INFINITY
    L = max((L + rise * least) / start, (L + rise * (size - least)) / end)
    H = max((H - fall * least) / (n - start), (H - fall * (size - least)) / (n - end))
    return n * (L + H - 1)
