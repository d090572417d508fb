"""The cube as an xarray array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import missing_extra
from .metrics import find
from .values import cube

if TYPE_CHECKING:
    import xarray

    from ..sweep import Study


def to_xarray(study: Study, metric: str, flow: str | None = None, link: str | None = None) -> xarray.DataArray:
    """A metric of a study as a labelled array with a dimension for every axis, one for the replications and one for flows or ports.

    Args:
        study: also one that is not complete.
        metric: a column of a table or a short name such as `p99_delay`.
        flow: a name or a pattern; all flows unless given.
        link: the same for metrics of ports.

    Raises:
        HeadgateError: there is no such metric, flow or port, or no run has ended yet.
        MissingExtraError: xarray is not installed.
    """
    try:
        import xarray
    except ImportError:
        raise missing_extra("a labelled array", "xarray", "pandas") from None
    wanted = find(metric, flow, link)
    # An index over all flows is one number per run.
    split = not wanted.of_runs and wanted.over != "jain"
    data = cube(study, metric, flow, link, split=split)
    dimensions = [axis.name for axis in data.axes]
    coordinates: dict[str, Any] = {
        column: (axis.name, np.asarray(cells)) for axis in data.axes for column, cells in axis.columns.items()
    }
    coordinates["replication"] = np.arange(data.replications)
    values = data.values
    if split:
        # The axis of flows is the last one.
        values = np.swapaxes(values, -1, -2)
        dimensions.insert(-1, "replication")
    else:
        dimensions.append("replication")
    attributes = {"long_name": data.metric.label, "units": data.metric.unit, "column": data.metric.column}
    return xarray.DataArray(values, coordinates, dimensions, metric, attributes)
