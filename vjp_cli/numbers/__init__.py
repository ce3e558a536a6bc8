"""Exact numbers: rationals and certified balls, their functions, and formulas evaluated on them."""
