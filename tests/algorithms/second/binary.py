"""The binary mechanism (Chan, Shi & Song 2011), from its idea: a stream's sum is that of its dyadic
blocks, each released once, when it is needed first."""


def dyadic_blocks(n):
    """The blocks (start, end) of 1..n, one for each one in n's binary digits, the last first."""
    end, size = n, 1
    while end:
        if end & size:
            yield end - size, end
            end -= size
        size *= 2


def binary_mechanism(stream, nodes, scale, rng):
    """The noisy sum of a stream; `nodes` keeps what was released before."""
    total = 0.0
    for start, end in dyadic_blocks(len(stream)):
        if (start, end) not in nodes:
            nodes[start, end] = sum(stream[start:end]) + rng.laplace(0, scale)
        total += nodes[start, end]
    return total
