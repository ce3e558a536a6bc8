"""Random problems over the whole table of operations, half of them with a planted error."""
