"""C text of the flash tables of one set: NTT twiddles and the cosine table."""

from .arithmetic import bit_reversed_powers
from .cosine import cosine_table
from .emit_c import NOTICE, parameter_object

GENERATED = NOTICE.format(command="tables")
COLUMNS = 8


def centred_twiddles(prime, root, ring_degree):
    """psi^brv(i) * 2^32 mod q in (-q/2, q/2], i = 0..n-1."""
    powers = bit_reversed_powers(root, ring_degree, prime)
    return [_centred((power << 32) % prime, prime) for power in powers]


def _centred(residue, prime):
    return residue - prime if 2 * residue > prime else residue


def table_header(sets, custom):
    """Declarations of the tables, and of the parameters of custom sets."""
    lines = ["#pragma once\n", '#include "isopod/params.h"\n', '#include "isopod/tables.h"\n', "\n"]
    for entry in sets:
        if custom:
            lines.append(f"extern const isopod_ckks_params isopod_{entry.identifier};\n")
        lines.append(f"extern const isopod_ckks_tables isopod_tables_{entry.identifier};\n")
    return GENERATED + "".join(lines)


def table_source(sets, custom, wide):
    """Definitions of the tables; `wide` adds the 64-bit cosines, `custom` the parameters."""
    parts = [GENERATED, '#include <stddef.h>\n\n#include "isopod/params.h"\n#include "isopod/tables.h"\n\n']
    for entry in sets:
        parts.append(f"extern const isopod_ckks_params isopod_{entry.identifier};\n" if custom else "")
        parts.append(f"extern const isopod_ckks_tables isopod_tables_{entry.identifier};\n")
        parts.append(parameter_object(entry) if custom else "")
        parts.append(_tables(entry, wide))
    return "".join(parts)


def _tables(entry, wide):
    name, pairs = entry.identifier, list(zip(entry.data_primes, entry.roots))
    arrays = [
        _array("int32_t", f"twiddles_{name}_{index}", centred_twiddles(prime, root, entry.ring_degree), "{}")
        for index, (prime, root) in enumerate(pairs)
    ]
    arrays.append(_array("int32_t", f"cosine32_{name}", cosine_table(entry.ring_degree, 32), "{}"))
    if wide:
        arrays.append(_array("int64_t", f"cosine64_{name}", cosine_table(entry.ring_degree, 64), "INT64_C({})"))
    pointers = ", ".join(f"twiddles_{name}_{index}" for index in range(len(pairs)))
    return (
        "".join(arrays)
        + f"\nstatic const int32_t *const twiddles_{name}[{len(pairs)}] = {{{pointers}}};\n"
        + f"\nconst isopod_ckks_tables isopod_tables_{name} = {{\n"
        + f"    .twiddles = twiddles_{name},\n    .cosine32 = cosine32_{name},\n"
        + f"    .cosine64 = {f'cosine64_{name}' if wide else 'NULL'},\n}};\n"
    )


def _array(kind, name, values, form):
    texts = [form.format(value) for value in values]
    rows = (", ".join(texts[start:start + COLUMNS]) for start in range(0, len(texts), COLUMNS))
    body = "".join(f"    {row},\n" for row in rows)
    return f"\nstatic const {kind} {name}[{len(values)}] = {{\n{body}}};\n"
