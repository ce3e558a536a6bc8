"""The pages of ``vjp help``: Markdown files beside this one, with facts that the program fills in.

The first line of a page is its topic and what it is about. Numbers and tables that the program has
as data stand in the files as ``$name``: ``facts.py`` says what each is. This file imports nothing:
completion needs no more than the topics.
"""

TOPICS = ("method", "verdicts", "language", "values", "functions", "exit-codes")
