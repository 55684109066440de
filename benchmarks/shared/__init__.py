"""What all measurements share: data sets, other libraries, clocks, tables."""
