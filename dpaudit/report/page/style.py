"""The page's looks, `page.css` with the colours below, and its one script, `page.js`. No fonts,
pictures or files from elsewhere."""

from importlib.resources import files

LIGHT = {
    "bg": "#fcfcfa", "panel": "#f2f1ec", "ink": "#1c1c1a", "quiet": "#595850", "line": "#c9c7bd",
    "edge": "#85837a", "link": "#17509c", "bad": "#9c1b1b", "badge": "#ffffff", "mark": "#fdf0cf",
    "bar": "#5b7ea6", "s0": "#1f5fa8", "s1": "#b3420f", "s2": "#2f7d3b", "s3": "#8a3a9c",
    "s4": "#856500", "s5": "#0d767a", "s6": "#b02a5b", "s7": "#5d5c55",
}  # fmt: skip
DARK = {
    "bg": "#171715", "panel": "#232320", "ink": "#ebe9e2", "quiet": "#adaba2", "line": "#45443e",
    "edge": "#8d8b81", "link": "#93bdf5", "bad": "#ff9d92", "badge": "#1c0b09", "mark": "#453a14",
    "bar": "#6f96c4", "s0": "#7fb2ee", "s1": "#f2946b", "s2": "#7fcf8c", "s3": "#d49ae4",
    "s4": "#d9b84a", "s5": "#5fcfd1", "s6": "#f08bb2", "s7": "#b5b3aa",
}  # fmt: skip


def _properties(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


CSS = (
    f":root{{color-scheme:light dark;{_properties(LIGHT)}}}\n"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_properties(DARK)}}}}}\n"
    + "".join(f".s{i}{{--own:var(--s{i})}}" for i in range(8))
    + "\n"
    + _file("page.css")
)
SCRIPT = "\n" + _file("page.js")
"""Shows the filter of the claims table, and opens what is folded before printing."""
