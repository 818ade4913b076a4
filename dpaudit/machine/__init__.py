"""What algorithms are made of: releases, trees, noisy maxima; and the drivers that run them."""
