"""The search for C, γ and θ: grid, folds, machines of the folds, scores, choice."""
