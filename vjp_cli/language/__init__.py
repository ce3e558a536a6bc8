"""The expression language: what its text may hold, what its names mean, what is refused and why."""
