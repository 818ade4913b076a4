"""Accessibility of the pages, by axe-core in a browser: `make axe`."""
