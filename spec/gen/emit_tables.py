"""C text of the flash tables of one set: NTT twiddles, and either the cosine table or the twiddles modulo t."""

from ..base.arithmetic import bit_reversed_powers
from ..base.cosine import cosine_table
from ..base.parameters import Refused
from .emit_c import NOTICE, array, declaration, fields, parameter_object, set_id_of

GENERATED = NOTICE.format(command="tables")
LEAN_TWIDDLES = 64  # ISOPOD_LEAN_TWIDDLES of isopod/tables.h


def centred_twiddles(prime, root, ring_degree, word_bits=32):
    """psi^brv(i) * 2^word_bits mod q in (-q/2, q/2], i = 0..n-1."""
    powers = bit_reversed_powers(root, ring_degree, prime)
    residues = ((power << word_bits) % prime for power in powers)
    return [residue - prime if 2 * residue > prime else residue for residue in residues]


def table_header(sets, custom):
    """Declarations of the tables, and of the parameters of custom sets."""
    lines = ["#pragma once\n", '#include "isopod/params.h"\n', '#include "isopod/tables.h"\n', "\n"]
    for entry in sets:
        if custom:
            lines.append(declaration(entry))
        lines.append(f"extern const isopod_{entry.scheme}_tables isopod_tables_{entry.identifier};\n")
    return GENERATED + "".join(lines)


def table_source(sets, custom, message64, lean=False):
    """Definitions of the tables; `message64` adds the 64-bit cosines, `custom` the parameters; `lean` splits the twiddles."""
    parts = [GENERATED, '#include <stddef.h>\n\n#include "isopod/params.h"\n#include "isopod/tables.h"\n\n']
    for entry in sets:
        parts.append(declaration(entry) if custom else "")
        parts.append(f"extern const isopod_{entry.scheme}_tables isopod_tables_{entry.identifier};\n")
        parts.append(parameter_object(entry) if custom else "")
        parts.append(_tables(entry, message64, lean))
    return "".join(parts)


def _word(entry):
    """The C type of the set's residues, and the form of its constants."""
    return ("int64_t", "INT64_C({})") if entry.has_primes64 else ("int32_t", "{}")


def _twiddle_arrays(entry, lean):
    name, (kind, form) = entry.identifier, _word(entry)
    if lean and entry.has_primes64:
        raise Refused(f"{entry.name}: --lean is for sets of 32-bit primes; the primes of this one need 64-bit words")
    arrays = []
    for index, (prime, root) in enumerate(zip(entry.data_primes, entry.roots)):
        twiddles = centred_twiddles(prime, root, entry.ring_degree, entry.word_bits)
        arrays.append(_array(kind, f"twiddles_{name}_{index}", twiddles[:LEAN_TWIDDLES] if lean else twiddles, form))
        if lean:
            arrays.append(_array(kind, f"coarse_{name}_{index}", twiddles[::LEAN_TWIDDLES], form))
    return arrays


def _pointers(kind, entry):
    name, count = entry.identifier, len(entry.data_primes)
    pointers = ", ".join(f"{kind}_{name}_{index}" for index in range(count))
    return f"\nstatic const {_word(entry)[0]} *const {kind}_{name}[{count}] = {{{pointers}}};\n"


def _cosines(entry, message64):
    """The arrays and fields of CKKS."""
    name = entry.identifier
    arrays = [_array("int32_t", f"cosine32_{name}", cosine_table(entry.ring_degree, 32), "{}")]
    if message64:
        arrays.append(_array("int64_t", f"cosine64_{name}", cosine_table(entry.ring_degree, 64), "INT64_C({})"))
    return arrays, {"cosine32": f"cosine32_{name}", "cosine64": f"cosine64_{name}" if message64 else "NULL"}


def _plain(entry, message64):
    """The arrays and fields of BFV."""
    if message64:
        raise Refused(f"{entry.name}: --message64 adds the 64-bit cosines of CKKS; BFV has none")
    name, twiddles = entry.identifier, centred_twiddles(entry.plain_modulus, entry.plain_root, entry.ring_degree)
    return [_array("int32_t", f"plain_{name}", twiddles, "{}")], {"plain": f"plain_{name}"}


def _tables(entry, message64, lean):
    name, arrays = entry.identifier, _twiddle_arrays(entry, lean)
    scheme_arrays, scheme_fields = (_plain if entry.plain_modulus else _cosines)(entry, message64)
    members = {"set_id": set_id_of(entry), f"twiddles{'64' * entry.has_primes64}": f"twiddles_{name}", **scheme_fields}
    members |= {"coarse": f"coarse_{name}"} if lean else {}
    pointers = _pointers("twiddles", entry) + (_pointers("coarse", entry) if lean else "")
    return (f"{''.join(arrays + scheme_arrays)}{pointers}\n"
            f"const isopod_{entry.scheme}_tables isopod_tables_{name} = {{\n{fields(members)}}};\n")


def _array(kind, name, values, form):
    return "\n" + array(f"static const {kind} {name}[{len(values)}]", values, form)
