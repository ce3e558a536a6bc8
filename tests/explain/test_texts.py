"""Both languages say the same things."""

from string import Formatter

from vjp_cli.explain import chinese, english
from vjp_cli.report import Verdict


def places(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_equal_keys_in_equal_order():
    assert list(english.TEXTS) == list(chinese.TEXTS)


def test_equal_places():
    for key, text in english.TEXTS.items():
        assert (key, places(text)) == (key, places(chinese.TEXTS[key]))


def test_every_verdict_has_a_meaning():
    assert {verdict.value for verdict in Verdict} <= set(english.TEXTS)


def test_chinese_is_chinese():
    for key, text in chinese.TEXTS.items():
        words = "".join(part for part, _, _, _ in Formatter().parse(text))
        assert any("\u4e00" <= sign <= "\u9fff" for sign in words) or key in (
            "and",
            "finding_torch",
            "finding",
        )
    assert "雅可比矩阵" in chinese.TEXTS["jacobian"]
    assert "余切向量" in chinese.TEXTS["v"]
    assert "向量-雅可比积（VJP）" in chinese.TEXTS["product"]
