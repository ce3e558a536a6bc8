"""How the value of an input is written: as text, as a generator, in a file."""
