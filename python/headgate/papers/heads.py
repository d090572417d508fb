"""What lists say of a paper: what its first file has, without the variants and numbers that follow from it."""

from __future__ import annotations

from .checks import checked
from .contents import PaperForm
from .folder import Folder


def head(folder: Folder) -> PaperForm:
    """The contents of a paper's first file.

    >>> from .folder import find
    >>> [item.name for item in head(find("demers1989")).items][:2]
    ['scenario-1', 'scenario-2']

    Raises:
        PaperError: something in it is wrong; the text names the place.
    """
    return checked(PaperForm, folder.toml("paper.toml"), folder.origin("paper.toml"))
