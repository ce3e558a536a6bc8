"""A report in words for a newcomer, in one of several languages."""
