"""Which paragraphs an explanation has, and the numbers in them; the words are data beside it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from vjp_cli.explain import chinese, english
from vjp_cli.explain.examples import example
from vjp_cli.explain.findings import finding_sentence
from vjp_cli.render.lines import listing, shape_text
from vjp_cli.render.numbers import short
from vjp_cli.render.tables import product, transposed
from vjp_cli.report import Array, Explanation, Number, Paragraph, Report, Verdict
from vjp_cli.settings import Language, Settings

_TEXTS: Mapping[Language, Mapping[str, str]] = {
    Language.ENGLISH: english.TEXTS,
    Language.CHINESE: chinese.TEXTS,
}
_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "complex128": 16}
# a row, or a v, of more numbers is no help
_SHOWN = 8
_ROOM = 60
_MILLION = 10**6


def explained(report: Report, settings: Settings) -> Report:
    """``report`` with its explanation, where one is asked for."""
    if settings.language is None:
        return report
    words = _TEXTS[settings.language]
    teller = _Teller(report, words)
    return replace(report, explanation=Explanation(words["title"], tuple(teller.paragraphs())))


@dataclass(frozen=True)
class _Teller:
    """The paragraphs on one report in one language."""

    report: Report
    words: Mapping[str, str]

    def paragraphs(self) -> Iterator[Paragraph]:
        """J, v, vᵀJ, what they cost, and each verdict that occurs."""
        report = self.report
        second = report.problem.weights is not None
        yield Paragraph("Jᵀ" if transposed(report) else "J", self._jacobian(second))
        if not (self._m and self._n):
            return
        if not second:
            yield Paragraph("v", self._v())
            if report.v is not None:
                yield Paragraph(product(report), self._product())
            yield Paragraph(self.words["cost"], self._cost())
        yield from self._verdicts()

    def say(self, key: str, **values: object) -> str:
        """A sentence with its places filled."""
        return self.words[key].format(**values)

    @property
    def _names(self) -> dict[str, str]:
        return {"y": self.report.output.name, "x": self.report.problem.wrt[0]}

    @property
    def _m(self) -> int:
        return len(self.report.output.value.values)

    @property
    def _n(self) -> int:
        return sum(len(self.report.inputs[name].values) for name in self.report.problem.wrt)

    def _size(self, shape: tuple[int, ...]) -> str:
        """How many elements there are, and in which shape where it says more."""
        count = prod(shape)
        if not shape:
            return self.say("number")
        if len(shape) > 1:
            return self.say("shaped", count=count, shape=shape_text(shape))
        return self.say("one") if count == 1 else self.say("many", count=count)

    def _numbers(self, count: int) -> str:
        return self.say("numbers_one") if count == 1 else self.say("numbers_many", count=count)

    def _jacobian(self, second: bool) -> str:
        report, wrt = self.report, self.report.problem.wrt
        sizes = {name: self._size(report.inputs[name].shape) for name in wrt}
        values: dict[str, object] = {
            **self._names,
            "m": self._m,
            "n": self._n if len(wrt) == 1 else f"({'+'.join(str(n) for n in self._counts())})",
            "count": f"{self._m * self._n:,}",
            "m_words": self._size(report.output.value.shape),
            "n_words": sizes[wrt[0]],
        }
        sentences = []
        if not (self._m and self._n):
            return self.say("empty", **values)
        if second:
            sentences.append(self.say("hessian", **values))
        elif len(wrt) > 1:
            each = (self.say("several", name=name, size=size) for name, size in sizes.items())
            sentences.append(self.say("jacobians", **values, inputs=self.words["and"].join(each)))
        elif self._m > 1:
            sentences.append(self.say("jacobian", **values))
        else:
            sentences.append(self.say("gradient" if self._n > 1 else "derivative", **values))
        row = self._row()
        sentences += [self.say("row", row=row)] if row else []
        sentences += [self.say("transposed")] if transposed(report) else []
        sentences += [self.say("complex")] if _is_complex(report.output.value) else []
        return _joined(sentences)

    def _counts(self) -> list[int]:
        return [len(self.report.inputs[name].values) for name in self.report.problem.wrt]

    def _row(self) -> str:
        """The first row of J where there is one input, and it is short."""
        report, n = self.report, self._n
        if report.jacobian is None or len(report.problem.wrt) > 1 or not 1 < n <= _SHOWN:
            return ""
        row = report.jacobian[report.problem.wrt[0]].values[:n]
        return "" if None in row else ", ".join(short(value) for value in row if value is not None)

    def _v(self) -> str:
        v, names = self.report.v, self._names
        if v is None:
            return self.say("no_v", **names, m=self._m, n=self._counts()[0])
        if len(v.values) == 1:
            return self.say("v_number", **names, v=short(v.values[0]))
        return self.say("v", **names, v=listing(v, _ROOM))

    def _product(self) -> str:
        names = self._names
        x = names["x"]
        scalar = not self.report.inputs[x].shape
        key = "product" if self._m > 1 else "product_number"
        grad, x_j = (f"{x}.grad", x) if scalar else (f"{x}.grad[j]", f"{x}_j")
        return self.say(key, **names, grad=grad, x_j=x_j, example=self._example())

    def _example(self) -> str:
        key, values = example(self.report)
        return self.say(key, **values)

    def _cost(self) -> str:
        names = self._names
        x = ", ".join(self.report.problem.wrt)
        if self._m == 1:
            return self.say("pass", **{**names, "x": x})
        size = _BYTES.get(self.report.problem.dtype, 8)
        return self.say(
            "passes",
            **{**names, "x": x},
            m=self._m,
            bytes=_memory(self._m * self._n * size),
            huge=_memory(_MILLION * _MILLION * size),
        )

    def _verdicts(self) -> Iterator[Paragraph]:
        """Each verdict that occurs, the worst first, with the numbers of its first finding."""
        report = self.report
        sides = [side for side in (report.judged_vjp, report.judged_jacobian) if side]
        counts = Counter(v for s in sides for array in s.verdicts.values() for v in array.values)
        for verdict in Verdict:
            if verdict is Verdict.OK and counts[verdict]:
                key = "all_ok" if len(counts) == 1 else "ok"
                yield Paragraph(verdict.value, self.say(key, count=self._numbers(counts[verdict])))
            elif counts[verdict]:
                meaning = self.say(verdict.value, count=self._numbers(counts[verdict]))
                found = finding_sentence(report, verdict, self.words)
                yield Paragraph(verdict.value, _joined([meaning, *([found] if found else [])]))
            elif verdict is report.verdict:
                yield from self._check(verdict)
        if not counts:
            yield Paragraph(Verdict.UNCHECKED.value, self.say("nothing"))

    def _check(self, verdict: Verdict) -> Iterator[Paragraph]:
        """The verdict of the report where no entry has it, but a further check."""
        names = [check.name for check in self.report.checks if check.verdict is verdict]
        if names and verdict not in (Verdict.OK, Verdict.UNCHECKED):
            yield Paragraph(verdict.value, self.say("check", name=names[0]))


def _joined(sentences: list[str]) -> str:
    """Sentences in a row; one that ends in a wide full stop needs no blank after it."""
    text = sentences[0]
    for sentence in sentences[1:]:
        text += sentence if text.endswith("。") else f" {sentence}"
    return text


def _is_complex(array: Array[Number]) -> bool:
    return any(isinstance(value, complex) for value in array.values)


def _memory(count: int) -> str:
    """``72 B``, ``80 kB``, ``8 TB``."""
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= 10 * size or count == size * (count // size):
            return f"{count / size:,.3g} {unit}"
    return f"{count} B"
