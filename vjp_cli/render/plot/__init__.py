"""The report as a picture, by matplotlib: J, and what each output contributes."""
