"""Cesari & Colomboni (arXiv 2605.29148, 2026)."""
