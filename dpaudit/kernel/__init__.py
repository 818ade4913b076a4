"""Code that runs both as plain Python and compiled: releases, trees, drivers' loops.

Plain functions only, in the subset that numba compiles; nothing here imports numba.
Transcendental functions come from `math`, whose values are the same in both runs
(`numpy.log` and its kind may differ from compiled code in the last bit).
"""
