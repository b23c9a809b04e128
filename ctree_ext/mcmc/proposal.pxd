# A proposal: what is to become of a tree, and what has been found out about that.

from libc.stdint cimport int32_t, uint8_t


ctypedef struct Proposal:
    int move                # under which it is counted
    int kind                # what it does: BIRTH, DEATH, a change of a test, SWAP or REGROW
    int32_t node            # -1 if there is none for this move
    int32_t test            # of a birth or a change
    double log_way          # of a move that weighs tests: ln of the way back, less ln of the way there
    double log_ratio
    # what the evaluation found, for accepting
    uint8_t node_state      # what becomes of the cases at the node at the top of the change
    double log_likelihood   # of that node, should it stand as a leaf
    int32_t swept           # the leaf that is swept with its parent, -1 for none
    bint computed           # whether the slots of the nodes below were computed
