"""The symbolic tracer: it runs a torch program on exact numbers and keeps a tape of what it did."""
