"""Search for C and γ: against other searches, and what warm starts save."""
