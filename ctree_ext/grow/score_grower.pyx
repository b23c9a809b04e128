"""Trees whose tests are chosen by a score and held to a stopping rule: probability trees and Bayesian trees."""

from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport CONTINUOUS, IGNORED, CaseTable
from ctree_ext.base.nodes cimport THRESHOLD
from ctree_ext.base.numeric cimport midpoint
from ctree_ext.grow.candidates cimport ScoreCandidate, no_score
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.frames cimport Frame, Worker
from ctree_ext.grow.score_choice cimport choose_by_score, needs_no_test, requires_the_same
from ctree_ext.grow.score_search cimport count_present
from ctree_ext.grow.score_thresholds cimport best_score_threshold
from ctree_ext.grow.score_values cimport best_score_division, best_score_value
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.split_scores cimport SplitScore, terms_below
from ctree_ext.grow.stopping cimport Stopping, StoppingRule, counts_tests, least_score
from ctree_ext.grow.storage cimport PartitionedStorage, survey_table
from ctree_ext.grow.tree_grower cimport TreeGrower


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
        The values of continuous attributes are the numbers of bins, 0, 1, 2, ...; each is a threshold, and there are no
        others.
    n_threads : int
    """

    def __cinit__(self, CaseTable table, SplitScore score not None, StoppingRule stopping not None, *,
                  double min_cases=2.0, bint binary_splits=False, bint listed_thresholds=False, int n_threads=1):
        cdef const Stopping* rule = &stopping.rule
        if (score.function.n_classes != table.cases.n_classes or score.function.tabled < table.cases.n
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
        self.same_required = requires_the_same(rule, binary_splits)
        self.start(PartitionedStorage(table, with_classes=True), survey_table(&table.cases), n_threads)

    cdef int set_up(self, Worker worker) except -1:
        worker.scores = <ScoreCandidate*> worker.memory.raw(self.cases.n_attributes, sizeof(ScoreCandidate))
        return 0

    cdef bint stays_leaf(self, Frame* frame, NodeView* view) noexcept nogil:
        frame.present = count_present(view.counts, self.cases.n_classes)
        view.max_in_class = view.counts[view.best]
        return needs_no_test(&self.stopping.rule, view.counts, view.cases, frame.present, self.min_cases)

    cdef int choose(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil:
        view.own = terms_below(&self.score.function, frame.present_above)
        view.below = terms_below(&self.score.function, frame.present)
        self.search_all(worker, view)
        return choose_by_score(&self.stopping.rule, &self.score.function, worker.scores, self.cases.n_attributes,
                               view.counts, &worker.nodes.n_tests[frame.node])

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
                    lead.scores[a] = best_score_threshold(&self.settings, self.cases, self.cases.values[a],
                                                          &self.storage.columns[a], node, &hand.scratch)
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
