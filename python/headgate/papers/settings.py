"""Items and variants with levels of the paper's unknowns in place of what the folder has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .build import build_scenario
from .levels import Setting, Unknown
from .model import Item, Table, Variant


def with_setting(item: Item, variant: Variant, unknowns: Sequence[Unknown], setting: Setting) -> tuple[Item, Variant]:
    """An item and a variant with the levels of a setting in place of what the folder has."""
    chosen = [(u, setting[u.name]) for u in unknowns if u.name in setting and u.fits(item.name, variant.name)]
    changed = [(u, level) for u, level in chosen if level != u.default]
    if not changed:
        return item, variant
    scenario = build_scenario(item, variant)
    paths: Table = {}
    for unknown, level in changed:
        paths |= unknown.settings(level, scenario)
        item = replace(item, phase=str(unknown.levels[level].sets.get("phase", item.phase)))
    return item, replace(variant, settings={**variant.settings, **paths})


def item_with_setting(item: Item, unknowns: Sequence[Unknown], setting: Setting) -> Item:
    """An item all of whose variants have the levels of a setting."""
    made = [with_setting(item, v, unknowns, setting) for v in item.variants]
    phases = [i.phase for i, _ in made if i.phase != item.phase]
    return replace(item, variants=tuple(v for _, v in made), phase=phases[0] if phases else item.phase)
