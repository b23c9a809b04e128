from ctree_ext.scale.columns import Columns
from ctree_ext.scale.descent import Descent

class Batches:
    def __init__(self, columns: Columns, descent: Descent) -> None: ...
