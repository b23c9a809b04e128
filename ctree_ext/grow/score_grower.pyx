"""Trees whose tests are chosen by a score and held to a stopping rule: probability trees and Bayesian trees."""

from libc.math cimport INFINITY, M_LN2, fabs, log
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from ctree_ext.base.cases cimport CONTINUOUS, IGNORED, CaseTable
from ctree_ext.base.memory cimport pool_zeroed
from ctree_ext.base.nodes cimport THRESHOLD
from ctree_ext.base.numeric cimport midpoint
from ctree_ext.grow.candidates cimport ScoreCandidate, no_score
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.frames cimport Frame, Worker, is_left_out, look_up
from ctree_ext.grow.limits cimport gains_too_little
from ctree_ext.grow.own_criterion cimport Trials
from ctree_ext.grow.own_search cimport offer_thresholds, offer_values
from ctree_ext.grow.score_choice cimport choose_by_score, needs_no_test, requires_the_same
from ctree_ext.grow.score_fine cimport FINE_CASES, fill_fine_table, fine_table_size
from ctree_ext.grow.score_marks cimport MARKED_CASES, can_mark, lay_lanes, lay_units
from ctree_ext.grow.score_search cimport count_present
from ctree_ext.grow.score_thresholds cimport best_score_threshold, survey_threshold
from ctree_ext.grow.score_values cimport best_score_division, best_score_value
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.sorting cimport UNKNOWN_RANK, Entry
from ctree_ext.grow.split_scores cimport BAYES, N_GAIN, OWN, SplitScore, terms_below
from ctree_ext.grow.stacked_storage cimport StackedStorage, can_be_stacked
from ctree_ext.grow.stopping cimport BY_SHARED, Stopping, StoppingRule, counts_tests, least_score
from ctree_ext.grow.storage cimport CaseStorage, PartitionedStorage, TableSurvey, survey_table
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
                  double min_cases=2.0, bint binary_splits=False, bint listed_thresholds=False, int n_threads=1,
                  StackedStorage storage=None):
        # With `storage` there are only the cases that it has.
        cdef const Stopping* rule = &stopping.rule
        cdef TableSurvey survey
        cdef CaseStorage cases = storage
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
        if storage is None:
            survey = survey_table(&table.cases)
            self.stacked = not survey.complete and can_be_stacked(&table.cases)
            cases = StackedStorage(table) if self.stacked else PartitionedStorage(table, with_classes=True)
        else:
            survey = storage.survey
            self.stacked = True
        # for so many cases, the ranks of columns have room for classes
        self.has_classes = table.cases.n < 1 << 28
        self.start(cases, survey, n_threads)

    cdef bint takes_apart(self) noexcept nogil:
        return self.stacked

    cdef TreeGrower part_of(self, Worker worker, Frame* frame):
        cdef StackedStorage storage = StackedStorage(self.table)
        cdef ScoreGrower part
        storage.take_node(<StackedStorage> self.storage, frame)
        part = ScoreGrower(self.table, self.score, self.stopping, min_cases=self.min_cases,
                           binary_splits=self.binary_splits, listed_thresholds=self.settings.listed_thresholds,
                           storage=storage)
        part.n_chosen = self.n_chosen
        part.limits = self.limits
        part.team = self.team
        return part

    cdef int set_up(self, Worker worker) except -1:
        worker.scores = <ScoreCandidate*> worker.memory.raw(self.cases.n_attributes, sizeof(ScoreCandidate))
        if self.score.function.kind == OWN:
            worker.trials = Trials(self.score.own, self.score)
        if self.stacked and can_mark(&self.score.function):
            worker.scratch.lanes = <int64_t*> worker.memory.raw(
                min(self.cases.n, MARKED_CASES) * self.cases.n_classes, sizeof(int64_t))
            worker.scratch.fine_table = <int32_t*> worker.memory.raw(fine_table_size(), sizeof(int32_t))
            worker.scratch.fine_scores = <int32_t*> worker.memory.raw(FINE_CASES, sizeof(int32_t))
            fill_fine_table(worker.scratch.fine_table)
        return 0

    cdef bint stays_leaf(self, Frame* frame, NodeView* view) noexcept nogil:
        frame.present = count_present(view.counts, self.cases.n_classes)
        view.max_in_class = view.counts[view.best]
        return needs_no_test(&self.stopping.rule, view.counts, view.cases, frame.present, self.min_cases)

    cdef int note_leaves(self, Worker worker, Frame* frame) except -1 nogil:
        cdef Py_ssize_t C = self.cases.n_classes, first = worker.nodes.first_branch[frame.node]
        cdef const double* counts = worker.nodes.counts + first * C
        cdef int b
        if not self.stacked:
            return 0
        frame.leaf = <uint8_t*> pool_zeroed(&frame.memory, frame.n_branches, sizeof(uint8_t))
        if frame.leaf == NULL:
            with gil:
                raise MemoryError
        for b in range(frame.n_branches):
            if frame.n_first == self.limits.n_first:
                frame.leaf[b] = (frame.depth + 1 >= self.limits.max_depth
                                 or needs_no_test(&self.stopping.rule, counts + b * C, worker.nodes.cases[first + b],
                                                  count_present(counts + b * C, <int> C), self.min_cases))
        return 0

    cdef int choose(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil:
        cdef int attribute
        view.own = terms_below(&self.score.function, frame.present_above)
        view.below = terms_below(&self.score.function, frame.present)
        if worker.scratch.lanes != NULL and view.weights != NULL and view.n <= MARKED_CASES:
            view.marked = True
            if self.score.function.kind == N_GAIN and view.n <= FINE_CASES and self.same_required and self.has_classes:
                lay_units(view, self.cases.unit, worker.scratch.lanes)
                view.units = worker.scratch.lanes
            else:
                lay_lanes(view, self.cases.n_classes, self.cases.unit, worker.scratch.lanes)
                view.lanes = worker.scratch.lanes
        if self.stacked and view.weights != NULL and not self.calls_team(worker, view.n):
            (<StackedStorage> self.storage).tabulate(view)
        worker.scratch.doubt = 0.0
        self.search_all(worker, view)
        attribute = choose_by_score(&self.stopping.rule, &self.score.function, worker.scores, self.cases.n_attributes,
                                    view.counts, &worker.nodes.n_tests[frame.node])
        if self.score.function.kind == OWN:
            # of tests that a criterion rules out, only the number counts
            return attribute if attribute >= 0 and worker.scores[attribute].score > -INFINITY else -1
        if attribute < 0 and self.stopping.rule.kind == BY_SHARED and self.is_in_doubt(worker):
            # even a leaf keeps the number of tests of the attribute that comes nearest to being tested
            view.marked = False
            view.lanes = NULL
            self.search_all(worker, view)
            attribute = choose_by_score(&self.stopping.rule, &self.score.function, worker.scores,
                                        self.cases.n_attributes, view.counts, &worker.nodes.n_tests[frame.node])
        if attribute >= 0 and gains_too_little(self.bits(worker.scores[attribute].score) / view.cases, self.limits):
            return -1
        return attribute

    cdef double bits(self, double score) noexcept nogil:
        # What a score is in bits, unless it is chi-square.
        return score / M_LN2 if self.score.function.kind == BAYES else score

    cdef bint is_in_doubt(self, Worker worker) noexcept nogil:
        # Whether a threshold is about as good as a test whose score is known only approximately.
        cdef int a
        cdef double threshold = -INFINITY, other = -INFINITY, beyond
        for a in range(self.cases.n_attributes):
            if worker.scores[a].n_branches:
                beyond = worker.scores[a].score - worker.scores[a].required
                if self.cases.kind[a] == CONTINUOUS:
                    threshold = max(threshold, beyond)
                else:
                    other = max(other, beyond)
        return (worker.scratch.doubt > 0 and threshold > -INFINITY
                and fabs(threshold - other) <= worker.scratch.doubt + 4 * self.score.function.tie_tolerance)

    cdef int search(self, Worker hand, Worker lead, const NodeView* node, int part, int parts) except -1 nogil:
        # Discrete attributes first, which take less: a threshold need not be found where another test scores more, or
        # where it could not keep the node from being a leaf.
        cdef int a, continuous
        cdef double tie_tolerance = 2 * self.score.function.tie_tolerance
        cdef double lowest = least_score(&self.stopping.rule) - tie_tolerance
        if self.score.function.kind == OWN:
            return self.search_own(hand, lead, node, part, parts)
        hand.scratch.floor = lowest
        if node.marked and (self.same_required or self.stopping.rule.kind == BY_SHARED):
            return self.search_marked(hand, node, lowest)
        for continuous in range(2):
            a = part - parts
            while a + parts < self.cases.n_attributes:
                a += parts
                if (self.cases.kind[a] == CONTINUOUS) != continuous:
                    continue
                look_up(hand, node.n)
                if is_left_out(lead, a):
                    lead.scores[a] = no_score()
                elif continuous:
                    lead.scores[a] = self.best_of_continuous(hand, node, a)
                else:
                    lead.scores[a] = self.best_of_discrete(hand, lead, node, a)
                if self.same_required and lead.scores[a].n_branches:
                    hand.scratch.floor = max(hand.scratch.floor, lead.scores[a].score - tie_tolerance)
        return 0

    cdef int search_own(self, Worker hand, Worker lead, const NodeView* node, int part, int parts) except -1 nogil:
        # All tests of all attributes, scored by a function of the user's.
        cdef int a = part - parts
        hand.trials.begin(lead.scores, node.counts, &hand.watch)
        while a + parts < self.cases.n_attributes:
            a += parts
            lead.scores[a] = no_score()
            if is_left_out(lead, a) or self.cases.kind[a] == IGNORED:
                continue
            if self.cases.kind[a] == CONTINUOUS:
                offer_thresholds(hand.trials, &self.settings, self.cases, a, &self.storage.columns[a], node,
                                 &hand.scratch)
            elif self.binary_splits or not lead.tested[a]:
                offer_values(hand.trials, &self.settings, self.cases, a, self.binary_splits, node, &hand.scratch)
        return hand.trials.score_waiting()

    cdef int search_marked(self, Worker worker, const NodeView* node, double lowest) except -1 nogil:
        # The same where it takes little to find out what the best threshold of an attribute scores about. All that tests
        # have to reach beyond the same is that one of several on an attribute has to score more.
        cdef bint shared = self.stopping.rule.kind == BY_SHARED
        cdef double tie_tolerance = 4 * self.score.function.tie_tolerance, beyond = -INFINITY, required
        cdef int k, a
        cdef ScoreCandidate* best
        for k in range(self.storage.n_continuous):
            a = self.storage.continuous[k]
            look_up(worker, node.n)
            best = &worker.scores[a]
            if is_left_out(worker, a):
                best[0] = no_score()
                continue
            best[0] = survey_threshold(&self.settings, self.cases, self.cases.values[a], &self.storage.columns[a], node,
                                       &worker.scratch)
            if best.n_branches and best.required > lowest:
                beyond = max(beyond, best.required - (log(<double> best.n_tests) if shared else 0.0))
        for a in range(self.cases.n_attributes):
            if self.cases.kind[a] != CONTINUOUS:
                look_up(worker, node.n)
                if is_left_out(worker, a):
                    worker.scores[a] = no_score()
                    continue
                worker.scratch.floor = max(lowest, beyond - tie_tolerance)
                worker.scores[a] = self.best_of_discrete(worker, worker, node, a)
                if worker.scores[a].n_branches and worker.scores[a].score > worker.scratch.floor:
                    beyond = max(beyond, worker.scores[a].score)
        for k in range(self.storage.n_continuous):
            a = self.storage.continuous[k]
            look_up(worker, node.n)
            best = &worker.scores[a]
            if best.n_branches == 0:
                continue
            required = log(<double> best.n_tests) if shared else 0.0
            worker.scratch.floor = max(lowest, beyond + required - tie_tolerance)
            if best.score > worker.scratch.floor:
                best[0] = self.best_of_continuous(worker, node, a)
                if best.n_branches and best.score > lowest:
                    beyond = max(beyond, best.score - required)
            elif best.n_tests == 0:
                best[0] = no_score()
            else:
                best.score = -INFINITY  # only the number of tests matters
        return 0

    cdef ScoreCandidate best_of_continuous(self, Worker hand, const NodeView* node, int a) noexcept nogil:
        return best_score_threshold(&self.settings, self.cases, self.cases.values[a], &self.storage.columns[a], node,
                                    &hand.scratch)

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
        if self.stacked:
            (<StackedStorage> self.storage).sides_by_place(frame, attribute, worker.scores[attribute].n_below)
            return
        self.storage.sides_by_value(frame, values, values[worker.scores[attribute].low_row])

    cdef bint find_own_threshold(self, Worker worker, Frame* frame, NodeView* view, int attribute) except -1 nogil:
        view.own = terms_below(&self.score.function, frame.present_above)
        view.below = terms_below(&self.score.function, frame.present)
        worker.scratch.floor = -INFINITY
        if self.score.function.kind == OWN:
            memset(worker.left_out, 1, self.cases.n_attributes)
            worker.left_out[attribute] = 0
            self.search_all(worker, view)
        else:
            worker.scores[attribute] = self.best_of_continuous(worker, view, attribute)
        return worker.scores[attribute].n_branches > 0

    cdef bint put_threshold(self, Worker worker, const NodeView* view, int attribute) except -1 nogil:
        cdef const Entry* order = self.storage.columns[attribute].order + view.start
        cdef const double* values = self.cases.values[attribute]
        cdef ScoreCandidate* best = &worker.scores[attribute]
        cdef Py_ssize_t i
        cdef int32_t row
        best[0] = no_score()
        for i in range(view.n):
            if order[i].rank == UNKNOWN_RANK:
                break
            row = order[i].row if view.row_of == NULL else view.row_of[order[i].row]
            if values[row] <= worker.forced.threshold:
                best.low_row = row
                best.n_below += 1
            else:
                best.high_row = row
        return best.low_row >= 0 and best.high_row >= 0

    cdef int n_groups(self, Worker worker, int attribute) noexcept nogil:
        cdef int32_t* group = worker.group + self.group_offset[attribute]
        cdef int v, value = worker.scores[attribute].value
        if value < 0:
            return 0
        for v in range(self.cases.n_values[attribute]):
            group[v] = v != value
        return 2
