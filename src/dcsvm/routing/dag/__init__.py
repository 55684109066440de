"""The decision structure: candidate sets, the choice of a machine, growing and walking."""
