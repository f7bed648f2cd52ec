"""C and Rust text of the TFHE sets, and the C table of their Gaussian."""

from ..base.gaussian import thresholds
from ..base.tfhe_parameters import PRIME
from .emit_c import EXTERN_C, EXTERN_C_END, GENERATED, array, fields, guarded, label_of, prime_of, set_id_of
from .emit_rust import NOTICE as RUST_NOTICE
from .emit_rust import rust_label
from .emit_tables import GENERATED as TABLES
from .emit_tables import centred_twiddles

TYPES = """\
typedef enum { ISOPOD_SECRET_BINARY = 1, ISOPOD_SECRET_TERNARY = 2 } isopod_secret_kind;

typedef struct {
    const char *name;
    uint8_t set_id[ISOPOD_SET_ID_BYTES]; /* spec/tfhe.md section 1 */
    uint8_t log2_ring_degree;
    uint8_t log2_modulus; /* 32 or 64 */
    uint8_t secret;       /* isopod_secret_kind; also of u */
    uint8_t tuniform;     /* B of the noise TUniform(B), or 0: Gaussian of standard deviation 128 */
    uint8_t message_bits; /* bits of a block, one block per coefficient */
    uint8_t log2_delta;   /* blocks are multiplied by 2^this */
    uint8_t centred;      /* non-zero: less half of it */
    uint8_t label;        /* isopod_label */
    const isopod_prime *prime; /* the prime of the exact products */
} isopod_tfhe_params;
"""


def tfhe_header(sets):
    """device/include/isopod/tfhe_params.h."""
    externs = "".join(f"extern const isopod_tfhe_params isopod_{entry.identifier};\n" for entry in sets)
    return guarded("ISOPOD_TFHE_PARAMS_H", (
        EXTERN_C + TYPES + "\n/* Firmware that names one set links that set only. */\n" + externs + "\n"
        "/* Every set above, in that order; naming this table links them all. */\n"
        f"#define ISOPOD_TFHE_SET_COUNT {len(sets)}\n"
        f"extern const isopod_tfhe_params *const isopod_tfhe_sets[ISOPOD_TFHE_SET_COUNT];\n\n{EXTERN_C_END}"),
        '#include "isopod/params.h"')


def tfhe_source(sets):
    """device/src/tfhe/tfhe_parameter_sets.c."""
    degrees = sorted({entry.ring_degree: entry for entry in sets}.items())
    primes = "".join(f"\nstatic const isopod_prime prime_{degree}[1] = {{\n    {prime_of(PRIME, entry.root)},\n}};\n"
                     for degree, entry in degrees)
    return GENERATED + '#include "isopod/tfhe_params.h"\n' + primes + "".join(map(_set_object, sets))


def _set_object(entry):
    members = fields({
        "name": f"name_{entry.identifier}", "set_id": set_id_of(entry),
        "log2_ring_degree": entry.ring_degree.bit_length() - 1, "log2_modulus": entry.log2_modulus,
        "secret": f"ISOPOD_SECRET_{entry.secret.upper()}", "tuniform": entry.tuniform_bits,
        "message_bits": entry.message_bits, "log2_delta": entry.log2_delta, "centred": int(entry.centred),
        "label": label_of(entry), "prime": f"prime_{entry.ring_degree}",
    })
    return (
        f'\nstatic const char name_{entry.identifier}[] = "{entry.name}";\n\n/* {entry.purpose} */\n'
        f"const isopod_tfhe_params isopod_{entry.identifier} = {{\n{members}}};\n"
    )


def tfhe_list(sets):
    """device/src/tfhe/tfhe_parameter_lists.c."""
    rows = "".join(f"    &isopod_{entry.identifier},\n" for entry in sets)
    return (
        GENERATED + '#include "isopod/tfhe_params.h"\n\n'
        "const isopod_tfhe_params *const isopod_tfhe_sets[ISOPOD_TFHE_SET_COUNT] = {\n" + rows + "};\n"
    )


def twiddle_header(entry):
    """The declaration of a set's tables."""
    return TABLES + f'#pragma once\n\n#include "isopod/tfhe_key.h"\n\n{_declared(entry)}'


def _declared(entry):
    return f"extern const isopod_tfhe_tables isopod_tables_{entry.identifier};\n"


def twiddle_source(entry):
    """The flash tables that isopod_tfhe_config.tables points to."""
    twiddles = array(f"static const int32_t twiddles_{entry.identifier}[{entry.ring_degree}]",
                     centred_twiddles(PRIME, entry.root, entry.ring_degree))
    members = fields({"set_id": set_id_of(entry), "twiddles": f"twiddles_{entry.identifier}"})
    return (TABLES + f'#include "isopod/tfhe_key.h"\n\n{_declared(entry)}\n{twiddles}\n'
            f"const isopod_tfhe_tables isopod_tables_{entry.identifier} = {{\n{members}}};\n")


def gaussian_header():
    """device/src/tfhe/error/gaussian_thresholds.h."""
    return guarded("ISOPOD_GAUSSIAN_THRESHOLDS_H", (
        "/* T_x of spec/tfhe.md section 3.2, ascending, below 2^31. */\n"
        f"#define ISOPOD_GAUSSIAN_THRESHOLDS {len(thresholds())}u\n"
        "extern const uint32_t isopod_gaussian_thresholds[ISOPOD_GAUSSIAN_THRESHOLDS];\n"))


def gaussian_source():
    """device/src/tfhe/error/gaussian_thresholds.c."""
    return GENERATED + '#include "gaussian_thresholds.h"\n\n' + array(
        "const uint32_t isopod_gaussian_thresholds[ISOPOD_GAUSSIAN_THRESHOLDS]", thresholds(), "{}u")


def tfhe_module(sets):
    """crates/wire/src/params/tfhe_generated.rs."""
    return (
        RUST_NOTICE + "\nuse super::set::Label;\nuse super::tfhe_set::{Noise, Secret, TfheParams};\n\n"
        "/// Every TFHE set of `spec/params.toml`, in its order.\n"
        "pub static TFHE_SETS: &[TfheParams] = &[\n" + "".join(map(_rust_entry, sets)) + "];\n"
    )


def _rust_entry(entry):
    identity = set_id_of(entry).strip("{}")
    noise = f"Noise::TUniform({entry.tuniform_bits})" if entry.tuniform_bits else "Noise::Gaussian128"
    return (
        "    TfheParams {\n"
        f'        name: "{entry.name}",\n'
        f"        set_id: [{identity}],\n"
        f"        ring_degree: {entry.ring_degree},\n        log2_modulus: {entry.log2_modulus},\n"
        f"        secret: Secret::{entry.secret.capitalize()},\n        noise: {noise},\n"
        f"        message_bits: {entry.message_bits},\n        log2_delta: {entry.log2_delta},\n"
        f"        centred: {str(entry.centred).lower()},\n        label: Label::{rust_label(entry)},\n"
        f"        prime: {PRIME},\n        root: {entry.root},\n"
        f'        purpose: "{entry.purpose}",\n'
        "    },\n"
    )
