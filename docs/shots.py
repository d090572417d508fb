"""Takes the pictures of the explorer in a browser: `make shots`, from the root of a checkout. Needs Node.js and Chromium.

That of the notebook is taken when NOTEBOOKS names the folder `bin` of an environment with JupyterLab, marimo and our extra `explore`.
Browsers write pictures in 16 million colours; 256 of them are enough for a page, and take a third of the bytes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

IMAGES = Path("docs/images")

#: Bytes that a picture may have.
MOST = 150_000


def main() -> None:
    """Writes every picture."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["node", "web/shots.mjs", name], check=True)
        if os.environ.get("NOTEBOOKS"):
            with tempfile.TemporaryDirectory() as tried:
                test = ["node", "--test", "web/tests/notebooks.test.mjs"]
                subprocess.run(test, check=True, env={**os.environ, "SHOTS": tried})
                shutil.copyfile(Path(tried) / "jupyterlab-first.png", Path(name) / "explore-notebook.png")
        for file in sorted(Path(name).iterdir()):
            target = IMAGES / file.name
            with Image.open(file) as image:
                image.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
                    target, optimize=True
                )
            size = target.stat().st_size
            print(f"{target}: {size} bytes")
            if size > MOST:
                raise SystemExit(f"{target} has {size} bytes; expected at most {MOST}")


if __name__ == "__main__":
    main()
