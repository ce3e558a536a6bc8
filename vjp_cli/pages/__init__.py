"""The pages of ``vjp help``: Markdown files beside this one, which README links to.

The first line of a page is its topic and what it is about. Numbers and tables that the program has
as data stand between ``<!--name-->`` and ``<!--/-->``; ``python -m tests.test_docs`` writes them.
This file imports nothing: completion needs no more than the topics.
"""

TOPICS = (
    "method",
    "verdicts",
    "language",
    "values",
    "functions",
    "options",
    "operations",
    "formats",
    "batches",
    "large",
    "shell",
    "exit-codes",
    "comparison",
)
