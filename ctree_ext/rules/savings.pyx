"""What each change of the chosen rules would save, without looking closely at those that cannot be the best.

The bits of the exceptions depend on how many cases are covered, of other classes and of the own. With every case that
comes or goes, those of all changes differ; but what a change saves differs little, the less the fewer cases it is about
and the more are covered and not covered. So what has been estimated once bounds what can be saved for some time to come,
and only changes that could be the best, or whose bound is too old, are estimated again.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport llabs

from ctree_ext.base.memory cimport Memory
from ctree_ext.base.numeric cimport LN2
from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.rules.changes cimport FEW, LOOSE, N_KINDS, Changes, is_dropped, loose_number, merit_of, rule_of
from ctree_ext.rules.code_length cimport RoughExceptions, rough_exceptions

cdef extern from "savingloops.h" nogil:
    double most_now(const double* estimate, const double* drift, const double* until, Py_ssize_t n, double moved,
                    double* most, int* any_late)
    Py_ssize_t at_least(const double* numbers, Py_ssize_t n, double least, int32_t* places)


follow_processor(own_level())

cdef double FAR = 2.0 ** 20   # cases that come and go until they are counted anew


cdef class Savings:
    """The savings of rules by their changes.

    Parameters
    ----------
    changes : Changes
    rough : RoughExceptions
    n_own : int
        The cases of the class.
    """

    def __cinit__(self, Changes changes not None, RoughExceptions rough not None, Py_ssize_t n_own):
        cdef Py_ssize_t side, most = FEW * FEW + changes.n_rules
        cdef Memory memory = Memory()
        self.memory = memory
        self.changes, self.rough = changes, rough
        self.n_all, self.n_own = rough.table.n, n_own
        self.place = <int32_t*> memory.raw(changes.n_numbers, sizeof(int32_t))
        self.found = <int32_t*> memory.raw(most, sizeof(int32_t))
        for side in range(2):
            self.sides[side].of = <int32_t*> memory.raw(most, sizeof(int32_t))
            self.sides[side].at = <Py_ssize_t*> memory.raw(most, sizeof(Py_ssize_t))
            self.sides[side].merit = <double*> memory.raw(most, sizeof(double))
            self.sides[side].estimate = <double*> memory.raw(most, sizeof(double))
            self.sides[side].drift = <double*> memory.raw(most, sizeof(double))
            self.sides[side].until = <double*> memory.raw(most, sizeof(double))
            self.sides[side].most = <double*> memory.raw(most, sizeof(double))

    cdef void clear(self, Py_ssize_t others, Py_ssize_t own) noexcept nogil:
        # No rules any more, and so many cases covered.
        cdef Py_ssize_t i
        for i in range(self.changes.n_numbers):
            self.place[i] = -1
        self.sides[0].n = self.sides[1].n = 0
        self.others, self.own = others, own
        self.move(0, 0)
        self.moved = 0.0

    cdef void move(self, Py_ssize_t others, Py_ssize_t own) noexcept nogil:
        # So many more cases are covered, or less.
        self.others += others
        self.own += own
        self.moved += llabs(others) + llabs(own)
        if self.moved > FAR:
            self.count_anew()
        self.coverage += 1
        self.exceptions = rough_exceptions(&self.rough.table, self.others + self.own, self.others, self.n_own - self.own)

    cdef void count_anew(self) noexcept nogil:
        # From here on, so that what `drift` makes of many cases does not take the last digits of the estimates.
        cdef Estimates* estimates
        cdef Py_ssize_t i
        cdef int side
        for side in range(2):
            estimates = &self.sides[side]
            for i in range(estimates.n):
                estimates.estimate[i] += estimates.drift[i] * self.moved
                estimates.until[i] -= self.moved
        self.moved = 0.0

    cdef void update(self) noexcept nogil:
        # After `changes` have changed.
        cdef Py_ssize_t i
        for i in range(self.changes.n_marked):
            self.changes.is_marked[self.changes.marked[i]] = False
            self.put(self.changes.marked[i])
        self.changes.n_marked = 0

    cdef void put(self, int32_t number) noexcept nogil:
        # A heap or a rule, or out with it.
        cdef int side = is_dropped(number)
        cdef Estimates* estimates = &self.sides[side]
        cdef Py_ssize_t place = self.place[number], rule
        cdef bint is_there
        cdef double merit
        if number < N_KINDS:
            is_there = self.changes.heaps[number].n > 0
            merit = self.changes.best[number]
        else:
            rule = rule_of(number)
            is_there = self.changes.kind[rule] == LOOSE + side
            merit = self.changes.bits[rule] if side else -self.changes.bits[rule]
        if not is_there:
            if place >= 0:
                self.take_out(side, place)
            return
        if place >= 0 and number < N_KINDS:
            # Another rule that would change the same.
            estimates.estimate[place] += 0.5 * (merit - estimates.merit[place])
            estimates.merit[place] = merit
            return
        if place < 0:
            place = estimates.n
            estimates.n += 1
            estimates.of[place] = number
            self.place[number] = <int32_t> place
        estimates.merit[place] = merit
        self.estimate(side, place)

    cdef void take_out(self, int side, Py_ssize_t place) noexcept nogil:
        # The last takes its place.
        cdef Estimates* estimates = &self.sides[side]
        cdef Py_ssize_t last = estimates.n - 1
        cdef int32_t number = estimates.of[place]
        self.place[estimates.of[last]] = <int32_t> place
        self.place[number] = -1
        estimates.of[place], estimates.merit[place] = estimates.of[last], estimates.merit[last]
        estimates.estimate[place], estimates.drift[place] = estimates.estimate[last], estimates.drift[last]
        estimates.until[place], estimates.at[place] = estimates.until[last], estimates.at[last]
        estimates.n = last

    cdef void estimate(self, int side, Py_ssize_t place) noexcept nogil:
        # What the change saves with the cases that are covered now, but for what is the same for all of a side.
        cdef Estimates* estimates = &self.sides[side]
        cdef int32_t number = estimates.of[place]
        cdef const Change* change
        cdef Py_ssize_t others, own
        if number < N_KINDS:
            own, others = number % FEW, number // FEW % FEW
        else:
            change = &self.change[rule_of(number)]
            others, own = change.cases[0], change.cases[1]
        if side:
            others, own = -others, -own
        estimates.most[place] = 0.5 * estimates.merit[place] + self.exceptions - rough_exceptions(
            &self.rough.table, self.others + self.own + others + own, self.others + others, self.n_own - self.own - own)
        self.bound(estimates, place, others, own)
        estimates.estimate[place] = estimates.most[place] - estimates.drift[place] * self.moved
        estimates.at[place] = self.coverage

    cdef void bound(self, Estimates* estimates, Py_ssize_t place, Py_ssize_t others, Py_ssize_t own) noexcept nogil:
        # By how much it can grow with every case that comes or goes, and for how many. What a change saves is a difference
        # of the bits at two places, of which both move; it grows by the difference of their slopes, and that is at most
        # the second derivatives between times the way from one place to the other. The bits are sums of k log k, for the
        # numbers k of cases covered, not covered, and right or wrong in the smaller part, and of two more terms,
        # log2 of all errors for those in the larger part, and log2 of what is left of twice the larger part for the cases
        # there that are right. All these numbers may change by a quarter, which makes their inverses a third greater.
        cdef Py_ssize_t covered = self.others + self.own, left = self.n_all - covered, change = others + own
        cdef Py_ssize_t missed = self.n_own - self.own, errors = self.others + missed, errors_after = errors + others - own
        cdef Py_ssize_t larger = max(covered, left), larger_after = max(covered + change, left - change)
        cdef Py_ssize_t room, wrong, right, size = llabs(others) + llabs(own), both, rest
        cdef double slopes = 0.0
        cdef bint most = 2 * covered > self.n_all
        estimates.drift[place] = 0.0
        if size == 0:
            estimates.until[place] = INFINITY
            return
        estimates.until[place] = self.moved
        # The bits have two formulas, by which part is larger, and are exact where most are errors.
        if self.rough.table.logs == NULL or most != (2 * (covered + change) > self.n_all):
            return
        room = (min(llabs(2 * covered - self.n_all), llabs(2 * (covered + change) - self.n_all)) - 1) // 2
        room = min(room, min(larger - errors, larger_after - errors_after) // 2)
        both = min(errors, errors_after)
        rest = min(2 * larger - errors, 2 * larger_after - errors_after)
        room = min(room, min(both // 4, rest // 12))
        if room <= 0:
            return
        if most:
            wrong, right = self.n_all - self.n_own - self.others, missed
            wrong, right = min(wrong, wrong - others), min(right, right - own)
        else:
            wrong, right = min(self.others, self.others + others), min(self.own, self.own + own)
        if others:
            room = min(room, wrong // 4)
            slopes = llabs(others) / max(<double> wrong, 1.0)
        if own:
            room = min(room, right // 4)
            slopes = max(slopes, llabs(own) / max(<double> right, 1.0))
        if change:
            covered, left = min(covered, covered + change), min(left, left - change)
            room = min(room, min(covered, left) // 4)
            slopes += llabs(change) * (1.0 / max(<double> covered, 1.0) + 1.0 / max(<double> left, 1.0))
        if room <= 0:
            return
        slopes += size * (2.0 / <double> both + 6.0 / <double> rest)
        estimates.drift[place] = 4.0 / (3.0 * LN2) * slopes
        estimates.until[place] = self.moved + room

    cdef Py_ssize_t nearly_best(self, const double* base, double tolerance, int32_t* numbers,
                                double* savings) noexcept nogil:
        # The changes whose savings are within twice the tolerance of the greatest, and more than nothing by its measure,
        # and their savings; the greatest comes first. `base` is what is to be added to the estimates of each side.
        cdef Estimates* estimates
        cdef double greatest = -INFINITY, best, bound, x
        cdef Py_ssize_t i, n, n_found = 0, first, place, _round
        cdef int side
        cdef int any_late
        for side in range(2):
            estimates = &self.sides[side]
            any_late = 0
            x = most_now(estimates.estimate, estimates.drift, estimates.until, estimates.n, self.moved, estimates.most,
                         &any_late)
            greatest = max(greatest, base[side] + x)
            if any_late:
                n = at_least(estimates.most, estimates.n, INFINITY, self.found)
                for i in range(n):
                    self.estimate(side, self.found[i])
                    greatest = max(greatest, base[side] + estimates.most[self.found[i]])
        # First those that are near the greatest bound; if that is less when it is estimated anew, those near the greatest
        # of these.
        for _round in range(2):
            bound = max(greatest - 2 * tolerance, -tolerance)
            n_found = 0
            best = -INFINITY
            first = 0
            for side in range(2):
                estimates = &self.sides[side]
                n = at_least(estimates.most, estimates.n, bound - base[side], self.found)
                for i in range(n):
                    place = self.found[i]
                    if estimates.drift[place] > 0 and estimates.at[place] != self.coverage:
                        self.estimate(side, place)
                    x = base[side] + estimates.most[place]
                    if x > best:
                        best, first = x, n_found
                    numbers[n_found], savings[n_found] = estimates.of[place], x
                    n_found += 1
            if best >= greatest or bound == -tolerance:
                break
            greatest = best
        if n_found:
            numbers[0], numbers[first] = numbers[first], numbers[0]
            savings[0], savings[first] = savings[first], savings[0]
        return n_found

    cdef double most_of(self, Py_ssize_t rule, const double* base) noexcept nogil:
        # What it saves at most, after `nearly_best`.
        cdef int32_t kind = self.changes.kind[rule], number = kind
        cdef double less = 0.0
        if kind >= N_KINDS:
            number = loose_number(rule, kind - LOOSE)
        else:
            less = 0.5 * (self.changes.best[kind] - merit_of(self.changes.bits, kind, <int32_t> rule))
        return base[is_dropped(number)] + self.sides[is_dropped(number)].most[self.place[number]] - less
