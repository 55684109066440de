"""From training rows to trained machines."""
