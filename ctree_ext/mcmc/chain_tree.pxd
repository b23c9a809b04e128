# The tree that a chain walks with. A node has two slots for what depends on the cases that reach it: one that holds, and
# one in which a proposal is worked out. To accept is to turn the nodes that were touched over to their other slot.

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.mcmc.leaf_likelihood cimport LeafWorth
from ctree_ext.mcmc.test_grid cimport Grid

cdef enum How:
    # What becomes of the cases at an inner node. All but SPLIT are of trees that are swept.
    SPLIT
    PASS_LEFT       # the right branch has too few: all go left
    PASS_RIGHT
    COLLAPSED       # both have too few: the node stands as a leaf


cdef enum:
    LEAF = -1
    UNKNOWN = -1


ctypedef struct ChainTree:
    const Grid* grid
    const LeafWorth* worth_of
    Py_ssize_t room                 # for so many nodes
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
    uint8_t* side                   # which slot holds
    # lists of nodes
    int32_t* leaves
    int32_t* inner
    int32_t* twigs
    int32_t* free_nodes
    int32_t* touched
    int32_t* stack
    # by slot: 2 node + side
    uint64_t* cover
    double* counts
    double* size
    double* worth                   # ln m of the node, where it stands as a leaf
    uint8_t* how
    int8_t* is_open                 # whether any test is valid here; UNKNOWN if nobody has asked
    int32_t* n_valid                # by slot and attribute, if `n_open` is known
    int32_t* n_open                 # attributes that have a valid test; UNKNOWN if not counted
    int32_t* n_all_valid            # valid tests


cdef inline Py_ssize_t holding(const ChainTree* tree, int32_t node) noexcept nogil:
    return 2 * <Py_ssize_t> node + tree.side[node]


cdef inline Py_ssize_t proposed(const ChainTree* tree, int32_t node) noexcept nogil:
    return 2 * <Py_ssize_t> node + (1 - tree.side[node])


cdef inline uint64_t* cover_of(const ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    return tree.cover + slot * tree.grid.n_words


cdef inline double* counts_of(const ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    return tree.counts + slot * tree.grid.n_classes


cdef inline void forget_valid(ChainTree* tree, Py_ssize_t slot) noexcept nogil:
    tree.is_open[slot] = UNKNOWN
    tree.n_open[slot] = UNKNOWN


cdef inline void copy_cases(ChainTree* tree, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
    memcpy(cover_of(tree, target), cover_of(tree, source), tree.grid.n_words * sizeof(uint64_t))
    memcpy(counts_of(tree, target), counts_of(tree, source), tree.grid.n_classes * sizeof(double))
    tree.size[target] = tree.size[source]
    forget_valid(tree, target)


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


cdef int tree_init(ChainTree* tree, const Grid* grid, const LeafWorth* worth_of) noexcept nogil
cdef void tree_free(ChainTree* tree) noexcept nogil
cdef int tree_reserve(ChainTree* tree) noexcept nogil
cdef void tree_birth(ChainTree* tree, int32_t leaf, int32_t test) noexcept nogil
cdef void tree_death(ChainTree* tree, int32_t node) noexcept nogil
cdef void tree_splice(ChainTree* tree, int32_t leaf) noexcept nogil
cdef void tree_turn(ChainTree* tree) noexcept nogil
cdef bint is_reached(const ChainTree* tree, int32_t node) noexcept nogil
cdef double standing_worth(ChainTree* tree, int32_t node) noexcept nogil
cdef int32_t tree_depth(ChainTree* tree) noexcept nogil
cdef void list_in_order(ChainTree* tree) noexcept nogil
