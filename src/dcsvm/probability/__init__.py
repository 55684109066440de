"""From the values of few machines to probabilities of all classes, and to sets of classes."""
