"""Mathematical signs in ASCII, for what cannot carry others."""

import re

_SIGNS = str.maketrans({"─": "-", "│": "|", "┼": "+", "…": "...", "∂": "d"})
# pictures: sizes as digits, and a sign for a few dots
_SIGNS.update(str.maketrans({"█": "4", "▓": "3", "▒": "2", "░": "1", "±": "x"}))
_SIGNS.update(dict.fromkeys(range(0x2801, 0x2900), "o"))


def in_ascii(text: str, escape: bool = True) -> str:
    """``text`` with each sign spelt in ASCII; letters become escapes unless ``escape`` is False."""
    text = re.sub(r"(?<=\S)·(?=\S)", "*", text).replace(" · ", " | ").replace("·", ".")
    text = re.sub(r"ᵀ(?=\w)", "^T ", text).replace("ᵀ", "^T").translate(_SIGNS)
    return text.encode("ascii", "backslashreplace").decode() if escape else text
