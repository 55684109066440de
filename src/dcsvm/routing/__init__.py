"""From a table to an answer: which machines are asked about a row, and what they decide."""
