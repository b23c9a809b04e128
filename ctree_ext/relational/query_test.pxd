# A test: at most two steps to new rows, then at most one condition.

cdef enum:
    MAX_STEPS = 2

cdef enum:
    NO_CONDITION = 0
    EQUALS = 1       # the code of a discrete column
    AT_MOST = 2      # a threshold of a continuous column
    ABOVE = 3
    SAME = 4         # two terms stand for the same row


ctypedef struct QueryTest:
    int n_steps
    int[2] step_link         # by which the new rows refer to what the term stands for
    int[2] step_variable     # a term is a variable and a path
    int[2] step_path
    int op
    int variable
    int path
    int column
    int code                 # of the value, or of the threshold among those of its column
    int other_variable       # the other term of SAME
    int other_path
    double threshold
