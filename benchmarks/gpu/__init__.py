"""What a GPU gains."""
