"""Exact derivatives: reverse accumulation on the tape, slopes of the whole function, truths."""
