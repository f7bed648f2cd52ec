"""The message of BFV, bfv.md section 3."""

from math import prod

from ..base.arithmetic import bit_reverse
from .ntt import inverse_ntt, ntt
from .shapes import IN_COEFFICIENTS, fill


def slot_places(ring_degree):
    """The index of slot j in the NTT modulo t, for one row after the other."""
    bits, rows, power = ring_degree.bit_length() - 1, ([], []), 1
    for _ in range(ring_degree // 2):
        for row, odd in zip(rows, (power, 2 * ring_degree - power)):
            row.append(bit_reverse((odd - 1) // 2, bits))
        power = power * 3 % (2 * ring_degree)
    return rows[0] + rows[1]


def plaintext(values, parameters, layout):
    """The plaintext polynomial p_0 .. p_{n-1} modulo t."""
    degree, plain = parameters.ring_degree, parameters.plain_modulus
    if not all(-plain < 2 * value < 2 * plain for value in values):
        raise ValueError(f"every value must lie in -{plain // 2} .. {plain // 2} or 0 .. {plain - 1}")
    filled = [value % plain for value in fill(values, layout, degree)]
    if layout in IN_COEFFICIENTS:
        return filled
    transformed = [0] * degree
    for value, place in zip(filled, slot_places(degree)):
        transformed[place] = value
    return inverse_ntt(transformed, plain)


def small_message(polynomial, parameters, level):
    """v_0 .. v_{n-1}, the small numbers as which a device keeps the message."""
    plain = parameters.plain_modulus
    remainder, half = prod(parameters.data_primes[:level]) % plain, (plain + 1) // 2
    return [half - (remainder * value + half) % plain for value in polynomial]


def message(small, parameters, level):
    """The scaled message m_0 .. m_{n-1} modulo q."""
    modulus = prod(parameters.data_primes[:level])
    inverse = pow(parameters.plain_modulus, -1, modulus)
    return [value * inverse % modulus for value in small]


def decode(noisy, parameters, level):
    """The values of all n slots, 0 .. t-1, from the centred m + noise."""
    transformed = ntt(round_plain(noisy, parameters, level), parameters.plain_modulus)
    return [transformed[place] for place in slot_places(parameters.ring_degree)]


def round_plain(noisy, parameters, level):
    """The plaintext polynomial, from the centred m + noise."""
    plain, modulus = parameters.plain_modulus, prod(parameters.data_primes[:level])
    return [(2 * plain * value + modulus) // (2 * modulus) % plain for value in noisy]
