"""NaN, infinities and false zeros are marked at the step where they enter, and only there."""

from tests.chain.helpers import chain_of, step


def kinds(chain):
    return {each.name: [mark.kind for mark in each.marks] for each in chain.steps if each.marks}


def test_nan_of_the_branch_that_is_not_taken():
    chain = chain_of("where(x > 0, sqrt(x), 0*x)", {"x": [-1.0, 4.0]}, [1.0, 1.0])
    sqrt = next(each for each in chain.steps if each.source == "sqrt(x)")
    # the value is NaN there, and so is what comes back
    assert kinds(chain) == {sqrt.name: ["nan", "nan"]}
    assert "'sqrt(x)' where its operand is -1" in sqrt.marks[1].words
    [row] = chain.identity
    assert row.truth.nested() == [[0.0, 0.0], [0.0, 0.25]]


def test_nan_of_a_named_step():
    chain = chain_of("r = sqrt(x); y = where(x > 0, r, 0)", {"x": [-1.0, 4.0]}, [1.0, 1.0])
    assert kinds(chain) == {"r": ["nan", "nan"]}


def test_infinity():
    # the derivative of sqrt at 0, good numbers everywhere else
    chain = chain_of("r = sqrt(x); s = r*2; y = s + 1", {"x": [0.0, 4.0]}, [1.0, 1.0])
    assert kinds(chain) == {"r": ["inf"]}


def test_false_zero_of_a_sigmoid():
    # σ'(40) is 4.2e-18, but σ(40) rounds to 1 and torch's σ·(1 - σ) to 0
    chain = chain_of("s = sigmoid(x); y = 3*s", {"x": [40.0, 0.0]}, [1.0, 1.0])
    assert kinds(chain) == {"s": ["zero"]}
    assert "'sigmoid(x)'" in step(chain, "s").marks[0].words


def test_good_numbers_have_no_marks():
    assert not kinds(chain_of("y = x + 2; z = relu(y)*2", {"x": [-3.0, 1.0]}, [1.0, 1.0]))


def test_without_v_the_local_jacobians_are_looked_at():
    chain = chain_of("r = sqrt(x); y = where(x > 0, r, 0)", {"x": [-1.0, 4.0]})
    assert kinds(chain) == {"r": ["nan", "nan"]}


def test_infinities_take_no_other_entry_with_them():
    # diag(inf) by diag(1e-200): 0·inf off the diagonal is no path
    text = "y = x*1e-200; z = y*y*1e300*1e100"
    [row] = chain_of(text, {"x": [1.0, -1.0]}, [1.0, 1.0]).identity
    assert row.product.nested() == [[float("inf"), 0.0], [0.0, float("-inf")]]
    assert row.agrees
