"""What v means: where it comes from, what it weighs, and what it meets from the other side, Ju."""
