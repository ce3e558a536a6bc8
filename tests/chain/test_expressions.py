"""Chains of expressions; the numbers are worked out by hand."""

from math import cos, sin

import pytest

from tests.chain.helpers import chain_of, diagonal, equations, local, step
from vjp_cli.errors import InputError, LimitError

TWO_STEPS = "y = x + 2; z = y*y*2"


@pytest.fixture(scope="module")
def tutorial():
    return chain_of(TWO_STEPS, {"x": [1.0, 2.0, 3.0]}, [0.1, 1.0, 1e-4])


def test_steps_from_the_output_back(tutorial):
    assert [(s.name, s.source, s.value.nested()) for s in tutorial.steps] == [
        ("z", "y*y*2", [18.0, 32.0, 50.0]),
        ("y", "x + 2", [3.0, 4.0, 5.0]),
        ("x", "", [1.0, 2.0, 3.0]),
    ]


def test_local_jacobian_by_the_step_before_it(tutorial):
    # z = 2·y², so ∂z/∂y = 4·y at 3, 4, 5; y = x + 2
    assert local(tutorial, "z", "y").jacobian.nested() == diagonal(12.0, 16.0, 20.0)
    assert local(tutorial, "z", "y").truth.nested() == diagonal(12.0, 16.0, 20.0)
    assert local(tutorial, "z", "y").agrees
    assert equations(local(tutorial, "z", "y")) == ["dz[i]/dy[i] = 4*y[i]"]
    assert local(tutorial, "y", "x").jacobian.nested() == diagonal(1.0, 1.0, 1.0)
    assert equations(local(tutorial, "y", "x")) == ["dy[i]/dx[i] = 1"]
    assert list(step(tutorial, "z").local) == ["y"]
    assert not step(tutorial, "x").local


def test_cotangents_on_the_way_back(tutorial):
    assert step(tutorial, "z").cotangent.nested() == [0.1, 1.0, 1e-4]
    # v·4y
    weighted = pytest.approx([1.2, 16.0, 0.002], rel=1e-15)
    assert step(tutorial, "y").cotangent.nested() == weighted
    assert step(tutorial, "x").cotangent.nested() == weighted
    assert local(tutorial, "z", "y").handed.nested() == weighted


def test_identity_has_the_numbers_of_both_sides(tutorial):
    [row] = tutorial.identity
    assert (row.name, row.where, row.paths) == ("x", "∂z/∂x", ("∂z/∂y·∂y/∂x",))
    for side in (row.product, row.jacobian, row.truth):
        assert side.nested() == diagonal(12.0, 16.0, 20.0)
    assert row.agrees


def test_every_operation_where_none_is_named():
    chain = chain_of("2*(x+2)**2", {"x": [1.0, 2.0, 3.0]})
    assert [(s.name, s.source) for s in chain.steps] == [
        ("y", "2*(x+2)**2"),
        ("t2", "(x+2)**2"),
        ("t1", "x+2"),
        ("x", ""),
    ]
    assert local(chain, "t2", "t1").jacobian.nested() == diagonal(6.0, 8.0, 10.0)
    assert equations(local(chain, "t2", "t1")) == ["dt2[i]/dt1[i] = 2*t1[i]"]
    assert step(chain, "t1").product.nested() == diagonal(12.0, 16.0, 20.0)
    assert step(chain, "t1").cotangent is None
    assert chain.identity[0].paths == ("∂y/∂t2·∂t2/∂t1·∂t1/∂x",)


def test_names_that_are_taken_are_left_alone():
    chain = chain_of("(t1 + 1)*2 + t2", {"t1": [1.0], "t2": [2.0]})
    assert [s.name for s in chain.steps] == ["y", "t4", "t3", "t1", "t2"]


def test_broadcast_of_a_row_over_a_matrix():
    inputs = {"k": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "x": [1.0, 0.5, 2.0]}
    chain = chain_of("y = k*x; z = sum(y, 0)", inputs, [1.0, 10.0, 100.0], wrt=("x",))
    assert step(chain, "y").cotangent.nested() == [[1.0, 10.0, 100.0]] * 2
    # the sum over the rows of k
    assert step(chain, "x").cotangent.nested() == [5.0, 70.0, 900.0]
    by_x = [[1.0, 0, 0], [0, 2.0, 0], [0, 0, 3.0]], [[4.0, 0, 0], [0, 5.0, 0], [0, 0, 6.0]]
    assert local(chain, "y", "x").jacobian.nested() == list(by_x)
    assert local(chain, "y", "x").truth.nested() == list(by_x)
    assert equations(local(chain, "y", "x")) == ["dy[i,j]/dx[j] = k[i,j]"]
    assert chain.identity[0].product.nested() == diagonal(5.0, 7.0, 9.0)


