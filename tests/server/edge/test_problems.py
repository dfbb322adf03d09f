"""Errors as problems: what a client compares is the same whatever Python serves."""

import pytest

from aeon.server.edge.problems import HttpError, problem_of


@pytest.mark.parametrize(
    ("status", "title", "code"),
    [
        (404, "Not Found", "not_found"),
        (413, "Content Too Large", "content_too_large"),
        (414, "URI Too Long", "uri_too_long"),
        (416, "Range Not Satisfiable", "range_not_satisfiable"),
        (422, "Unprocessable Content", "unprocessable_content"),
        (429, "Too Many Requests", "too_many_requests"),
    ],
)
def test_a_status_has_the_name_of_rfc_9110_also_where_python_has_an_older_one(status, title, code):
    problem = problem_of(HttpError(status, "no"), "c1")
    assert (problem["title"], problem["code"]) == (title, code)
