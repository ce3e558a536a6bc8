"""A batch on a Dask cluster that runs already: lines in chunks, answers in their order.

What a lost worker was doing is done again by the scheduler, on another one.
"""