def test_matrix_product():
    inputs = {"k": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "x": [[1.0], [2.0], [3.0]]}
    chain = chain_of("k @ x", inputs, [[1.0], [10.0]], wrt=("x",))
    found = local(chain, "y", "x")
    assert found.shape == (2, 3)
    assert [row[0] for row in found.jacobian.nested()] == [
        [[1.0], [2.0], [3.0]],
        [[4.0], [5.0], [6.0]],
    ]
    assert equations(found) == ["dy[i,0]/dx[j,0] = k[i,j]"]
    assert step(chain, "x").cotangent.nested() == [[41.0], [52.0], [63.0]]


def test_shared_within_a_step_is_a_sum_over_its_operations():
    chain = chain_of("y = x*x; z = y*sin(y)+y", {"x": [1.0, 2.0]}, [1.0, 1.0])
    found = local(chain, "z", "y")
    assert [(term.via, term.value.nested()) for term in found.terms] == [
        ("y*sin(y)+y", [1.0, 1.0]),
        ("y*sin(y)", [pytest.approx(sin(1)), pytest.approx(sin(4))]),
        ("sin(y)", [pytest.approx(cos(1)), pytest.approx(4 * cos(4))]),
    ]
    total = [1 + sin(1) + cos(1), 1 + sin(4) + 4 * cos(4)]
    assert found.handed.nested() == pytest.approx(total, rel=1e-15)
    assert step(chain, "y").cotangent.nested() == pytest.approx(total, rel=1e-15)
    assert equations(found) == ["dz[i]/dy[i] = y[i]*cos(y[i]) + sin(y[i]) + 1"]


def test_shared_by_two_steps_is_a_sum_over_paths():
    chain = chain_of("y = x + 1; a = y*y; b = 3*y; z = a*b", {"x": [1.0, 2.0]}, [1.0, 10.0])
    # y = 2, 3; a = 4, 9; b = 6, 9; z = 3·y³, so 9·y² = 36, 81 in all
    assert local(chain, "a", "y").handed.nested() == [24.0, 540.0]
    assert local(chain, "b", "y").handed.nested() == [12.0, 270.0]
    assert step(chain, "y").cotangent.nested() == [36.0, 810.0]
    assert set(chain.identity[0].paths) == {"∂z/∂b·∂b/∂y·∂y/∂x", "∂z/∂a·∂a/∂y·∂y/∂x"}
    assert chain.identity[0].product.nested() == diagonal(36.0, 81.0)


def test_other_predecessors_are_held_fixed():
    # b depends on a, and c on both: ∂c/∂a alone is b, not b + a·∂b/∂a
    chain = chain_of("a = 2*x; b = a*a; c = a*b", {"x": [1.0]}, [1.0])
    assert local(chain, "c", "a").jacobian.nested() == [[4.0]]
    assert local(chain, "c", "a").truth.nested() == [[4.0]]
    assert local(chain, "c", "b").jacobian.nested() == [[2.0]]
    # c = 8·x³
    assert chain.identity[0].product.nested() == [[24.0]]


def test_scalar():
    chain = chain_of("y = x*3; z = y*y", {"x": 2.0})
    assert step(chain, "y").cotangent.nested() == 12.0
    assert local(chain, "z", "y").jacobian.nested() == 12.0
    assert equations(local(chain, "z", "y")) == ["dz/dy = 2*y"]
    assert chain.identity[0].truth.nested() == 36.0


def test_size_0():
    chain = chain_of("y = x*2; z = sum(y)", {"x": []})
    assert step(chain, "y").cotangent.nested() == []
    assert local(chain, "z", "y").shape == (1, 0)
    assert chain.identity[0].product.nested() == []


def test_numbers_are_those_of_the_dtype():
    chain = chain_of("y = x/3; z = y*y", {"x": [1.0]}, [1.0], dtype="float32")
    third = 0.3333333432674408
    assert step(chain, "y").value.nested() == [third]
    assert local(chain, "z", "y").jacobian.nested() == [[2 * third]]
    assert local(chain, "z", "y").agrees


def test_bfloat16_agrees_to_its_own_digits():
    chain = chain_of("y = x/3; z = y*y", {"x": [1.0, 2.0]}, [1.0, 1.0], dtype="bfloat16")
    # 1/3 to 8 bits
    assert step(chain, "y").value.nested() == [0.333984375, 0.66796875]
    assert local(chain, "y", "x").agrees
    assert chain.identity[0].agrees


