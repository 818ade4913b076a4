"""Hu, Huang, Zhang, Lécuyer & Hegde (ICML 2025)."""
