"""Training rows, labels, pairs of classes, kernels and scaling."""
