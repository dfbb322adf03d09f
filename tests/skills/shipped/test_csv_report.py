"""The skill csv-report: what it reads, what it sums up, what it draws."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

pytestmark = pytest.mark.slow  # a process for each test

SALES = "region,amount,note\nNorth,10,a\nSouth,20.5,\nNorth,30,b\n"


@pytest.fixture
def report(skills):
    """Writes a file and reports on it."""

    def made(content, **given):
        path = skills.data / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return skills.run("csv-report", "report", {"path": str(path), **given})

    return made


def column(run, name):
    return next(one for one in run.output["report"]["columns"] if one["name"] == name)


def files(run):
    return {event["kind"]: Path(event["path"]) for event in run.of("asset")}


def bars(path):
    """The left edge of every bar on the chart's base line, from its colour."""
    with Image.open(path) as file:
        image = file.convert("RGB")
    blue = [[image.getpixel((x, y)) == (47, 111, 159) for x in range(image.width)] for y in range(image.height)]
    columns = [any(row[x] for row in blue) for x in range(image.width)]
    return sum(is_bar and not before for before, is_bar in zip([False, *columns], columns, strict=False))


def test_sums_up_every_column(report):
    run = report(SALES)
    assert run.output["report"]["rows"] == 3
    amount = {"name": "amount", "kind": "number", "count": 3, "missing": 0, "distinct": 3, "unreadable": 0}
    assert column(run, "amount") == amount | {"min": 10, "max": 30, "sum": 60.5, "mean": 20.1666666667, "median": 20.5}
    assert column(run, "note")["missing"] == 1
    assert column(run, "region")["mostFrequent"][0] == {"value": "North", "count": 2}


def test_sums_by_group_and_draws_a_bar_for_each(report):
    run = report(SALES, column="Amount", groupBy="region", title="Sales")
    assert run.output["report"]["groups"] == [
        {"group": "North", "rows": 2, "count": 2, "sum": 40, "mean": 20},
        {"group": "South", "rows": 1, "count": 1, "sum": 20.5, "mean": 20.5},
    ]
    assert run.output["report"]["column"]["sum"] == 60.5
    assert run.of("asset")[0]["metadata"]["title"] == "Sales"
    assert bars(files(run)["chart"]) == 2


def test_its_assets_lie_in_the_requests_folder_skills_11(skills, report):
    run = report(SALES)
    assert {event["kind"]: event["mediaType"] for event in run.of("asset")} == {
        "chart": "image/png",
        "report": "text/markdown",
    }
    for path in files(run).values():
        assert path.is_relative_to(skills.data / "reports" / "request-1")
    with Image.open(files(run)["chart"]) as image:
        assert (image.format, image.size) == ("PNG", (800, 480))
    page = files(run)["report"].read_text()
    assert page.startswith("# Report on table.csv\n\n3 rows, 3 columns.")
    assert "| amount | 3 | 0 | 0 | 10 | 30 | 20.1667 | 20.5 | 60.5 |" in page
    assert "![Chart](chart.png)" in page


def test_a_request_id_cannot_lead_out_of_the_data_folder_skills_11(skills):
    (skills.data / "t.csv").write_text(SALES)
    run = skills.run("csv-report", "report", {"path": "t.csv"}, request_id="../../etc/x")
    assert all(path.is_relative_to(skills.data / "reports") for path in files(run).values())


def test_two_reports_of_one_request_do_not_meet(report):
    assert files(report(SALES))["chart"] != files(report(SALES, groupBy="region"))["chart"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("\ufeffname;amount\nä;1.234,5\nb;0,5\n", 1235),
        ("name\tamount\na\t1\nb\t1e3\n", 1001),
        ("name|amount\na|-1\nb|+.5\n", -0.5),
        ('name,amount\na,"1,234.5"\nb,2\n', 1236.5),
        ('name,amount\r\n"two\nlines",1\r\n"say ""hi""",2\r\n', 3),
        ('name;price;amount\na;"0,5";1.234\nb;1,5;2.000\n', 3234),
        ("name,price,amount\na,0.5,1.234\nb,1.5,2.000\n", 3.234),
        ("name,amount\n\na,1\n   \nb,n/a\nc,-\nd,NULL\n", 1),
        ("name,amount\nb,1".encode("utf-16"), 1),
        ("amount\n1\n2\n", 3),
    ],
)
def test_reads_numbers_however_they_are_written(report, content, expected):
    assert column(report(content), "amount")["sum"] == pytest.approx(expected)


def test_digits_with_leading_zeros_are_names(report):
    assert column(report("zip,n\n00123,1\n10115,2\n"), "zip")["kind"] == "text"


def test_what_is_not_finite_is_no_number(report):
    run = report("n\n" + "1\n" * 20 + "1e999\n")
    assert (column(run, "n")["count"], column(run, "n")["unreadable"]) == (20, 1)


