"""Real sample files for published scripts: `python samples.py FOLDER`, by a Python that has `PACKAGES`."""

import csv
import io
import json
import sys
import zipfile
from pathlib import Path

PACKAGES = ("python-docx", "python-pptx", "openpyxl", "reportlab", "pillow")
OFFICE = ("docx", "pptx", "xlsx")

_SKILL = (
    "---\nname: sample-skill\ndescription: A sample that counts words. Use it for texts.\n---\n# Sample\n\nDo it.\n"
)
_BOX = {"page_number": 1, "description": "name", "field_label": "Name", "label_bounding_box": [10, 10, 60, 30]}
_FIELD = {**_BOX, "entry_bounding_box": [70, 10, 150, 30], "entry_text": {"text": "Ann", "font_size": 10}}
_PAGE = {"page_number": 1, "image_width": 200, "image_height": 200}
_GRADING = {
    "summary": {"pass_rate": 0.5, "passed": 1, "failed": 1, "total": 2},
    "expectations": [{"text": "it counts", "passed": True, "evidence": "7"}],
}
_QUERY = {"query": "count words", "should_trigger": True, "triggers": 1, "runs": 1, "pass": True}
_HISTORY = {"iteration": 1, "description": "A sample.", "passed": 1, "failed": 0, "total": 1, "results": [_QUERY]}


def make_samples(folder: Path) -> None:
    """Makes one file or folder of each kind that published scripts take."""
    _make_documents(folder)
    for kind in OFFICE:
        with zipfile.ZipFile(folder / f"sample.{kind}") as opened:
            opened.extractall(folder / f"unpacked-{kind}")  # made just now
    texts = {
        "notes.md": "# Notes\n\nSome text.\n",
        "plan.md": "# Plan\n\n## Task 1: Count\n\nCount the words.\n\n## Task 2: Print\n\nPrint them.\n",
        "page.html": "<!doctype html><title>Sample</title><p>Some text.</p>\n",
        "list.json": "[]",
        "fields.json": json.dumps({"pages": [_PAGE], "form_fields": [_FIELD]}),
        "values.json": json.dumps([{"field_id": "name", "description": "d", "page": 1, "value": "Ann"}]),
        "results.json": json.dumps({"history": [_HISTORY], "holdout": 0, "best_description": "A sample."}),
        "sample-skill/SKILL.md": _SKILL,
        "runs/eval-1/with_skill/run-1/grading.json": json.dumps(_GRADING),
        "runs/eval-1/without_skill/run-1/grading.json": json.dumps(_GRADING),
    }
    table = io.StringIO()
    csv.writer(table).writerows([["name", "count"], ["a", 1], ["b", 2]])
    for name, text in {**texts, "table.csv": table.getvalue()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _make_documents(folder: Path) -> None:
    import docx
    import openpyxl
    import pptx
    from PIL import Image
    from reportlab.pdfgen.canvas import Canvas

    document = docx.Document()
    document.add_heading("Sample", 1)
    document.add_paragraph("Some text.")
    document.save(str(folder / "sample.docx"))
    slides = pptx.Presentation()
    slides.slides.add_slide(slides.slide_layouts[0]).shapes.title.text = "Sample"
    slides.save(str(folder / "sample.pptx"))
    book = openpyxl.Workbook()
    book.active.append(["name", 1])
    book.save(folder / "sample.xlsx")
    Image.new("RGB", (200, 200), "white").save(folder / "sample.png")
    canvas = Canvas(str(folder / "sample.pdf"), pagesize=(200, 200))
    canvas.drawString(10, 150, "Some text.")
    canvas.acroForm.textfield(name="name", x=50, y=50, width=100, height=20)
    canvas.save()


if __name__ == "__main__":
    make_samples(Path(sys.argv[1]))
