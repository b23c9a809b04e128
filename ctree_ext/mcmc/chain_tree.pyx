"""The tree of a chain: its nodes, the lists from which moves choose, and the changes that moves make."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.bayes cimport Dirichlet
from ctree_ext.base.memory cimport Pool, pool_free, pool_resize
from ctree_ext.mcmc.test_grid cimport Grid, count_cover


cdef int _make_room(ChainTree* tree, Py_ssize_t n) noexcept nogil:
    # For so many nodes; -1 without memory, and the tree is then as it was.
    cdef const Grid* grid = tree.grid
    cdef Pool* pool = &tree.pool
    cdef int32_t node
    if not (pool_resize(pool, <void**> &tree.test, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.left, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.right, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.parent, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.depth, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.place, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.twig_place, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.current, n, sizeof(uint8_t))
            and pool_resize(pool, <void**> &tree.leaves, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.inner, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.twigs, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.free_nodes, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.touched, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.stack, n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.cover, 2 * n * grid.n_words, sizeof(uint64_t))
            and pool_resize(pool, <void**> &tree.counts, 2 * n * grid.n_classes, sizeof(double))
            and pool_resize(pool, <void**> &tree.size, 2 * n, sizeof(double))
            and pool_resize(pool, <void**> &tree.log_likelihood, 2 * n, sizeof(double))
            and pool_resize(pool, <void**> &tree.node_state, 2 * n, sizeof(uint8_t))
            and pool_resize(pool, <void**> &tree.splittable, 2 * n, sizeof(int8_t))
            and pool_resize(pool, <void**> &tree.n_valid, 2 * n * (grid.n_attributes + 1), sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.n_valid_attributes, 2 * n, sizeof(int32_t))
            and pool_resize(pool, <void**> &tree.n_valid_tests, 2 * n, sizeof(int32_t))):
        return -1
    for node in range(<int32_t> n - 1, <int32_t> tree.max_nodes - 1, -1):
        tree.current[node] = 0
        tree.node_state[2 * node] = tree.node_state[2 * node + 1] = SPLIT
        _release(tree, node)
    tree.max_nodes = n
    return 0


cdef int tree_init(ChainTree* tree, const Grid* grid, const Dirichlet* leaf_prior) noexcept nogil:
    # A tree of one leaf; -1 without memory. The memory of the struct itself is all zeros.
    cdef Py_ssize_t slot
    tree.grid = grid
    tree.leaf_prior = leaf_prior
    if _make_room(tree, 16) < 0:
        return -1
    tree.n_free -= 1
    tree.root = tree.free_nodes[tree.n_free]
    tree.test[tree.root] = LEAF
    tree.parent[tree.root] = -1
    tree.depth[tree.root] = 0
    tree.twig_place[tree.root] = -1
    slot = current_slot(tree, tree.root)
    memcpy(cover_of(tree, slot), grid.all_cases, grid.n_words * sizeof(uint64_t))
    tree.size[slot] = count_cover(grid, grid.all_cases, counts_of(tree, slot))
    tree.log_likelihood[slot] = leaf_log_likelihood(tree, slot)
    tree.node_state[slot] = SPLIT
    forget_valid(tree, slot)
    _enlist_leaf(tree, tree.root)
    return 0


cdef void tree_free(ChainTree* tree) noexcept nogil:
    # All is zeros again.
    pool_free(&tree.pool)
    memset(tree, 0, sizeof(ChainTree))


cdef int tree_reserve(ChainTree* tree) noexcept nogil:
    # Two free nodes at least, in which a birth is computed; -1 without memory.
    return 0 if tree.n_free >= 2 else _make_room(tree, 2 * tree.max_nodes)


cdef int tree_reserve_nodes(ChainTree* tree, int32_t n) noexcept nogil:
    # So many free nodes, and two more for a birth; -1 without memory.
    while tree.n_free < n + 2:
        if _make_room(tree, 2 * tree.max_nodes) < 0:
            return -1
    return 0


cdef void tree_replant(ChainTree* tree, const ChainTree* source, int32_t node) noexcept nogil:
    # A tree of one leaf, with the cases and at the depth of a node of another.
    cdef int32_t i
    cdef Py_ssize_t slot
    tree.n_leaves = tree.n_inner = tree.n_twigs = 0
    tree.n_free = 0
    for i in range(<int32_t> tree.max_nodes - 1, -1, -1):
        tree.free_nodes[tree.n_free] = i
        tree.n_free += 1
    tree.n_free -= 1
    tree.root = tree.free_nodes[tree.n_free]
    tree.test[tree.root] = LEAF
    tree.parent[tree.root] = -1
    tree.depth[tree.root] = source.depth[node]
    tree.twig_place[tree.root] = -1
    slot = current_slot(tree, tree.root)
    copy_cases(source, current_slot(source, node), tree, slot)
    tree.log_likelihood[slot] = leaf_log_likelihood(tree, slot)
    tree.node_state[slot] = SPLIT
    _enlist_leaf(tree, tree.root)


cdef void _enlist_leaf(ChainTree* tree, int32_t node) noexcept nogil:
    tree.place[node] = tree.n_leaves
    tree.leaves[tree.n_leaves] = node
    tree.n_leaves += 1


cdef void _enlist_inner(ChainTree* tree, int32_t node) noexcept nogil:
    tree.place[node] = tree.n_inner
    tree.inner[tree.n_inner] = node
    tree.n_inner += 1


cdef void _delist_leaf(ChainTree* tree, int32_t node) noexcept nogil:
    # The last of the list takes its place.
    tree.n_leaves -= 1
    tree.leaves[tree.place[node]] = tree.leaves[tree.n_leaves]
    tree.place[tree.leaves[tree.n_leaves]] = tree.place[node]


cdef void _delist_inner(ChainTree* tree, int32_t node) noexcept nogil:
    tree.n_inner -= 1
    tree.inner[tree.place[node]] = tree.inner[tree.n_inner]
    tree.place[tree.inner[tree.n_inner]] = tree.place[node]


cdef void _note_twig(ChainTree* tree, int32_t node) noexcept nogil:
    # Put a node on the list of twigs, or take it off, as it now is.
    if node < 0:
        return
    if is_twig(tree, node):
        if tree.twig_place[node] < 0:
            tree.twig_place[node] = tree.n_twigs
            tree.twigs[tree.n_twigs] = node
            tree.n_twigs += 1
    elif tree.twig_place[node] >= 0:
        tree.n_twigs -= 1
        tree.twigs[tree.twig_place[node]] = tree.twigs[tree.n_twigs]
        tree.twig_place[tree.twigs[tree.n_twigs]] = tree.twig_place[node]
        tree.twig_place[node] = -1


cdef void tree_birth(ChainTree* tree, int32_t leaf, int32_t test) noexcept nogil:
    # The two free nodes that come next become the branches of a leaf; the caller fills their slots.
    cdef int32_t left = tree.free_nodes[tree.n_free - 1], right = tree.free_nodes[tree.n_free - 2]
    tree.n_free -= 2
    _delist_leaf(tree, leaf)
    _enlist_inner(tree, leaf)
    tree.test[leaf] = test
    tree.left[leaf] = left
    tree.right[leaf] = right
    tree.test[left] = tree.test[right] = LEAF
    tree.parent[left] = tree.parent[right] = leaf
    tree.depth[left] = tree.depth[right] = tree.depth[leaf] + 1
    tree.twig_place[left] = tree.twig_place[right] = -1
    _enlist_leaf(tree, left)
    _enlist_leaf(tree, right)
    _note_twig(tree, leaf)
    _note_twig(tree, tree.parent[leaf])


cdef void _release(ChainTree* tree, int32_t node) noexcept nogil:
    forget_valid(tree, 2 * node)
    forget_valid(tree, 2 * node + 1)
    tree.free_nodes[tree.n_free] = node
    tree.n_free += 1


cdef void tree_death(ChainTree* tree, int32_t node) noexcept nogil:
    # A twig becomes a leaf.
    cdef int32_t left = tree.left[node], right = tree.right[node]
    _delist_leaf(tree, left)
    _delist_leaf(tree, right)
    _delist_inner(tree, node)
    tree.test[node] = LEAF
    _enlist_leaf(tree, node)
    _note_twig(tree, node)
    _note_twig(tree, tree.parent[node])
    _release(tree, right)
    _release(tree, left)


cdef void tree_splice(ChainTree* tree, int32_t leaf) noexcept nogil:
    # A leaf goes with its parent, whose place its sibling takes.
    cdef int32_t parent = tree.parent[leaf], other = sibling(tree, leaf), above = tree.parent[parent], node
    cdef int32_t n_stack = 0
    _delist_leaf(tree, leaf)
    _delist_inner(tree, parent)
    tree.test[parent] = LEAF
    _note_twig(tree, parent)
    tree.parent[other] = above
    if above < 0:
        tree.root = other
    elif tree.left[above] == parent:
        tree.left[above] = other
    else:
        tree.right[above] = other
    _note_twig(tree, above)
    tree.stack[0] = other
    n_stack = 1
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        tree.depth[node] -= 1
        if not is_leaf(tree, node):
            tree.stack[n_stack] = tree.left[node]
            tree.stack[n_stack + 1] = tree.right[node]
            n_stack += 2
    _release(tree, parent)
    _release(tree, leaf)


cdef void swap_slots(ChainTree* tree) noexcept nogil:
    # What was proposed for the touched nodes is now current.
    cdef int32_t i
    for i in range(tree.n_touched):
        tree.current[tree.touched[i]] ^= 1


cdef bint is_reached(const ChainTree* tree, int32_t node) noexcept nogil:
    # Whether any case comes to a node of a tree that is swept.
    cdef int32_t above = tree.parent[node]
    cdef uint8_t node_state
    while above >= 0:
        node_state = tree.node_state[current_slot(tree, above)]
        if node_state == COLLAPSED or node_state == (PASS_RIGHT if tree.left[above] == node else PASS_LEFT):
            return False
        node = above
        above = tree.parent[node]
    return True


cdef double tree_log_likelihood(ChainTree* tree, int32_t node) noexcept nogil:
    # The log-likelihood of the cases under a node: the sum over the leaves that cases come to.
    cdef int32_t n_stack = 1
    cdef Py_ssize_t slot
    cdef double sum = 0.0
    tree.stack[0] = node
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        slot = current_slot(tree, node)
        if is_leaf(tree, node) or tree.node_state[slot] == COLLAPSED:
            sum += tree.log_likelihood[slot]
            continue
        if tree.node_state[slot] != PASS_LEFT:
            tree.stack[n_stack] = tree.right[node]
            n_stack += 1
        if tree.node_state[slot] != PASS_RIGHT:
            tree.stack[n_stack] = tree.left[node]
            n_stack += 1
    return sum


cdef int32_t tree_depth(ChainTree* tree) noexcept nogil:
    cdef int32_t i, result = 0
    for i in range(tree.n_leaves):
        result = max(result, tree.depth[tree.leaves[i]])
    return result


cdef void list_in_order(ChainTree* tree) noexcept nogil:
    # The lists anew, each node before its branches. What is drawn next then depends on nothing but the tree: a chain
    # that was saved goes on as it would have done.
    cdef int32_t n_stack = 1, node
    tree.n_leaves = tree.n_inner = tree.n_twigs = 0
    tree.stack[0] = tree.root
    while n_stack:
        n_stack -= 1
        node = tree.stack[n_stack]
        tree.twig_place[node] = -1
        if is_leaf(tree, node):
            _enlist_leaf(tree, node)
            continue
        _enlist_inner(tree, node)
        _note_twig(tree, node)
        tree.stack[n_stack] = tree.right[node]
        tree.stack[n_stack + 1] = tree.left[node]
        n_stack += 2
