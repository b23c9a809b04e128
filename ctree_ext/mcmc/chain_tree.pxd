# The tree of a chain. A node has two slots for what depends on the cases that reach it: the current one, and one in which
# a proposal is computed. To accept is to exchange the slots of the nodes that were touched.

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.bayes cimport Dirichlet, log_likelihood_of_weights
from ctree_ext.base.memory cimport Pool
from ctree_ext.mcmc.test_grid cimport Grid

cdef enum NodeState:
    # What becomes of the cases at an inner node. All but SPLIT occur only in trees that are swept.
    SPLIT
    PASS_LEFT       # the right branch has too few: all go left
    PASS_RIGHT
    COLLAPSED       # both have too few: the node stands as a leaf


cdef enum:
    LEAF = -1
    UNKNOWN = -1


ctypedef struct ChainTree:
    Pool pool                       # the memory of all that follows
    const Grid* grid
    const Dirichlet* leaf_prior
    Py_ssize_t max_nodes            # that there is room for
    int32_t root
    int32_t n_leaves
    int32_t n_inner
    int32_t n_twigs                 # inner nodes whose branches are leaves
    int32_t n_free
    int32_t n_touched
    # by node
    int32_t* test                   # LEAF for a leaf
    int32_t* left
    int32_t* right
    int32_t* parent
    int32_t* depth
    int32_t* place                  # in `leaves` or `inner`
    int32_t* twig_place             # in `twigs`, -1 if it is none
    uint8_t* current                # which slot is the current one
    # lists of nodes
    int32_t* leaves
    int32_t* inner
    int32_t* twigs
    int32_t* free_nodes
    int32_t* touched
    int32_t* stack
    # by slot: 2 node + 0 or 1
    uint64_t* cover
    double* counts
    double* size
    double* log_likelihood          # ln m of the node, where it stands as a leaf
    uint8_t* node_state
    int8_t* splittable              # whether any test is valid here; UNKNOWN if nobody has asked
    int32_t* n_valid                # by slot and attribute, if `n_valid_attributes` is known
    int32_t* n_valid_attributes     # attributes that have a valid test; UNKNOWN if not counted
    int32_t* n_valid_tests


cdef inline Py_ssize_t current_slot(const ChainTree* tree, int32_t node) noexcept nogil:
    return 2 * <Py_ssize_t> node + tree.current[node]


cdef inline Py_ssize_t proposed_slot(const ChainTree* tree, int32_t node) noexcept nogil:
    return 2 * <Py_ssize_t> node + (1 - tree.current[node])


cdef inline uint64_t* cover_of(const ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    return tree.cover + slot * tree.grid.n_words


cdef inline double* counts_of(const ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    return tree.counts + slot * tree.grid.n_classes


cdef inline double leaf_log_likelihood(const ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    # ln m of the cases of a slot.
    return log_likelihood_of_weights(tree.leaf_prior, counts_of(tree, slot), tree.size[slot])


cdef inline void forget_valid(ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    tree.splittable[slot] = UNKNOWN
    tree.n_valid_attributes[slot] = UNKNOWN


cdef inline void copy_cases(const ChainTree* source, Py_ssize_t from_slot, ChainTree* target,
                            Py_ssize_t slot) noexcept nogil:
    memcpy(cover_of(target, slot), cover_of(source, from_slot), target.grid.n_words * sizeof(uint64_t))
    memcpy(counts_of(target, slot), counts_of(source, from_slot), target.grid.n_classes * sizeof(double))
    target.size[slot] = source.size[from_slot]
    forget_valid(target, slot)


cdef inline bint is_leaf(const ChainTree* tree, int32_t node) noexcept nogil:
    return tree.test[node] == LEAF


cdef inline bint is_twig(const ChainTree* tree, int32_t node) noexcept nogil:
    return tree.test[node] != LEAF and tree.test[tree.left[node]] == LEAF and tree.test[tree.right[node]] == LEAF


cdef inline int32_t sibling(const ChainTree* tree, int32_t node) noexcept nogil:
    # -1 for the root.
    cdef int32_t parent = tree.parent[node]
    if parent < 0:
        return -1
    return tree.right[parent] if tree.left[parent] == node else tree.left[parent]


cdef int tree_init(ChainTree* tree, const Grid* grid, const Dirichlet* leaf_prior) noexcept nogil
cdef void tree_free(ChainTree* tree) noexcept nogil
cdef int tree_reserve(ChainTree* tree) noexcept nogil
cdef int tree_reserve_nodes(ChainTree* tree, int32_t n) noexcept nogil
cdef void tree_replant(ChainTree* tree, const ChainTree* source, int32_t node) noexcept nogil
cdef void tree_birth(ChainTree* tree, int32_t leaf, int32_t test) noexcept nogil
cdef void tree_death(ChainTree* tree, int32_t node) noexcept nogil
cdef void tree_splice(ChainTree* tree, int32_t leaf) noexcept nogil
cdef void swap_slots(ChainTree* tree) noexcept nogil
cdef bint is_reached(const ChainTree* tree, int32_t node) noexcept nogil
cdef double tree_log_likelihood(ChainTree* tree, int32_t node) noexcept nogil
cdef int32_t tree_depth(ChainTree* tree) noexcept nogil
cdef void list_in_order(ChainTree* tree) noexcept nogil
