"""Figures in a browser, by plotly: one file that needs no network. It holds the library, which is most of its 5 MB."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from ..base.errors import missing_extra
from ..base.palette import COLOURS
from .content import DASHES, MARKERS, Content, Scale, Series


def _plotly() -> Any:
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise missing_extra("an interactive figure", "plotly", "html") from None
    return go


def draw(figure: Content) -> Any:
    """Draws a figure.

    Raises:
        MissingExtraError: plotly is not installed.
    """
    go = _plotly()
    sheet = go.Figure()
    if figure.grid is None:
        for i, series in enumerate(figure.series):
            _series(go, sheet, figure, series, i)
    else:
        columns, rows = figure.x.names or [], figure.y.names or []
        sheet.add_heatmap(
            x=list(range(len(columns))), y=list(range(len(rows))), z=figure.grid.values, customdata=figure.grid.half,
            text=[[f"{figure.x.label} {a}, {figure.y.label} {b}" for a in columns] for b in rows], colorscale="Viridis",
            colorbar_title_text=figure.grid.label, colorbar_title_side="right",
            hovertemplate="%{text}<br>%{z:.4g} ± %{customdata:.2g}<extra></extra>",
        )  # fmt: skip
    caption = "<br>".join(textwrap.wrap(figure.caption, 130))
    sheet.update_layout(
        template="plotly_white", title_text=figure.title, title_subtitle_text=caption, title_subtitle_font_size=11,
        legend_title_text=figure.legend, showlegend=bool(figure.legend), xaxis=_scale(figure.x), yaxis=_scale(figure.y),
        margin_t=110, height=560, hovermode="closest",
    )  # fmt: skip
    if figure.kind == "cdf":
        sheet.update_yaxes(range=[0, 1.02])
    elif figure.from_zero and not figure.y.log and figure.grid is None:
        sheet.update_yaxes(rangemode="tozero")
    return sheet


def page(figure: Content) -> str:
    """A page with the figure and all that it needs."""
    sheet = draw(figure)
    text = sheet.to_html(include_plotlyjs=True, div_id="figure", config={"displaylogo": False, "responsive": True})
    title = figure.title.replace("&", "&amp;").replace("<", "&lt;")
    return str(text).replace("</head>", f"<title>{title}</title></head>", 1)


def _series(go: Any, sheet: Any, figure: Content, s: Series, i: int) -> None:
    colour, group = COLOURS[i % len(COLOURS)], f"s{i}"
    marker = {"symbol": MARKERS[i % len(MARKERS)][1], "size": 8, "color": colour}
    line = {"color": colour, "width": 1.6, "dash": DASHES[i % len(DASHES)][1]}
    common: dict[str, Any] = {"name": s.name, "legendgroup": group}
    hover = f"{s.name}<br>%{{x:.4g}}, %{{y:.4g}}<extra></extra>"
    if figure.kind == "cdf":
        sheet.add_scatter(x=s.x, y=s.y, mode="lines", line={**line, "shape": "hv"}, hovertemplate=hover, **common)
        return
    pale = "rgba({},{},{},0.18)".format(*(int(colour[k : k + 2], 16) for k in (1, 3, 5)))
    for u, v in s.outlines:
        sheet.add_scatter(
            x=u, y=v, mode="lines", fill="toself", fillcolor=pale, line={"color": colour, "width": 0.5},
            legendgroup=group, showlegend=False, hoverinfo="skip",
        )  # fmt: skip
    bars = {"error_y": _arms(s.y, s.low, s.high)}
    mode, text = "markers", s.texts
    if figure.kind == "utility":
        bars["error_x"] = _arms(s.x, s.x_low, s.x_high)
        mode, line["dash"] = ("lines+markers" if figure.path else "markers"), "dot"
        hover = f"{s.name} %{{text}}<br>%{{x:.4g}}, %{{y:.4g}}<extra></extra>"
    elif figure.x.names is None:
        bars, mode = {}, "lines+markers"
        if s.low is not None and s.high is not None:
            known = ~np.isnan(s.low + s.high)
            sheet.add_scatter(
                x=np.concatenate([s.x[known], s.x[known][::-1]]), y=np.concatenate([s.high[known], s.low[known][::-1]]),
                mode="lines", fill="toself", fillcolor=pale, line_width=0, legendgroup=group, showlegend=False, hoverinfo="skip",
            )  # fmt: skip
    sheet.add_scatter(
        x=s.x, y=s.y, mode=mode, marker=marker, line=line, text=text, hovertemplate=hover, **bars, **common
    )


def _arms(middle: Any, low: Any, high: Any) -> dict[str, Any]:
    if low is None:
        return {"visible": False}
    return {
        "array": np.nan_to_num(high - middle),
        "arrayminus": np.nan_to_num(middle - low),
        "thickness": 1,
        "width": 3,
    }


def _scale(scale: Scale) -> dict[str, Any]:
    axis: dict[str, Any] = {"title_text": scale.label, "type": "log" if scale.log else "linear"}
    if scale.names is not None:
        axis |= {"tickvals": list(range(len(scale.names))), "ticktext": scale.names}
    return axis
