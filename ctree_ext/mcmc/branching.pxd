# The cases of a node divided between its branches.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.mcmc.chain_prior cimport SWEEP_LATENT, SWEEP_PAPER, ChainModel
from ctree_ext.mcmc.chain_tree cimport (
    COLLAPSED, PASS_LEFT, PASS_RIGHT, SPLIT, ChainTree, copy_cases, counts_of, cover_of, forget_valid,
)
from ctree_ext.mcmc.test_grid cimport Grid, split_cover, subtract_cover


cdef inline bint branch(ChainModel* model, ChainTree* tree, Py_ssize_t slot, int32_t test, Py_ssize_t left,
                        Py_ssize_t right, uint8_t* node_state) noexcept nogil:
    # Divide the cases of a slot by a test, into the slots of its branches, and see which of these have enough; False if
    # one has not, and trees are not swept.
    cdef const Grid* grid = model.grid
    cdef bint swept = model.treatment == SWEEP_LATENT or model.treatment == SWEEP_PAPER
    cdef bint left_falls, right_falls
    tree.size[left] = split_cover(grid, cover_of(tree, slot), test, cover_of(tree, left), counts_of(tree, left))
    model.watch.work += grid.n_words
    left_falls = tree.size[left] < model.min_cases
    # Integer counts tell at once how many are left for the other branch.
    if not swept and (left_falls
                      or (grid.weights == NULL and tree.size[slot] - tree.size[left] < model.min_cases)):
        return False
    tree.size[right] = subtract_cover(
        grid, cover_of(tree, slot), counts_of(tree, slot), tree.size[slot], cover_of(tree, left),
        counts_of(tree, left), tree.size[left], cover_of(tree, right), counts_of(tree, right))
    model.watch.work += grid.n_words
    right_falls = tree.size[right] < model.min_cases
    forget_valid(tree, left)
    forget_valid(tree, right)
    if left_falls:
        node_state[0] = COLLAPSED if right_falls else PASS_RIGHT
    else:
        node_state[0] = PASS_LEFT if right_falls else SPLIT
    return swept or node_state[0] == SPLIT


cdef inline void pass_on(ChainTree* tree, Py_ssize_t slot, Py_ssize_t left, Py_ssize_t right,
                         uint8_t node_state) noexcept nogil:
    # All cases go where there are enough.
    if node_state == PASS_RIGHT:
        copy_cases(tree, slot, tree, right)
    elif node_state == PASS_LEFT:
        copy_cases(tree, slot, tree, left)
