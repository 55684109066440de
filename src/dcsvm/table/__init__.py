"""The All-Predictions table, and how it is built."""
