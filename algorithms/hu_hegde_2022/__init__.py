"""Hu & Hegde (UAI 2022). Its Algorithm 2 is `hu_huang_mehta_2021/lazy_dp_ts.py`."""
