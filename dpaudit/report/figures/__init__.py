"""Figures that are files of their own, by matplotlib, all in one style: regret curves, scaling
studies, the papers' experiments. Plots inside a page are drawn by `dpaudit.report.page.pictures`.
"""

from dpaudit.report.figures.panels import draw_panels
from dpaudit.report.figures.regret import draw_regret
from dpaudit.report.figures.studies import draw_study
from dpaudit.report.figures.style import drawing

__all__ = ["draw_panels", "draw_regret", "draw_study", "drawing"]