def test_a_name_given_twice():
    chain = chain_of("y = x + 2; y = y*y; y = 3*y", {"x": [1.0]}, [1.0])
    assert [s.name for s in chain.steps] == ["y", "y#3", "y#2", "x"]
    assert chain.identity[0].product.nested() == [[18.0]]


def test_several_values_of_one_name():
    chain = chain_of("s = sort(x); y = s.values*2", {"x": [3.0, 1.0]}, [1.0, 10.0])
    assert [s.name for s in chain.steps] == ["y", "s[0]", "x"]
    assert step(chain, "x").cotangent.nested() == [20.0, 2.0]


def test_what_the_output_does_not_use_is_no_step():
    chain = chain_of("a = x + 1; b = x*2; c = b*b", {"x": [1.0]}, [1.0])
    assert [s.name for s in chain.steps] == ["c", "b", "x"]


def test_a_step_that_is_constant_between_its_jumps():
    chain = chain_of("t = floor(x); y = t*x", {"x": [1.5, 2.0]}, [1.0, 1.0])
    assert equations(local(chain, "y", "t")) == ["dy[i]/dt[i] = x[i]"]
    assert local(chain, "t", "x").jacobian.nested() == diagonal(0.0, 0.0)
    # the tape has no path there, and slopes are those of the whole function
    assert local(chain, "t", "x").truth is None


def test_no_truth_at_a_tie():
    found = local(chain_of("a = relu(x); b = a*a", {"x": [0.0, 2.0]}, [1.0, 1.0]), "a", "x")
    assert found.truth.nested() == [[None, 0.0], [None, 1.0]]
    assert equations(found) == ["da[1]/dx[1] = 1"]


def test_departure_is_shown_against_the_truth():
    chain = chain_of("a = x*x; b = detach(a)*a", {"x": [1.0, 3.0]}, [1.0, 1.0])
    found = local(chain, "b", "a")
    assert found.jacobian.nested() == diagonal(1.0, 9.0)
    assert found.truth.nested() == diagonal(2.0, 18.0)
    assert found.agrees is False


def test_no_way_to_an_input():
    assert not chain_of("y = x*2; x", {"x": [1.0]}, [1.0]).steps
    assert chain_of("y = x*2; x", {"x": [1.0]}, [1.0]).notes


def test_large_arrays_have_formulas_alone():
    chain = chain_of("y = x*x; z = sum(y)", {"x": [1.0] * 200})
    assert local(chain, "y", "x").jacobian is None
    assert local(chain, "y", "x").shape == (200, 200)
    assert equations(local(chain, "y", "x")) == ["dy[i]/dx[i] = 2*x[i]"]
    assert step(chain, "x").cotangent.nested() == [2.0] * 200
    assert chain.identity[0].product is None
    assert chain.notes == ("the local Jacobian of y is not built: 40,000 entries",)


def test_without_j():
    [row] = chain_of(TWO_STEPS, {"x": [1.0, 2.0]}, [1.0, 1.0], jacobian=False).identity
    assert row.product.nested() == diagonal(12.0, 16.0)
    assert row.jacobian is None
    assert row.agrees is None


def test_many_paths_are_written_by_the_last_step():
    text = "a = sin(x); b = a*x + x; c = b*a + b*x; z = c*b + c*a + c*x"
    [row] = chain_of(text, {"x": [1.0]}, [1.0]).identity
    assert set(row.paths) == {"∂z/∂x", "∂z/∂c·∂c/∂x", "∂z/∂b·∂b/∂x", "∂z/∂a·∂a/∂x"}
    assert row.agrees


def test_second_derivatives_and_complex_numbers_are_refused():
    with pytest.raises(InputError, match="first derivatives"):
        chain_of(TWO_STEPS, {"x": [1.0]}, [1.0], order=2)
    with pytest.raises(InputError, match="real numbers"):
        chain_of("x*x", {"x": [1.0 + 2.0j]}, [1.0], dtype="complex128")


def test_complex_numbers_within_are_no_steps():
    chain = chain_of("abs(torch.fft.fft(x))", {"x": [1.0, 2.0]}, [1.0, 1.0])
    assert [s.name for s in chain.steps] == ["y", "x"]
    assert local(chain, "y", "x").jacobian.nested() == [[1.0, 1.0], [-1.0, 1.0]]
    assert local(chain, "y", "x").truth is None


def test_too_many_steps():
    with pytest.raises(LimitError, match="201 steps; the limit is 200"):
        chain_of("x" + " + 1" * 201, {"x": [1.0]}, [1.0])
