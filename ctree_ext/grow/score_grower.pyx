"""Trees whose tests are chosen by a score and held to a stopping rule: probability trees and Bayesian trees."""

from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.cases cimport CONTINUOUS, IGNORED, CaseTable
from ctree_ext.base.nodes cimport THRESHOLD
from ctree_ext.base.numeric cimport midpoint
from ctree_ext.grow.candidates cimport ScoreCandidate, no_score
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.frames cimport Frame, Worker
from ctree_ext.grow.score_search cimport ALMOST, count_present
from ctree_ext.grow.score_thresholds cimport best_score_threshold
from ctree_ext.grow.score_values cimport best_score_division, best_score_value
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.split_scores cimport SplitScore, terms_below
from ctree_ext.grow.stopping cimport (
    BY_BAYES, BY_CHI_SQUARE, BY_SHARED, NEVER, Stopping, StoppingRule, chi_square_cutoff, counts_tests, is_good_enough,
    is_hopeless, is_too_costly, least_score, required_score,
)
from ctree_ext.grow.storage cimport PartitionedStorage, survey_table
from ctree_ext.grow.tree_grower cimport TreeGrower


cdef int _best_beyond_required(const ScoreCandidate* candidates, int n_attributes, double tie_tolerance) noexcept nogil:
    # The test whose score is furthest beyond what it has to reach, the first of equals; -1 for none.
    cdef int a, best = -1
    for a in range(n_attributes):
        if candidates[a].n_branches and (best < 0 or candidates[a].score - candidates[a].required
                                         > candidates[best].score - candidates[best].required + tie_tolerance):
            best = a
    return best


