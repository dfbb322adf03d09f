"""What starts next (skills 5)."""

from aeon.skills.executor.scheduler import ReadyQueue


def filled(width, sociable=(), alone=()):
    dispatch = ReadyQueue(width)
    for position in sociable:
        dispatch.add(position, is_alone=False)
    for position in alone:
        dispatch.add(position, is_alone=True)
    return dispatch


def test_never_more_at_once_than_the_width():
    """Skills 5: never more at once than the configured limit."""
    dispatch = filled(2, [3, 1, 2])
    assert [dispatch.take(), dispatch.take(), dispatch.take()] == [1, 2, None]
    dispatch.release()
    assert [dispatch.take(), dispatch.take()] == [3, None]


def test_a_node_that_is_not_async_runs_alone():
    """Skills 5: parallel only where plan and tool say so."""
    dispatch = filled(4, [1, 2], [0, 3])
    assert [dispatch.take(), dispatch.take()] == [0, None]
    dispatch.release()
    assert [dispatch.take(), dispatch.take(), dispatch.take()] == [1, 2, None]
    dispatch.release()
    assert dispatch.take() is None
    dispatch.release()
    assert [dispatch.take(), dispatch.take()] == [3, None]


def test_others_go_first_while_some_still_run():
    dispatch = filled(4, [5])
    assert dispatch.take() == 5
    dispatch.add(0, is_alone=True)
    dispatch.add(9, is_alone=False)
    assert [dispatch.take(), dispatch.take()] == [9, None]


def test_nothing_waits_nothing_starts():
    assert ReadyQueue(1).take() is None
