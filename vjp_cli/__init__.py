"""Inspect vector-Jacobian products: what ``y.backward(v)`` computes, and whether it is right."""

from importlib.metadata import version

__version__ = version("vjp-cli")
