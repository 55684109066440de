"""Training: against other libraries, and its growth with rows and classes."""
