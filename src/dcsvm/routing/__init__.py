"""From a table to an answer: which machines are evaluated at a row, and what they decide."""
