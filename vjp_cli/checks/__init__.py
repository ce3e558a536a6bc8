"""What is checked, one file a check: each gives verdicts or one line of the report."""
