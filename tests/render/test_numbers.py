from math import inf, nan

import pytest

from vjp_cli.render.numbers import align, complex_text, full, short


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (16.0, "16"),
        (1.2000000000000002, "1.2"),
        (1 / 3, "0.333333"),
        (0.0001, "0.0001"),
        (0.00001, "1e-5"),
        (1234567.0, "1.23457e6"),
        (-0.0, "-0"),
        (nan, "nan"),
        (-inf, "-inf"),
        (2 + 0.5j, "2+0.5j"),
        (complex(nan, -inf), "nan-infj"),
        (complex(1.0, -0.0), "1-0j"),
        (1000000007, "1000000007"),
        (True, "true"),
    ],
)
def test_short_has_six_significant_digits(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.2000000000000002, "1.2000000000000002"),
        (16.0, "16"),
        (1e22, "1e22"),
        (5e-324, "5e-324"),
        (1.5 + 0.1j, "1.5+0.1j"),
    ],
)
def test_full_tells_a_number_from_its_neighbours(value, text):
    assert full(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2 + 2j, "2.0+2.0j"),
        (complex(0.0, -inf), "0.0-infj"),
        (complex(-0.0, nan), "-0.0+nanj"),
        (complex(0.1, -0.0), "0.1-0.0j"),
    ],
)
def test_complex_text_is_read_back_by_python(value, text):
    assert complex_text(value) == text
    assert str(complex(text)) == str(value)


def test_align_puts_decimal_points_below_each_other():
    texts = ["1.25", "16", "·", "-0.002", "1e-5", "nan"]

    assert align(texts) == ["  1.25 ", " 16    ", "  ·    ", " -0.002", "  1e-5 ", "nan    "]


def test_align_sets_words_and_complex_numbers_to_the_right():
    assert align(["undefined", "1.5", "2+2j"]) == ["undefined", "      1.5", "     2+2j"]


def test_align_of_nothing():
    assert align([]) == []
