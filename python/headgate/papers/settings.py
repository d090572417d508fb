"""Items and variants with levels of the paper's unknowns in place of what the folder has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .build import build_scenario
from .levels import Setting, Unknown
from .model import Item, Paper, PaperError, Table, Variant, unknown


def with_setting(item: Item, variant: Variant, unknowns: Sequence[Unknown], setting: Setting) -> tuple[Item, Variant]:
    """An item and a variant with the levels of a setting in place of what the folder has."""
    chosen = [(u, setting[u.name]) for u in unknowns if u.name in setting and u.fits(item.name, variant.name)]
    changed = [(u, level) for u, level in chosen if level != u.default]
    if not changed:
        return item, variant
    scenario = build_scenario(item, variant)
    paths: Table = {}
    for one, level in changed:
        paths |= one.settings(level, scenario)
        item = replace(item, phase=str(one.levels[level].sets.get("phase", item.phase)))
    return item, replace(variant, settings={**variant.settings, **paths})


def item_with_setting(item: Item, unknowns: Sequence[Unknown], setting: Setting) -> Item:
    """An item all of whose variants have the levels of a setting."""
    made = [with_setting(item, v, unknowns, setting) for v in item.variants]
    phases = [i.phase for i, _ in made if i.phase != item.phase]
    return replace(item, variants=tuple(v for _, v in made), phase=phases[0] if phases else item.phase)


def setting_of(paper: Paper, chosen: Sequence[str], *, text_alone: bool = False) -> dict[str, int]:
    """The setting that texts such as `jk_first=6s` say, after that of the text alone if it is wanted.

    Raises:
        PaperError: there is no such unknown, or it has no such level.
    """
    setting = {u.name: u.text for u in paper.unknowns} if text_alone else {}
    known = {u.name: u for u in paper.unknowns}
    for text in chosen:
        name, equals, level = text.partition("=")
        if not equals:
            raise PaperError(f"--unknown {text}: expected NAME=LEVEL, such as {next(iter(known), 'name')}=LEVEL")
        if name not in known:
            raise unknown(f"unknown of {paper.name}", name, known)
        names = [x.name for x in known[name].levels]
        if level not in names:
            raise unknown(f"level of {name}", level, names)
        setting[name] = names.index(level)
    return setting
