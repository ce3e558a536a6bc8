"""Problems as text: the options that say what a problem is, read from files and written out."""
