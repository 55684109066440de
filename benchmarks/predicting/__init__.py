"""Prediction: against other libraries, and by the parameter C."""
