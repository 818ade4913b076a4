"""Whether an algorithm's book may be believed: what the upper end and the engines rest on."""
