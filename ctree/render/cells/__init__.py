"""What a notebook shows of trees, models, explanations and results."""
