"""The picture of README is today's answer, and loads nothing."""

import re
from xml.etree import ElementTree

from tests.picture import COMMAND, PICTURE, drawn
from tests.test_docs import README


def test_the_picture_is_the_real_output():
    assert PICTURE.read_text(encoding="utf-8") == drawn()


def test_it_loads_nothing():
    text = PICTURE.read_text(encoding="utf-8")
    # the name of the format, which no reader opens
    assert re.findall(r"\w+://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "@import" not in text
    assert "@font-face" not in text


def test_it_shows_the_numbers():
    root = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    words = "".join(root.itertext()).replace("\xa0", " ")
    assert COMMAND in words
    assert "0.0001" in words
    assert re.search(r"x\[0\] │ +1\.2 +1\.2 +0", words)


def test_it_stands_at_the_top_with_a_text():
    assert README.splitlines().index(COMMAND) < 15
    alt = re.search(r"!\[(.+?)\]\(samples/report\.svg\)", README)[1]
    assert "vᵀJ" in alt
