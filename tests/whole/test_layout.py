"""Tables and figures laid out in TOML: what stands in the file, and what is said when it is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headgate.papers import PaperError
from headgate.papers.layout import Layouts
from headgate.papers.sheets import Sheets
from headgate.stats import Mean

TABLE = """
[loss]
title = "loss at {rate} packets/s"
columns = [["queue", "{queue}"], ["window", "{window}"], ["lost", "{found:.2f}"], ["by theory", "{due:.1f}", "theory"]]
note = "{rate} is the line's rate."
over = { queue = ["fq", "fcfs"], window = [2, 5] }

[two]
title = "two"
columns = [["a", "{0}"], ["b", "{1:.1f}"]]
measured = true
"""

SHEET = """
[delay]
size = [8.0, 4.0]
legend = { columns = 2, place = "outside upper center" }
[[delay.panels]]
title = "{what}"
x = "load"
y = "delay (s)"
xlim = [0, 5]
names = ["upper", "lower"]
uprights = [[1, "fair"]]
[[delay.panels]]
ylim = [0.1]
yscale = "log"
xticks = ["0.5", "1"]
legend = { at = 1.1 }
"""


def test_rows_are_the_points_of_axes_and_cells_have_their_forms(tmp_path: Path) -> None:
    (tmp_path / "tables.toml").write_text(TABLE)
    layouts = Layouts(str(tmp_path / "study.py"))

    def row(queue: str, window: int) -> dict[str, object] | None:
        if (queue, window) == ("fcfs", 2):
            return None
        return {"found": Mean(0.5, 0.0, 4) if queue == "fq" else float("nan"), "due": [1.0, float("inf")]}

    section = layouts.section("loss", row, rate=10)
    assert (section.title, section.note) == ("loss at 10 packets/s", "10 is the line's rate.")
    assert section.headings == ("queue", "window", "lost")
    assert section.rows == (("fq", "2", "0.50 ± 0.00"), ("fq", "5", "0.50 ± 0.00"), ("fcfs", "5", "-"))
    assert layouts.section("loss", row, rate=10, theory=True).rows[0][3] == "1.0, never"
    two = layouts.section("two", [("x", 1), (None, np.array([1.0, 2.0]))])
    assert (two.rows, two.measured) == ((("x", "1.0"), ("-", "1.0, 2.0")), True)


def test_a_sheet_has_the_panels_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "sheets.toml").write_text(SHEET)
    sheet = Sheets(str(tmp_path / "study.py")).open("delay", what="Delay")
    left, right = sheet.axes
    left.plot([1, 2], [0.1, 1], label="fq")
    right.plot([1, 2], [0.2, 1], label="fcfs")
    drawing = sheet.done()
    assert drawing.get_size_inches().tolist() == [8.0, 4.0]
    assert (left.get_title(), left.get_xlabel(), left.get_ylabel()) == ("Delay", "load", "delay (s)")
    assert (right.get_yscale(), left.get_xlim()) == ("log", (0.0, 5.0))
    assert [t.get_text() for t in left.get_yticklabels()] == ["upper", "lower"]
    assert left.get_yticks().tolist() == [1.0, 0.0]
    assert [t.get_text() for t in left.texts] == ["fair"]
    assert len(drawing.legends) == 1
    assert right.get_legend() is not None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("title =", "titel =", "loss: expected the key `title`"),
        ("over = {", 'over = "x" # {', "loss.over: found"),
        ("measured = true", "measure = true", 'two: found "measure".*Did you mean "measured"'),
        ('["a", "{0}"]', '["a", 0]', r"two.columns\[0\]\[1\]: found 0; expected a text"),
    ],
)
def test_what_is_wrong_in_a_layout_is_named(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in TABLE
    (tmp_path / "tables.toml").write_text(TABLE.replace(old, new, 1))
    with pytest.raises(PaperError, match=words):
        Layouts(str(tmp_path / "study.py"))


def test_a_table_or_a_figure_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "tables.toml").write_text(TABLE)
    (tmp_path / "sheets.toml").write_text(SHEET)
    with pytest.raises(PaperError, match='found "los"'):
        Layouts(str(tmp_path / "study.py")).section("los")
    with pytest.raises(PaperError, match='found "dely"'):
        Sheets(str(tmp_path / "study.py")).open("dely")
