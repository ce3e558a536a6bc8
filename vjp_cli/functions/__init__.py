"""Python functions of the user's in place of an expression."""
