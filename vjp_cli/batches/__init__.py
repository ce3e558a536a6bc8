"""Many problems, one JSON line each: request lines in, answers out, in order and as they come."""
