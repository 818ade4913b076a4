"""The worst gaps: `search` with a certificate, `bounds` of boxes, `duels` of fixed scores."""
