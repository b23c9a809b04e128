"""Learn when to play golf, and ask about a day whose humidity is not known."""

from pathlib import Path
from tempfile import TemporaryDirectory

import ctree

# golf.names says what the columns mean, golf.data has 14 days.
golf = ctree.read_c45(Path(__file__).with_name("golf"))

model = ctree.C45Classifier(estimate="laplace").fit(golf)
print(model.tree_.to_text())
print()

# An unknown value goes down every branch, in proportion to the training cases there.
day = {"outlook": ["sunny"], "temperature": [75], "humidity": [None], "windy": ["false"]}
print("A sunny day of unknown humidity:", model.predict(day)[0])
for label, probability in zip(model.classes_, model.predict_proba(day)[0], strict=True):
    print(f"  {label:<10}  {probability:.3f}")

# The model is saved as JSON and comes back the same, to the last bit.
with TemporaryDirectory() as folder:
    path = Path(folder, "golf.json")
    ctree.save(model, path)
    again = ctree.load(path)
print("Loaded again, it is the same tree:", again.tree_ == model.tree_)
