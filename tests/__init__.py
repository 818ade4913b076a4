"""Results are compared to the last bit. OpenBLAS adds in another order on each kind of processor:
it is told which one, before numpy loads it."""

import os
import platform

if platform.machine() == "x86_64":
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
