"""Number theory on plain integers: primality by Miller-Rabin [SW15], roots of unity, bit reversal."""

# Deterministic below 3.3e24, the limit proven for the first 13 primes as witnesses [SW15].
WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
WITNESS_LIMIT = 3317044064679887385961981


def is_prime(candidate):
    """Proves or refutes primality by Miller-Rabin; exact for candidate < WITNESS_LIMIT."""
    if candidate >= WITNESS_LIMIT:
        raise ValueError(f"{candidate} is beyond the proven range of the primality test")
    if candidate < 2:
        return False
    for prime in WITNESSES:
        if candidate % prime == 0:
            return candidate == prime
    return all(_passes(candidate, witness) for witness in WITNESSES)


def _passes(candidate, witness):
    odd, twos = candidate - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    power = pow(witness, odd, candidate)
    if power in (1, candidate - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % candidate
        if power == candidate - 1:
            return True
    return False


def minimal_root(prime, ring_degree):
    """The smallest primitive 2n-th root of unity modulo a prime = 1 mod 2n."""
    root = _some_root(prime, ring_degree)
    square = root * root % prime
    smallest = power = root
    for _ in range(ring_degree - 1):
        power = power * square % prime
        smallest = min(smallest, power)
    return smallest


def _some_root(prime, ring_degree):
    exponent, rest = divmod(prime - 1, 2 * ring_degree)
    for base in range(2, prime) if rest == 0 else ():
        root = pow(base, exponent, prime)
        if pow(root, ring_degree, prime) == prime - 1:
            return root
    raise ValueError(f"{prime} has no primitive root of order {2 * ring_degree}")


def bit_reverse(value, bits):
    """brv_bits(value)."""
    reversed_value = 0
    for _ in range(bits):
        reversed_value = reversed_value << 1 | value & 1
        value >>= 1
    return reversed_value


def bit_reversed_powers(root, ring_degree, prime):
    """List whose entry i is root^brv(i) mod prime, i < ring_degree."""
    bits = ring_degree.bit_length() - 1
    powers, power = [0] * ring_degree, 1
    for exponent in range(ring_degree):
        powers[bit_reverse(exponent, bits)] = power
        power = power * root % prime
    return powers
