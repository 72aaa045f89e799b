"""Line charts over time or over another quantity, which ECharts draws in the browser."""

from collections.abc import Sequence
from dataclasses import dataclass

from nicegui import ui

from rankcast.plain import JsonObject
from rankcast.service.page.widgets import set_props

_QUIET = {"color": "var(--rc-soft)"}
_GRID = {"lineStyle": {"color": "var(--rc-line)"}}
_AGO = """seconds => {
  const [size, unit] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']].find(([size]) => seconds >= size) ?? [1, 's'];
  return seconds ? `${+(seconds / size).toPrecision(3)} ${unit} ago` : 'now';
}"""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line with its name for the legend: points (place, value), in a CSS colour. `filled` fills the area below."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    filled: bool = False
    dashed: bool = False


def line_chart(label: str) -> ui.echart:
    """A place for a chart, to which `draw` gives its content. `label` is for screen readers."""
    return set_props(ui.echart({}, renderer="svg").classes("rc-chart"), role="img", aria_label=label)


def draw(chart: ui.echart, options: JsonObject) -> None:
    """Show a chart, or another one."""
    chart.options.clear()
    chart.options.update(options)
    chart.update()


def over_time(
    lines: Sequence[ChartLine], span: float, unit: str, gaps: Sequence[tuple[float, float]] = ()
) -> JsonObject:
    """The values of the last `span` seconds. The points are (seconds ago, value).

    Nothing was recorded in the gaps (from, to, in seconds ago), which are shaded and have no line.
    """
    axis = {"min": 0, "max": span, "interval": span / 2, "inverse": True}
    return over(lines, {**axis, "axisLabel": {**_QUIET, ":formatter": _AGO}}, unit, gaps)


def over(
    lines: Sequence[ChartLine],
    axis: JsonObject,
    unit: str,
    gaps: Sequence[tuple[float, float]] = (),
    mark: float | None = None,
) -> JsonObject:
    """The values over an axis, with the values at the pointer. A dashed line goes through the place `mark`."""
    shaded = {"silent": True, "label": _QUIET, "itemStyle": {"color": "var(--rc-bars)", "opacity": 0.55}}
    areas = [[{"xAxis": begin, "name": "nothing recorded"}, {"xAxis": end}] for begin, end in gaps]
    marked = {"silent": True, "symbol": "none", "label": {"show": False}, "lineStyle": {**_QUIET, "type": "dashed"}}
    breaks: list[tuple[float, float | None]] = [((begin + end) / 2, None) for begin, end in gaps]
    series = [
        {
            "type": "line",
            "name": line.name,
            "data": sorted([*line.points, *breaks], key=lambda point: point[0]),
            "color": line.colour,
            "showSymbol": len(line.points) == 1,
            "emphasis": {"disabled": True},
            "lineStyle": {"width": 2, "type": "dashed" if line.dashed else "solid"},
            "areaStyle": {"opacity": 0.18 if line.filled else 0},
            "markArea": {**shaded, "data": [] if number else areas},
            "markLine": {**marked, "data": [] if number or mark is None else [{"xAxis": mark}]},
        }
        for number, line in enumerate(lines)
    ]
    is_count = all(isinstance(value, int) for line in lines for _, value in line.points)
    named = {"nameLocation": "middle", "nameGap": 26, "nameTextStyle": _QUIET}
    return {
        "animation": False,
        "grid": {"left": 48, "right": 36, "top": 56, "bottom": 44 if "name" in axis else 26},
        "legend": {"type": "scroll", "left": 0, "top": 0, "textStyle": _QUIET, "icon": "roundRect"},
        "tooltip": {"trigger": "axis", "confine": True, ":valueFormatter": "value => value?.toLocaleString('en')"},
        "xAxis": {"type": "value", "axisLabel": _QUIET, "axisLine": _GRID, "splitLine": {"show": False}} | named | axis,
        "yAxis": {
            "type": "value",
            "name": unit,
            "nameTextStyle": {**_QUIET, "align": "left"},
            "minInterval": 1 if is_count else 0,
            "axisLabel": _QUIET,
            "axisLine": {"show": False, "onZero": False},
            "axisTick": {"show": False},
            "splitLine": _GRID,
        },
        "series": series,
    }