def test_ragged_rows_are_reported(report):
    run = report("a,b\n1\n1,2\n1,2,3\n")
    assert run.output["report"]["raggedRows"] == 2
    assert "2 rows have more or fewer cells than the header's 2 (lines 2, 4)" in run.logged
    assert "(lines 2, 4)" in files(run)["report"].read_text()


def test_another_encoding_is_guessed_aloud(report):
    run = report("Stadt,n\nKöln,1\n".encode("cp1252"))
    assert "read as Windows-1252" in run.logged
    assert column(run, "Stadt")["mostFrequent"][0]["value"] == "Köln"


def test_headers_without_names_or_with_the_same_get_their_own(report):
    assert [one["name"] for one in report("x,,x\n1,2,3\n").output["report"]["columns"]] == ["x", "column 2", "x (2)"]


def test_many_groups_are_drawn_as_the_largest_and_the_rest(report):
    run = report("g,n\n" + "".join(f"group {i},{i}\n" for i in range(60)), column="n", groupBy="g")
    assert bars(files(run)["chart"]) == 12
    assert run.output["report"]["groupsLeftOut"] == 10


@pytest.mark.parametrize(
    ("content", "given", "said"),
    [
        ("", {}, "empty_file"),
        ("\n\n", {}, "empty_file"),
        (
            SALES,
            {"column": "price"},
            "The column 'price' for column does not exist; the columns are: region, amount, note.",
        ),
        (SALES, {"groupBy": "area"}, "The column 'area' for groupBy does not exist"),
        (SALES, {"column": "note", "groupBy": "region"}, "contains text, which cannot be summed"),
        (",".join("x" * 501), {}, "at most 500 are read"),
    ],
)
def test_what_cannot_be_reported_on_is_said(report, content, given, said):
    assert said in report(content, **given).error


def test_a_file_that_is_not_there_or_too_large_is_said(skills):
    assert "cannot be read" in skills.run("csv-report", "report", {"path": "gone.csv"}).error
    assert "is a folder" in skills.run("csv-report", "report", {"path": "."}).error
    (skills.data / "t.csv").write_text("a\n" + "1\n" * 600)
    assert "raise maxBytes" in skills.run("csv-report", "report", {"path": "t.csv"}, {"maxBytes": 1024}).error


@pytest.mark.parametrize(
    "content",
    [
        "a\n",
        "a,b\n,\n",
        "a\n1\n",
        "a\n0\n",
        "a\n-5\n-5\n",
        "a\n1e300\n-1e300\n",
        "a\n1e-300\n",
        "a\n0.1\n0.3\n",
        "a\nx\ty\x00z\n",
        "a\n\U0001f600\n",
    ],
)
def test_odd_tables_are_drawn_all_the_same(report, content):
    for given in ({}, {"groupBy": content[0]}):
        assert report(content, **given).ok


def test_the_bins_of_a_histogram_hold_every_number(skills):
    """Whatever the numbers are; a law about the drawing's own seam."""
    sys.path.insert(0, str(Path(skills.command("csv-report", "report")[1]).parents[1]))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        from reporting.choice import bin_edges
    finally:
        sys.path.pop(0)
        sys.dont_write_bytecode = before
    rng = random.Random(5)
    for size in (1, 2, 10, 1000):
        for scale in (1e-6, 1.0, 12345.6):
            numbers = [rng.gauss(3, 1) * scale for _ in range(size)]
            for found in (numbers, [float(round(number)) for number in numbers]):
                edges = bin_edges(found)
                assert edges[0] <= min(found) <= max(found) <= edges[-1] * (1 + 1e-12) + 1e-12
                assert 2 <= len(edges) <= 25
                assert edges == sorted(edges)


def test_markdown_cells_cannot_break_the_table(report):
    page = files(report('a,c\n"x|y",1\n<b>y,2\n'))["report"].read_text()
    assert "x\\|y (1), &lt;b>y (1)" in page


def test_a_hundred_thousand_rows_take_seconds(report):
    rng = random.Random(1)
    rows = (f"{i},{rng.choice('abc')},{rng.random() * 100:.2f}\n" for i in range(100_000))
    run = report("id,kind,amount\n" + "".join(rows), column="amount", groupBy="kind")
    assert run.output["report"]["rows"] == 100_000


def test_without_pillow_the_error_says_what_to_install(skills):
    """The interpreter without its site packages has none."""
    command = skills.command("csv-report", "report")
    process = subprocess.Popen(
        [command[0], "-S", "-E", command[1]],
        cwd=skills.data,
        env=skills.env({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    run = skills.finish(process, skills.line("csv-report", "report", {"path": "t.csv"}))
    assert "pip install 'aeon-orchestrator[skills]'" in run.error
