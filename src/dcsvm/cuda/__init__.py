"""Training and prediction on a GPU, by CuPy; nothing of it is imported until it is asked for."""
