from vjp_cli.render.elide import chunks, columns_shown, hidden_line, rows_shown


def test_everything_that_fits_is_shown():
    # three columns of 4 and two gaps of 2 make 16
    assert columns_shown(3, lambda _: 4, 16) == [0, 1, 2]


def test_the_first_columns_and_the_last_are_shown():
    # "… 30 more" takes 9: 4 + 2 + 4 + 2 + 9 + 2 + 4 = 27
    assert columns_shown(30, lambda _: 4, 27) == [0, 1, None, 29]
    assert columns_shown(30, lambda _: 4, 26) == [0, None, 29]


def test_the_first_and_the_last_column_are_shown_even_without_room():
    assert columns_shown(30, lambda _: 50, 10) == [0, None, 29]
    assert columns_shown(2, lambda _: 50, 10) == [0, 1]


def test_hundreds_of_columns_are_shown_in_a_pipe_but_not_a_million():
    assert columns_shown(400, lambda _: 4, 10**9) == list(range(400))
    shown = columns_shown(10**6, lambda _: 4, 10**9)
    assert shown[-2:] == [None, 10**6 - 1]
    assert len(shown) == 402


def test_only_columns_that_may_be_shown_are_measured():
    measured = set()
    columns_shown(10**6, lambda column: measured.add(column) or 4, 80)

    assert len(measured) < 20


def test_rows_are_shown_up_to_forty_and_ten_of_more():
    assert rows_shown(40, 80) == list(range(40))
    assert rows_shown(41, 80) == [*range(10), None, 40]
    assert rows_shown(400, 1_000_000) == list(range(400))
    assert rows_shown(401, 1_000_000) == [*range(10), None, 400]


def test_chunks_lose_no_column():
    assert chunks(5, lambda _: 4, 10) == [[0, 1], [2, 3], [4]]
    assert chunks(3, lambda _: 50, 10) == [[0], [1], [2]]
    assert chunks(0, lambda _: 4, 10) == []


def test_what_is_left_out_is_counted_in_words():
    assert hidden_line(24, "column") == "24 more columns not shown (--full, --json)"
    assert hidden_line(1, "row") == "1 more row not shown (--full, --json)"
