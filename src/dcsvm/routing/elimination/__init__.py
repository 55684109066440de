"""Elimination: cheap scores give a shortlist, and machines reduce it round by round."""
