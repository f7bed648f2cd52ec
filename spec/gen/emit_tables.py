"""C text of the flash tables of one set: NTT twiddles and the cosine table."""

from .arithmetic import bit_reversed_powers
from .cosine import cosine_table
from .emit_c import NOTICE, declaration, parameter_object

GENERATED = NOTICE.format(command="tables")
COLUMNS = 8
LEAN_TWIDDLES = 64  # ISOPOD_LEAN_TWIDDLES of isopod/tables.h


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
            lines.append(declaration(entry))
        lines.append(f"extern const isopod_ckks_tables isopod_tables_{entry.identifier};\n")
    return GENERATED + "".join(lines)


def table_source(sets, custom, wide, lean=False):
    """Definitions of the tables; `wide` adds the 64-bit cosines, `custom` the parameters; `lean` splits the twiddles."""
    parts = [GENERATED, '#include <stddef.h>\n\n#include "isopod/params.h"\n#include "isopod/tables.h"\n\n']
    for entry in sets:
        parts.append(declaration(entry) if custom else "")
        parts.append(f"extern const isopod_ckks_tables isopod_tables_{entry.identifier};\n")
        parts.append(parameter_object(entry) if custom else "")
        parts.append(_tables(entry, wide, lean))
    return "".join(parts)


def _twiddle_arrays(entry, lean):
    name = entry.identifier
    arrays = []
    for index, (prime, root) in enumerate(zip(entry.data_primes, entry.roots)):
        twiddles = centred_twiddles(prime, root, entry.ring_degree)
        arrays.append(_array("int32_t", f"twiddles_{name}_{index}", twiddles[:LEAN_TWIDDLES] if lean else twiddles, "{}"))
        if lean:
            arrays.append(_array("int32_t", f"coarse_{name}_{index}", twiddles[::LEAN_TWIDDLES], "{}"))
    return arrays


def _pointers(kind, entry):
    name, count = entry.identifier, len(entry.data_primes)
    pointers = ", ".join(f"{kind}_{name}_{index}" for index in range(count))
    return f"\nstatic const int32_t *const {kind}_{name}[{count}] = {{{pointers}}};\n"


def _tables(entry, wide, lean):
    name = entry.identifier
    arrays = _twiddle_arrays(entry, lean)
    arrays.append(_array("int32_t", f"cosine32_{name}", cosine_table(entry.ring_degree, 32), "{}"))
    if wide:
        arrays.append(_array("int64_t", f"cosine64_{name}", cosine_table(entry.ring_degree, 64), "INT64_C({})"))
    return (
        "".join(arrays)
        + _pointers("twiddles", entry)
        + (_pointers("coarse", entry) if lean else "")
        + f"\nconst isopod_ckks_tables isopod_tables_{name} = {{\n"
        + f"    .twiddles = twiddles_{name},\n    .cosine32 = cosine32_{name},\n"
        + f"    .cosine64 = {f'cosine64_{name}' if wide else 'NULL'},\n"
        + (f"    .coarse = coarse_{name},\n" if lean else "")
        + "};\n"
    )


def _array(kind, name, values, form):
    texts = [form.format(value) for value in values]
    rows = (", ".join(texts[start:start + COLUMNS]) for start in range(0, len(texts), COLUMNS))
    body = "".join(f"    {row},\n" for row in rows)
    return f"\nstatic const {kind} {name}[{len(values)}] = {{\n{body}}};\n"
