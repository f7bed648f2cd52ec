"""Records of TFHE: sampling, masks, keys, blobs, ciphertexts, frames."""

import struct
from dataclasses import replace

from ...base.gaussian import thresholds
from ...model import tfhe as model
from ...model.frame import Identity
from ...model.streams import ERROR_0, ERROR_1, SECRET, TERNARY, derive_tfhe_root
from ...model.tfhe_frame import TfheEncoding, tfhe_description, tfhe_frame
from ...model.tfhe_sampling import TFHE_SUITES, errors, expand_mask, secret_of
from ...model.wire_codes import KEY_BLOB_HEADER_BYTES
from .ciphertexts import SEEDS, SENDER, SOURCE
from .digest import sha3
from .inputs import counting_bytes, recurrence

MULTIPLIER = 0x9E3779B97F4A7C15
EVERY_TYPE = ((1, 3), (2, 2), (3, 1), (4, 1), (5, 2), (6, 2), (7, 1), (8, 1), (9, 1))


def values_for(schema):
    """One value for each place: the top bits of x_{i+1} * MULTIPLIER mod 2^64, as unsigned numbers."""
    kinds = [kind for kind, count in schema for _ in range(count)]
    states = recurrence(len(kinds))
    return [state * MULTIPLIER % (1 << 64) >> 64 - model.TYPE_BITS[kind] for kind, state in zip(kinds, states)]


def schemas_of(parameters):
    """The schemas of a full ciphertext, of one value, and of mixed values."""
    if parameters.message_bits == 2:
        return (((2, 256), (1, 1024)), ((2, 1),), ((2, 256),), EVERY_TYPE[:8], EVERY_TYPE[1:])
    return (((1, 1024),), ((2, 1),), ((1, 256),), EVERY_TYPE[:8], EVERY_TYPE[1:])


def documents_of(sets):
    """The lists of tfhe.json."""
    pairs = [model.TfheKeyPair(entry, SEEDS) for entry in sets]
    ciphertexts = [record for pair in pairs for record in ciphertext_records(pair)]
    return {
        "gaussian_thresholds": [{"index": index, "threshold": value} for index, value in enumerate(thresholds())],
        "tfhe_sampling": [record for entry in sets for record in sampling_records(entry)],
        "tfhe_masks": [record for entry in sets for record in mask_records(entry)],
        "tfhe_keys": [key_record(pair) for pair in pairs],
        "tfhe_blobs": [record for pair in pairs for record in blob_records(pair)],
        "tfhe_frames": ciphertexts,
    }


def sampling_records(parameters):
    for suite in TFHE_SUITES:
        for domain in (ERROR_0, ERROR_1, TERNARY, SECRET):
            sampler = errors if domain in (ERROR_0, ERROR_1) else secret_of
            values = sampler(parameters, suite, counting_bytes(0x30), domain)
            yield {"set": parameters.name, "suite": suite, "domain": domain, "key_start": 0x30, "first": values[:4],
                   "last": values[-4:], "sha3": sha3(struct.pack(f"<{len(values)}i", *values))}


def mask_records(parameters):
    for suite in TFHE_SUITES:
        values = expand_mask(parameters, suite, counting_bytes(0x50, 16), counting_bytes(0x10, 16))
        yield {"set": parameters.name, "suite": suite, "nonce_start": 0x50, "key_id_start": 0x10, "first": values[:4],
               "last": values[-4:], "sha3": sha3(model.packed_words(values, parameters))}


def key_record(pair):
    parameters = pair.parameters
    secret = struct.pack(f"<{parameters.ring_degree}b", *pair.secret)
    return {"set": parameters.name, "set_id": parameters.set_id.hex(), "key_id": pair.key_id.hex(),
            "secret_sha3": sha3(secret),
            "transformed_sha3": sha3(struct.pack(f"<{parameters.ring_degree}I", *model.transformed(pair))),
            "public_0_sha3": sha3(model.packed_words(pair.public_0, parameters)),
            "public_1_sha3": sha3(model.packed_words(pair.public_1, parameters))}


def blob_records(pair):
    for kind in model.TFHE_BLOB_KINDS:
        image = model.tfhe_blob(pair, kind)
        yield {"set": pair.parameters.name, "blob_kind": kind, "bytes": len(image), "header": image[:KEY_BLOB_HEADER_BYTES].hex(),
               "sha3": sha3(image)}


def ciphertext_records(pair):
    parameters = pair.parameters
    for kind in model.TFHE_KINDS:
        for suite in TFHE_SUITES:
            schemas = schemas_of(parameters)
            for schema in schemas if suite != 2 else schemas[:1]:
                yield from frame_records(pair, schema, kind, suite)


def rows_of(schema):
    """The values of a row, and the name of the columns. A schema with a single run of 256 has rows of four and a name; the
    others have one row and no name."""
    return (4, counting_bytes(0x70, 16)) if len(schema) == 1 and schema[0][1] == 256 else (0, b"")


def frame_records(pair, schema, kind, suite):
    parameters = pair.parameters
    values = values_for(schema)
    blocks = model.blocks_of(parameters, schema, values)
    columns, packing = rows_of(schema)
    for width in (parameters.word_bytes, parameters.word_bytes // 2):
        encoding = TfheEncoding(schema, width, columns, packing)
        described = tfhe_description(Identity(pair, kind, suite, SENDER, 0), encoding)
        source = replace(SOURCE, values=model.packed_blocks(blocks), description=described)
        root = derive_tfhe_root(source, suite, kind, pair.key_id, parameters.set_id)
        ciphertext = model.tfhe_encrypt(pair, blocks, root, kind, suite)
        data = tfhe_frame(pair, ciphertext, encoding, SENDER)
        shift = parameters.log2_modulus - 8 * width
        body = [word << shift for word in model.rounded(parameters, ciphertext.body, width)]
        values = model.phases(pair, ciphertext.mask, body)
        if model.decode_blocks(parameters, values) != blocks:
            raise ArithmeticError(f"{parameters.name}: a ciphertext of the model does not decrypt")
        noise = [value - m for value, m in zip(values, model.encode_blocks(parameters, blocks))]
        yield {"set": parameters.name, "kind": kind, "suite": suite,
               "schema": "+".join(f"{value}*{count}" for value, count in schema), "width": width,
               "columns": columns, "packing": packing.hex(), "coefficients": len(blocks),
               "nonce": root.nonce.hex(), "largest_noise": max(map(abs, noise)),
               "mask_sha3": sha3(model.packed_words(ciphertext.mask, parameters)),
               "body_sha3": sha3(model.packed_words(ciphertext.body, parameters)), "bytes": len(data),
               "sha3": sha3(data), "hex": data.hex() if len(blocks) <= 8 and len(data) < 300 else ""}
