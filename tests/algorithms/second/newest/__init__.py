"""Of the papers that are known by their abstracts and by what others write of them."""

from tests.algorithms.second.newest.azize_et_al import dp_imed, dp_klucb
from tests.algorithms.second.newest.cesari_colomboni import random_prefix_ftl

__all__ = ["dp_imed", "dp_klucb", "random_prefix_ftl"]
