"""The exact engine, wider: long epochs, finite sets, many arms, the worst gaps."""
