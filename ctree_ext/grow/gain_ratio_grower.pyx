"""Trees by gain ratio, as C4.5 release 8 and Weka's J48 grow them."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from ctree_ext.base.cases cimport CONTINUOUS, IGNORED, CaseTable
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.nodes cimport THRESHOLD, nodes_add, nodes_graft
from ctree_ext.base.numeric cimport SMALL, midpoint, rounded, same
from ctree_ext.base.weights cimport sum_weights, weight_of
from ctree_ext.grow.candidates cimport GainCandidate, no_gain
from ctree_ext.grow.case_list cimport bring_forward, sort_known
from ctree_ext.grow.choice cimport choose_test, choose_test_j48
from ctree_ext.grow.counts cimport count_classes, count_fractional
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.frames cimport Frame, Segment, Worker, is_left_out, look_up
from ctree_ext.grow.groups cimport best_groups
from ctree_ext.grow.limits cimport gains_too_little
from ctree_ext.grow.list_storage cimport ListStorage
from ctree_ext.grow.scratch cimport EQUAL, NEARLY, NodeView
from ctree_ext.grow.sorting cimport UNKNOWN_RANK, Entry, Sorted, distinct_value, float_rank, value_of_rank
from ctree_ext.grow.storage cimport CaseStorage, PartitionedStorage, TableSurvey, survey_table
from ctree_ext.grow.threshold_range cimport NextColumn, list_known, note_unknown
from ctree_ext.grow.thresholds cimport Totals, best_threshold
from ctree_ext.grow.tree_grower cimport TreeGrower
from ctree_ext.grow.value_tests cimport best_single_value, best_values


cdef Py_ssize_t _last_up_to(const Sorted* column, double limit) noexcept nogil:
    # The place of the largest value of the whole training set that does not exceed the limit.
    cdef Py_ssize_t low = 0, high = column.n_distinct, middle
    while high - low > 1:
        middle = (low + high) // 2
        if distinct_value(column, middle) <= limit:
            low = middle
        else:
            high = middle
    return low


cdef class GainRatioGrower(TreeGrower):
    """Grow trees by gain ratio from one table of cases.

    Parameters
    ----------
    table : CaseTable
    min_cases : float
        Two branches of every test must have this weight (release 8's -m).
    gain_only : bool
        Judge tests by gain instead of gain ratio (-g).
    group_values : bool
        Group the values of discrete attributes (-s).
    j48 : bool
        Choose as Weka's J48 does: gains that differ by less than a millionth are equal, a test has to gain something,
        a discrete attribute may be tested again. Meant for a table in double precision.
    binary_splits : bool
        Test a discrete attribute for one value against the others (J48's -B).
    mdl_correction : bool
        Whether a threshold pays for being chosen among many (J48 -J: not).
    actual_thresholds : bool
        Whether a threshold is always a value of the training set.
    collapse : bool
        Turn every test that saves no training errors into a leaf, as release 8 does; see `ctree_ext.prune.release8`.
    n_threads : int
    keep_order : bool
        Keep the cases in release 8's order even where it cannot show in the tree, for windows to go on from it.
    whole : float
        What the whole training set weighs (J48: how many cases it has), where the table is a part of it; 0: the table is
        all of it.

    Attributes
    ----------
    min_cases : float
        As given, unless `group_values` met a node where no value of an attribute is known: as in release 8 it is 1
        from then on.
    order : int32 array or None
        The order in which growing left the cases, where pruning has to start from it.
    leaf_rows : int32 array or None
        The cases leaf after leaf, from the first branch of each node to the last, where each is in one leaf.
    """

    def __cinit__(self, CaseTable table, *, double min_cases=2.0, bint gain_only=False, bint group_values=False,
                  bint j48=False, bint binary_splits=False, bint mdl_correction=True, bint actual_thresholds=True,
                  bint collapse=False, int n_threads=1, bint keep_order=False, double whole=0.0):
        cdef TableSurvey survey = survey_table(&table.cases)
        cdef CaseStorage storage
        self.min_cases = min_cases
        self.gain_only = gain_only
        self.group_values = group_values
        self.j48 = j48
        self.binary_splits = binary_splits
        self.mdl_correction = mdl_correction
        self.actual_thresholds = actual_thresholds
        self.collapse = collapse
        # The tree may depend on the order of the list, for sums of fractions are rounded.
        if table.cases.single and (keep_order or not survey.complete):
            self.list_ = ListStorage(table)
            storage = self.list_
        else:
            storage = PartitionedStorage(table, small=SMALL if j48 else 0.0)
        # The slip in release 8's grouping makes each attribute depend on those before it.
        self.start(storage, survey, 1 if group_values and not survey.complete else n_threads)
        self.memory = Memory()
        self.mark_few_valued(whole if whole > 0 else self.cases.n if j48 else table.total_weight)

    cdef int mark_few_valued(self, double whole) except -1:
        # Attributes with many values, measured by the size of the whole training set, stay out of the average gain,
        # unless there are no others.
        cdef double many = 0.3 * whole
        cdef bint all_many = True
        cdef Py_ssize_t a
        self.few_valued = <bint*> self.memory.raw(self.cases.n_attributes, sizeof(bint))
        for a in range(self.cases.n_attributes):
            self.few_valued[a] = self.group_values or self.cases.n_values[a] < many
            if self.cases.kind[a] != IGNORED and self.few_valued[a]:
                all_many = False
        for a in range(self.cases.n_attributes if all_many else 0):
            self.few_valued[a] = True
        return 0

    cdef int set_up(self, Worker worker) except -1:
        cdef Py_ssize_t A = self.cases.n_attributes
        if self.tables is None:
            self.tables = LogTables(self.cases.n, self.cases.single, SMALL if self.j48 else 0.0)
            self.logs = &self.tables.logs
        worker.gains = <GainCandidate*> worker.memory.raw(A, sizeof(GainCandidate))
        if self.list_ is not None and self.totals == NULL:
            self.totals = <Totals*> self.memory.raw(A, sizeof(Totals))
            self.unknown = <int32_t*> self.memory.raw(self.cases.n, sizeof(int32_t))
        return 0

    cdef bint stays_leaf(self, Frame* frame, NodeView* view) noexcept nogil:
        cdef double small = self.logs.small
        return same(view.counts[view.best], view.cases, small) or 2 * self.min_cases - view.cases > small

    cdef int open_node(self, Worker worker, Frame* frame) except -1 nogil:
        cdef bint is_leaf = frame.depth >= self.limits.max_depth
        if self.list_ is not None and not is_leaf and self.list_.is_worth_a_copy(frame):
            with gil:
                return self.grow_copy(worker, frame)
        if not frame.integer and self.storage.is_separable() and self.storage.counts_ones(frame):
            frame.integer = True
        if (self.list_ is None and worker.defer_below == 0 and not is_leaf
                and (<PartitionedStorage> self.storage).is_worth_a_part(frame)):
            with gil:
                return self.grow_part(worker, frame)
        return TreeGrower.open_node(self, worker, frame)

    cdef int choose(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil:
        cdef bint in_team
        cdef int attribute
        if view.weights != NULL and view.weights.short_ != NULL:
            view.n_fractional = count_fractional(view.rows, view.n, view.weights.short_)
        if self.keeps_tie_states():
            view.tie_states = self.inherit_tie_states(worker.stack.n - 1)
        if self.list_ is None:
            self.search_all(worker, view)
        else:
            in_team = self.calls_team(worker, view.n)
            self.search_list(worker, view, in_team)
            if in_team:
                self.search_all(worker, view)
        if self.j48:
            attribute = choose_test_j48(worker.gains, self.few_valued, self.cases.n_attributes, self.logs.small)
        else:
            attribute = choose_test(worker.gains, self.few_valued, self.cases.n_attributes, self.gain_only,
                                    self.cases.single)
        if attribute >= 0 and worker.forced == NULL and gains_too_little(worker.gains[attribute].gain, self.limits):
            return -1
        return attribute

    cdef int search(self, Worker hand, Worker lead, const NodeView* node, int part, int parts) except -1 nogil:
        # Where the list is kept, it has seen to the discrete attributes, and to what the others reckon with.
        cdef int a = part - parts
        cdef Totals totals
        while a + parts < self.cases.n_attributes:
            a += parts
            look_up(hand, node.n)
            if is_left_out(lead, a):
                lead.gains[a] = no_gain()
                continue
            if self.cases.kind[a] != CONTINUOUS:
                if self.list_ is None:
                    self.search_discrete(hand, lead, node, a)
                continue
            if self.list_ is None:
                totals.total = node.cases
                totals.unknown = self.unknown_weight(a, node)
            else:
                totals = self.totals[a]
            lead.gains[a] = best_threshold(self.cases, &self.storage.columns[a], node, totals, self.min_cases,
                                           self.mdl_correction and lead.forced == NULL, self.logs, &hand.scratch,
                                           NULL if node.tie_states == NULL else node.tie_states + a, NULL, NULL)
        return 0

    cdef double unknown_weight(self, int attribute, const NodeView* node) noexcept nogil:
        cdef const Entry* order = self.storage.columns[attribute].order + node.start
        cdef Py_ssize_t i
        cdef double weight = 0.0
        for i in range(node.n - 1, -1, -1):
            if order[i].rank != UNKNOWN_RANK:
                break
            weight = rounded(weight + weight_of(node.weights, order[i].row), self.cases.single)
        return weight

    cdef int search_discrete(self, Worker hand, Worker lead, const NodeView* node, int a) except -1 nogil:
        cdef int32_t* group = lead.group + self.group_offset[a]
        cdef GainCandidate* best = &lead.gains[a]
        if self.cases.kind[a] == IGNORED:
            best[0] = no_gain()
        elif self.group_values and self.cases.n_values[a] > 2:
            best_groups(best, self.cases, a, node, &self.min_cases, self.gain_only, self.logs, &hand.scratch, group,
                        hand.memory, &hand.watch)
        elif self.binary_splits:
            best[0] = best_single_value(self.cases, a, node, self.min_cases, self.logs, &hand.scratch, group)
        elif lead.tested[a] and not self.j48:
            best[0] = no_gain()
        else:
            best[0] = best_values(self.cases, a, node, self.min_cases, self.logs, &hand.scratch)
        return 0

    cdef int search_list(self, Worker worker, const NodeView* node, bint only_sort) except -1 nogil:
        # Attribute after attribute, as in release 8, for each leaves the list in another order: counts of discrete
        # values, and for a continuous attribute the weights it reckons with, the sorted list and, unless that is all,
        # its best threshold.
        cdef int a, k = 0
        cdef NextColumn next_column
        self.list_.n_reorderings += 1
        next_column.rows = node.rows
        next_column.missing = self.list_.missing[0]
        next_column.unknown = self.unknown
        next_column.n_unknown = 0
        next_column.total = <float> node.cases
        note_unknown(node.rows, node.n, &next_column)
        for a in range(self.cases.n_attributes):
            look_up(worker, node.n)
            if self.cases.kind[a] == CONTINUOUS:
                self.search_column(worker, node, k, only_sort, &next_column)
                k += 1
            elif not is_left_out(worker, a):
                self.search_discrete(worker, worker, node, a)
            if is_left_out(worker, a):
                worker.gains[a] = no_gain()  # a column is sorted nevertheless, as the next begins with its order
        return 0

    cdef bint keeps_tie_states(self) noexcept nogil:
        # Where every case counts one, it takes nothing to count the cuts. Else one thread goes from node to node.
        return self.list_ is not None or not self.storage.is_separable()

    cdef uint8_t* inherit_tie_states(self, Py_ssize_t depth) except NULL nogil:
        # The states of a frame stand behind those that it begins with; the first are those of the root.
        cdef Py_ssize_t n = self.cases.n_attributes, capacity
        if depth + 2 > self.n_tie_states:
            capacity = max(2 * self.n_tie_states, 64)
            self.memory.resize(<void**> &self.tie_states, capacity * n, sizeof(uint8_t))
            if self.n_tie_states == 0:
                memset(self.tie_states, EQUAL, n)
            self.n_tie_states = capacity
        memcpy(self.tie_states + (depth + 1) * n, self.tie_states + depth * n, n)
        return self.tie_states + (depth + 1) * n

    cdef double sum_unknown(self, Py_ssize_t n, const NodeView* node, double* sums, double* weight) noexcept nogil:
        # The weight of the cases whose value is unknown, which stand first in the list: class by class in their order,
        # then over the classes. What is returned is the sum over the cases as they come, with which that of the whole
        # list begins. The two may differ in the last bit.
        cdef double in_order
        cdef int c
        if node.weights == NULL or n == 0:
            weight[0] = <double> n
            return weight[0]
        in_order = count_classes(node.rows, n, self.cases.classes, node.weights, self.cases.n_classes, sums)
        weight[0] = 0.0
        for c in range(self.cases.n_classes):
            weight[0] = rounded(weight[0] + sums[c], self.cases.single)
        return in_order

    cdef void search_column(self, Worker worker, const NodeView* node, int k, bint only_sort,
                            NextColumn* next_column) noexcept nogil:
        # Cases without a value to the front, then those with one, sorted unless their weight is too small. Where no two
        # values are equal, only the order of the former has anything of the order before.
        cdef int attribute = self.list_.continuous[k]
        cdef Sorted* column = &self.list_.columns[attribute]
        cdef Totals* totals = &self.totals[attribute]
        cdef uint8_t* tie_state = node.tie_states + attribute
        cdef int32_t* rows = <int32_t*> node.rows
        cdef Py_ssize_t unknown = next_column.n_unknown, known = node.n - unknown
        cdef const float* weights = NULL if node.weights == NULL else node.weights.short_
        cdef double unknown_so_far
        bring_forward(rows, next_column.unknown, unknown)
        totals.total = next_column.total
        unknown_so_far = self.sum_unknown(unknown, node, worker.scratch.sides, &totals.unknown)
        next_column.missing = self.list_.missing[k + 1]
        next_column.n_unknown = 0
        if rounded(totals.total - totals.unknown, self.cases.single) < 2 * self.min_cases:
            worker.gains[attribute] = no_gain()
            next_column.total = <float> sum_weights(rows, node.n, node.weights)
            note_unknown(rows, node.n, next_column)
            return
        if tie_state[0] == EQUAL and not sort_known(rows + unknown, known, column.order + node.start,
                                                    self.list_.place_of, self.list_.ties, worker.spare):
            tie_state[0] = NEARLY
        next_column.total = <float> unknown_so_far
        note_unknown(rows, unknown, next_column)
        if only_sort:
            list_known(column.order + node.start, known, weights, rows + unknown, next_column)
            return
        worker.gains[attribute] = best_threshold(self.cases, column, node, totals[0], self.min_cases,
                                                 self.mdl_correction and worker.forced == NULL, self.logs,
                                                 &worker.scratch, tie_state, rows + unknown, next_column)

    cdef int write_threshold(self, Worker worker, Frame* frame, int attribute) except -1 nogil:
        cdef Sorted* column = &self.storage.columns[attribute]
        cdef GainCandidate* best = &worker.gains[attribute]
        cdef double threshold = midpoint(value_of_rank(column, best.below), value_of_rank(column, best.above),
                                         self.cases.single)
        cdef Py_ssize_t low
        if self.actual_thresholds:
            # The largest value in the whole training set that does not exceed the midpoint. No case here lies between,
            # so none falls to another branch.
            low = _last_up_to(column, threshold)
            threshold = distinct_value(column, low)
            best.below = <uint32_t> low if column.distinct64 != NULL else float_rank(<float> threshold)
        worker.nodes.test[frame.node] = THRESHOLD
        worker.nodes.threshold[frame.node] = threshold + 0.0  # never -0, which would hang on the order of the cases
        return 0

    cdef void take_threshold_sides(self, Worker worker, Frame* frame, int attribute) noexcept nogil:
        self.storage.sides_by_rank(frame, attribute, worker.gains[attribute].below)

    cdef bint find_own_threshold(self, Worker worker, Frame* frame, NodeView* view, int attribute) except -1 nogil:
        memset(worker.left_out, 1, self.cases.n_attributes)
        worker.left_out[attribute] = 0
        return self.choose(worker, frame, view) >= 0

    cdef bint put_threshold(self, Worker worker, const NodeView* view, int attribute) except -1 nogil:
        cdef const Sorted* column = &self.storage.columns[attribute]
        cdef const Entry* order = column.order + view.start
        cdef double threshold = worker.forced.threshold
        cdef GainCandidate* best = &worker.gains[attribute]
        cdef Py_ssize_t i
        cdef int sides = 0
        best[0] = no_gain()
        if column.n_distinct == 0 or distinct_value(column, 0) > threshold:
            return False
        i = _last_up_to(column, threshold)
        best.below = <uint32_t> i if column.distinct64 != NULL else float_rank(<float> distinct_value(column, i))
        best.above = best.below
        for i in range(view.n):
            if order[i].rank != UNKNOWN_RANK:
                sides |= 2 if order[i].rank > best.below else 1
        return sides == 3

    cdef int skip_search(self, Worker worker) except -1 nogil:
        # What is told apart above stays so, and dividing alone changes the order of the list, too.
        if self.keeps_tie_states():
            self.inherit_tie_states(worker.stack.n - 1)
        if self.list_ is not None:
            self.list_.n_reorderings += 1
        return 0

    cdef int n_groups(self, Worker worker, int attribute) noexcept nogil:
        return worker.gains[attribute].n_groups

    cdef bint takes_apart(self) noexcept nogil:
        return self.list_ is None

    cdef TreeGrower part_of(self, Worker worker, Frame* frame):
        cdef GainRatioGrower part = self.new_part(worker, frame, True)
        part.follow(self, worker)
        part.team = self.team
        return part

    cdef GainRatioGrower new_part(self, Worker worker, Frame* frame, bint apart):
        # A grower of the cases of a frame, in columns of its own if it grows `apart` from the others.
        cdef GainRatioGrower part
        if worker.stack.n > 1:
            self.storage.merge_kept(frame)
        part = GainRatioGrower(
            self.table.part(self.storage.rows + frame.cases.list_start, frame.cases.n), min_cases=self.min_cases,
            gain_only=self.gain_only, group_values=self.group_values, j48=self.j48, binary_splits=self.binary_splits,
            mdl_correction=self.mdl_correction, actual_thresholds=self.actual_thresholds, collapse=self.collapse)
        (<PartitionedStorage> part.storage).take_part(<PartitionedStorage> self.storage, frame, apart)
        return part

    cdef int grow_part(self, Worker worker, Frame* frame) except -1:
        # Grow the subtree of a frame from columns whose rows are numbered anew, and hang it in its place.
        cdef GainRatioGrower part = self.new_part(worker, frame, False)
        cdef Worker hand
        cdef Frame* root
        hand = part.start_at(self, worker, frame, frame.integer)
        root = <Frame*> hand.stack.top()
        root.counted = frame.counted
        hand.nodes.cases[0] = worker.nodes.cases[frame.node]
        memcpy(hand.nodes.counts, worker.nodes.counts + frame.node * self.cases.n_classes,
               self.cases.n_classes * sizeof(double))
        with nogil:
            part.run(hand)
            (<PartitionedStorage> part.storage).hand_back(<PartitionedStorage> self.storage, frame)
        self.min_cases = part.min_cases
        if nodes_graft(&worker.nodes, frame.node, &hand.nodes) < 0:
            raise MemoryError
        worker.stack.pop()
        return 0

    cdef int grow_copy(self, Worker worker, Frame* frame) except -1:
        # Grow the subtree of a frame in a grower of its own, from a copy of its cases, and hang it in its place.
        cdef GainRatioGrower part
        cdef Worker hand
        cdef int32_t[::1] rows = np.empty(frame.cases.n, dtype=np.int32)
        if worker.stack.n > 1:
            self.storage.merge_kept(frame)
        self.list_.n_reorderings += 1
        memcpy(&rows[0], self.list_.rows + frame.cases.list_start, frame.cases.n * sizeof(int32_t))
        part = GainRatioGrower(
            self.table.part(&rows[0], frame.cases.n), min_cases=self.min_cases, gain_only=self.gain_only,
            group_values=self.group_values, binary_splits=self.binary_splits, mdl_correction=self.mdl_correction,
            actual_thresholds=self.actual_thresholds, keep_order=True, collapse=self.collapse)
        part.start_copy(self, worker, frame, rows)
        hand = part.workers[0]
        with nogil:
            part.run(hand)
        part.list_.hand_back(self.list_, frame, rows)
        self.min_cases = part.min_cases
        if nodes_graft(&worker.nodes, frame.node, &hand.nodes) < 0:
            raise MemoryError
        worker.stack.pop()
        return 0

    cdef Worker start_at(self, GainRatioGrower original, Worker worker, Frame* frame, bint integer):
        # A worker at the root of the subtree of a frame, whose cases the storage has; it stops when the original does.
        cdef Worker hand
        cdef Frame* root
        cdef Segment cases
        self.follow(original, worker)
        hand = self.new_worker(frame.cases.n)
        hand.leads = worker.leads
        hand.watch.stop = worker.watch.stop
        memcpy(hand.tested, worker.tested, self.cases.n_attributes * sizeof(int32_t))
        self.workers = [hand]
        cases.start = cases.list_start = 0
        cases.n = frame.cases.n
        if nodes_add(&hand.nodes, 1) < 0:
            raise MemoryError
        root = hand.push(0, cases, integer)
        root.key = frame.key
        root.depth = frame.depth
        root.n_first = frame.n_first
        return hand

    cdef int follow(self, GainRatioGrower original, Worker worker) except -1:
        # What a grower of the cases of a frame, on which the original's worker is, takes over.
        cdef Py_ssize_t A = self.cases.n_attributes
        self.tables = original.tables
        self.logs = &self.tables.logs
        self.n_chosen = original.n_chosen
        self.limits = original.limits
        memcpy(self.few_valued, original.few_valued, A * sizeof(bint))
        if original.tie_states != NULL:
            self.inherit_tie_states(0)
            memcpy(self.tie_states, original.tie_states + (worker.stack.n - 1) * A, A)
        return 0

    cdef int start_copy(self, GainRatioGrower original, Worker worker, Frame* frame, const int32_t[::1] rows) except -1:
        self.list_.take_copy(original.list_, frame, rows)
        self.start_at(original, worker, frame, frame.integer)
        return 0
