"""Writes a page as the documentation has it, with the live examples of all AQMs: python web/tests/documentation.py FOLDER."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from live_pages import frame, schemes

page = Path(sys.argv[1]) / "reference/aqms.html"
page.parent.mkdir(parents=True)
examples = "\n".join(frame(f"Try <code>{name}</code> here", live) for name, live in schemes("reference/aqms").items())
page.write_text(
    f"""<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Reference: aqms</title>
  <style>body {{ margin: 16px }}</style></head>
  <body data-theme="auto"><main><h1>Reference: aqms</h1>
{examples}
  </main></body>
</html>
""",
    "utf-8",
)