cdef class ScoreGrower(TreeGrower):
    """Grow trees by a score from one table of cases.

    Parameters
    ----------
    table : CaseTable
        In double precision.
    score : SplitScore
        What tests are compared by.
    stopping : StoppingRule
        Whether a test is good enough.
    min_cases : float
        Two branches of every test must have this weight.
    binary_splits : bool
        Test a discrete attribute for one value against the others.
    listed_thresholds : bool
        The values of continuous attributes are upper bounds of bins; each is a threshold, and there are no others.
    n_threads : int
    """

    def __cinit__(self, CaseTable table, SplitScore score not None, StoppingRule stopping not None, *,
                  double min_cases=2.0, bint binary_splits=False, bint listed_thresholds=False, int n_threads=1):
        cdef const Stopping* rule = &stopping.rule
        if (score.function.n_classes != table.cases.n_classes or score.function.max_count < table.cases.n
                or table.cases.single):
            raise ValueError("the score is not for this table")
        self.min_cases = min_cases
        self.score = score
        self.stopping = stopping
        self.binary_splits = binary_splits
        self.tables = LogTables(0, False)
        self.settings.function = &score.function
        self.settings.min_cases = min_cases
        self.settings.fast = self.tables.logs.fast
        self.settings.counting = counts_tests(rule)
        self.settings.listed_thresholds = listed_thresholds
        # of chi-square, attributes have cutoffs of their own, by the classes of their known cases
        self.same_required = (rule.kind == NEVER and rule.pruning == NEVER or rule.kind == BY_BAYES
                              or binary_splits and not rule.present_classes)
        self.start(PartitionedStorage(table, with_classes=True), survey_table(&table.cases), n_threads)

    cdef int set_up(self, Worker worker) except -1:
        worker.scores = <ScoreCandidate*> worker.memory.raw(self.cases.n_attributes, sizeof(ScoreCandidate))
        return 0

    cdef bint stays_leaf(self, Frame* frame, NodeView* view) noexcept nogil:
        frame.present = count_present(view.counts, self.cases.n_classes)
        view.max_in_class = view.counts[view.best]
        return (frame.present < 2 or view.cases < 2 * self.min_cases * ALMOST
                or is_hopeless(&self.stopping.rule, view.counts, view.cases, frame.present))

    cdef int choose(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil:
        cdef int a, attribute, fewest = 0
        cdef int64_t n_tests = 0
        cdef const ScoreCandidate* best
        view.own = terms_below(&self.score.function, frame.present_above)
        view.below = terms_below(&self.score.function, frame.present)
        self.search_all(worker, view)
        for a in range(self.cases.n_attributes):
            best = &worker.scores[a]
            if best.n_branches:
                n_tests += best.n_tests
                fewest = best.n_branches if fewest == 0 else min(fewest, best.n_branches)
        worker.nodes.n_tests[frame.node] = n_tests
        self.require_scores(worker, n_tests)
        attribute = _best_beyond_required(worker.scores, self.cases.n_attributes, self.score.function.tie_tolerance)
        if attribute < 0 or is_too_costly(&self.stopping.rule, view.counts, n_tests, fewest):
            return -1
        best = &worker.scores[attribute]
        if self.stopping.rule.kind == BY_SHARED:
            worker.nodes.n_tests[frame.node] = best.n_tests
        return attribute if is_good_enough(&self.stopping.rule, best.score, best.required) else -1

    cdef int require_scores(self, Worker worker, Py_ssize_t n_tests) except -1 nogil:
        # What the test of each attribute has to score. The more branches, the more it is, and tests are compared by
        # what they score beyond it.
        cdef int a, present, n_branches = 0, classes = 0
        cdef double cutoff = 0.0
        cdef ScoreCandidate* best
        for a in range(self.cases.n_attributes):
            best = &worker.scores[a]
            if best.n_branches == 0:
                continue
            if self.stopping.rule.kind != BY_CHI_SQUARE:
                best.required = required_score(&self.stopping.rule, n_tests, best.n_tests, best.n_branches)
                continue
            present = best.n_present if self.stopping.rule.present_classes else self.cases.n_classes
            if best.n_branches != n_branches or present != classes:
                n_branches = best.n_branches
                classes = present
                with gil:
                    cutoff = chi_square_cutoff(n_tests, present, n_branches, self.stopping.rule.significance)
            best.required = cutoff
        return 0

    cdef int search(self, Worker hand, Worker lead, const NodeView* node, int part, int parts) except -1 nogil:
        # Discrete attributes first, which take less: a threshold need not be found where another test scores more, or
        # where it could not keep the node from being a leaf.
        cdef int a, continuous
        cdef double tie_tolerance = 2 * self.score.function.tie_tolerance
        hand.scratch.floor = least_score(&self.stopping.rule) - tie_tolerance
        for continuous in range(2):
            a = part - parts
            while a + parts < self.cases.n_attributes:
                a += parts
                if (self.cases.kind[a] == CONTINUOUS) != continuous:
                    continue
                if continuous:
                    lead.scores[a] = best_score_threshold(&self.settings, self.cases, &self.storage.columns[a], node,
                                                          &hand.scratch)
                else:
                    lead.scores[a] = self.best_of_discrete(hand, lead, node, a)
                if self.same_required and lead.scores[a].n_branches:
                    hand.scratch.floor = max(hand.scratch.floor, lead.scores[a].score - tie_tolerance)
        return 0

    cdef ScoreCandidate best_of_discrete(self, Worker hand, Worker lead, const NodeView* node, int a) noexcept nogil:
        if self.cases.kind[a] == IGNORED:
            return no_score()
        if self.binary_splits:
            return best_score_value(&self.settings, self.cases, a, node, &hand.scratch)
        # a second time all cases would take the same branch
        return no_score() if lead.tested[a] else best_score_division(&self.settings, self.cases, a, node, &hand.scratch)

    cdef int write_threshold(self, Worker worker, Frame* frame, int attribute) except -1 nogil:
        cdef const double* values = self.cases.values[attribute]
        cdef const ScoreCandidate* best = &worker.scores[attribute]
        cdef double low = values[best.low_row] + 0.0  # never -0
        worker.nodes.test[frame.node] = THRESHOLD
        worker.nodes.threshold[frame.node] = (
            low if self.settings.listed_thresholds else midpoint(low, values[best.high_row], False))
        return 0

    cdef void take_threshold_sides(self, Worker worker, Frame* frame, int attribute) noexcept nogil:
        cdef const double* values = self.cases.values[attribute]
        self.storage.sides_by_value(frame, values, values[worker.scores[attribute].low_row])

    cdef int n_groups(self, Worker worker, int attribute) noexcept nogil:
        cdef int32_t* group = worker.group + self.group_offset[attribute]
        cdef int v, value = worker.scores[attribute].value
        if value < 0:
            return 0
        for v in range(self.cases.n_values[attribute]):
            group[v] = v != value
        return 2
