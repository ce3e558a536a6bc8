"""Inputs that nobody would write, and what the program must do with them."""
