"""The JSON Schema of what the program reads and writes, made from declarations of each key.

``report.py`` declares the JSON of a report, ``error.py`` that of an error, and the keys of a
request are those of ``vjp_cli.requests``. What is said of a key, its description included, stands
there alone. This file names the schemas, and imports nothing: completion needs no more.
"""

NAMES = ("report", "request", "error")
