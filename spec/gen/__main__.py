"""`python3 -m spec.gen <command>`, from the root of the repository; see spec/README.md."""

import argparse
import sys
from pathlib import Path

from ..base.parameters import PARAMETER_FILE, SPEC_FOLDER, Refused
from ..base.tfhe_parameters import tfhe_sets
from . import emit_c, emit_owner, emit_rust, emit_status, emit_tables, emit_tfhe, emit_wire, emit_wire_text
from .checks import check_file
from .outputs import settle
from .vectors import origin
from .vectors.documents import ABOUT, build, text_of
from .wire import read_wire


def run_checks(options):
    """Proves every set of one file and prints a line for each."""
    for entry in check_file(options.file):
        print(f"{entry.name:32} {entry.set_id.hex()}  log2 QP {entry.published_bits:3}  {entry.label}")
    for entry in tfhe_sets(options.file):
        print(f"{entry.name:32} {entry.set_id.hex()}  N {entry.ring_degree}, q 2^{entry.log2_modulus}  {entry.label}")


def run_generate(options):
    """Writes the constants of sets, formats and status codes in C, Rust and Python, the grammar and the tables."""
    sets = check_file(PARAMETER_FILE)
    settle({
        "device/include/isopod/params.h": emit_c.parameter_header(sets),
        "device/src/base/parameter_sets.c": emit_c.parameter_source(sets),
        "device/src/base/parameter_lists.c": emit_c.parameter_list("ckks", sets),
        "device/src/base/parameter_lists_bfv.c": emit_c.parameter_list("bfv", sets),
        "device/src/base/parameter_lists64.c": emit_c.parameter_list("primes64", sets),
        "device/src/encode/cosine_roots.h": emit_c.cosine_header(),
        "device/src/encode/cosine_roots.c": emit_c.cosine_source(),
        "crates/wire/src/params/generated.rs": emit_rust.parameter_module(sets),
        "crates/sys/src/sets.rs": emit_rust.sys_sets(sets),
        "crates/device/src/firmware/sets.rs": emit_rust.firmware_sets(sets),
        **tfhe_files(tfhe_sets()),
        **wire_files(read_wire(), emit_status.read_statuses(), set_counts(sets)),
        **status_files(emit_status.read_statuses()),
    }, options.check)


def set_counts(sets):
    """Macros for the headers that count the sets."""
    counts = {emit_c.count_of(name): len(emit_c.list_of(name, sets)) for name in emit_c.LISTS}
    return counts | {"ISOPOD_TFHE_SET_COUNT": len(tfhe_sets())}


def wire_files(wire, statuses, counts):
    """The files with codes, sizes and offsets of the formats, their grammar and their tables."""
    return {
        "device/include/isopod/wire.h": emit_wire.wire_header(wire),
        "crates/wire/src/codes.rs": emit_wire.codes_module(wire),
        "crates/sys/src/codes.rs": emit_wire.sys_module(wire, statuses, counts),
        "crates/wire/src/cbor/formats.rs": emit_wire.formats_module(wire),
        "spec/model/wire_codes.py": emit_wire.codes_python(wire),
        "spec/wire.cddl": emit_wire_text.grammar(wire),
        "spec/wire.md": emit_wire_text.with_tables(wire, (SPEC_FOLDER / "wire.md").read_text(encoding="utf-8")),
    }


def status_files(statuses):
    """The files with status codes and their texts."""
    return {
        "device/include/isopod/status.h": emit_status.status_header(statuses),
        "device/src/base/status_text.c": emit_status.status_source(statuses),
        "crates/device/src/firmware/status.rs": emit_status.status_rust(statuses),
        "docs/reference/errors.md": emit_status.status_page(statuses),
    }


def tfhe_files(sets):
    """The files with the constants of the TFHE sets."""
    return {
        "device/include/isopod/tfhe_params.h": emit_tfhe.tfhe_header(sets),
        "device/src/tfhe/tfhe_parameter_sets.c": emit_tfhe.tfhe_source(sets),
        "device/src/tfhe/tfhe_parameter_lists.c": emit_tfhe.tfhe_list(sets),
        "device/src/tfhe/error/gaussian_thresholds.h": emit_tfhe.gaussian_header(),
        "device/src/tfhe/error/gaussian_thresholds.c": emit_tfhe.gaussian_source(),
        "crates/wire/src/params/tfhe_generated.rs": emit_tfhe.tfhe_module(sets),
        "device/src/holder/flood_thresholds.h": emit_owner.flood_header(),
    }


def run_vectors(options):
    """Writes the model's known answers. --check recomputes the answers of a few sets, and compares digests
    of model and documents for the others. --all recomputes every set."""
    if options.check and not options.all:
        check_vectors()
        return
    documents = build(check_file(PARAMETER_FILE), tfhe_sets())
    files = vector_files(documents)
    settle({**files, origin.FILE: origin.origin_text(files)}, options.check)


def vector_files(documents):
    """{path: text} of the documents."""
    return {f"spec/vectors/{name}.json": text_of(document) for name, document in documents.items()}


def check_vectors():
    """Refuses known answers that another model computed or somebody edited."""
    committed = {f"spec/vectors/{name}.json": (SPEC_FOLDER / f"vectors/{name}.json").read_text(encoding="ascii")
                 for name in ABOUT}
    settle({origin.FILE: origin.origin_text(committed)}, True)
    some = [entry for entry in check_file(PARAMETER_FILE) if entry.name in origin.SETS]
    fresh = vector_files(build(some, tfhe_sets()))
    if strangers := origin.strangers(committed, fresh):
        raise Refused("\n".join(["known answers differ; run `make generate`", *strangers]))


def run_tables(options):
    """Writes the flash tables of one set, or of every set of a custom file (with its parameters), as FILE.c and FILE.h."""
    custom = options.custom is not None
    twiddles = None if custom else next((entry for entry in tfhe_sets() if entry.name == options.set), None)
    if options.out.suffix != ".c":
        raise Refused(f"--out {options.out}: must end in .c; the header goes next to it")
    if twiddles is not None:
        _write_tables(options.out, emit_tfhe.twiddle_source(twiddles), emit_tfhe.twiddle_header(twiddles))
        return
    sets = check_file(options.custom if custom else PARAMETER_FILE)
    if options.set is None and not custom:
        raise Refused("tables: name a set with --set, or give a file with --custom")
    if options.set is not None:
        sets = [_named(sets, options.set)]
    source = emit_tables.table_source(sets, custom, options.message64, options.lean)
    _write_tables(options.out, source, emit_tables.table_header(sets, custom))


def _write_tables(out, source, header):
    out.write_text(source, encoding="ascii", newline="\n")
    out.with_suffix(".h").write_text(header, encoding="ascii", newline="\n")


def _named(sets, name):
    for entry in sets:
        if entry.name == name:
            return entry
    raise Refused(f"--set {name}: no such set; allowed: {', '.join(entry.name for entry in [*sets, *tfhe_sets()])}")


def parser():
    """The command line."""
    top = argparse.ArgumentParser(prog="python3 -m spec.gen", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="command")
    checks = commands.add_parser("checks", help=run_checks.__doc__)
    checks.add_argument("--file", type=Path, default=PARAMETER_FILE, help="a file in the grammar of params.toml")
    checks.set_defaults(run=run_checks)
    generate = commands.add_parser("generate", help=run_generate.__doc__)
    generate.add_argument("--check", action="store_true", help="write nothing; fail if a file is stale")
    generate.set_defaults(run=run_generate)
    vectors = commands.add_parser("vectors", help=run_vectors.__doc__)
    vectors.add_argument("--check", action="store_true", help="write nothing; fail if a file is stale")
    vectors.add_argument("--all", action="store_true", help="with --check: compute every known answer again, three minutes")
    vectors.set_defaults(run=run_vectors)
    tables = commands.add_parser("tables", help=run_tables.__doc__)
    tables.add_argument("--set", metavar="NAME", help="a set of params.toml, or one of the custom file")
    tables.add_argument("--custom", type=Path, metavar="FILE.toml", help="own sets, in the grammar of params.toml")
    tables.add_argument("--out", type=Path, required=True, metavar="FILE.c")
    tables.add_argument("--message64", action="store_true", help="add the 64-bit cosines, for log2 scale * bound > 30")
    tables.add_argument("--lean", action="store_true", help="two short tables of twiddles per prime instead of a long one")
    tables.set_defaults(run=run_tables)
    return top


def main(arguments=None):
    """Runs one command. It returns 1, with a message on standard error, if the command refuses."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except (Refused, OSError) as refusal:
        print(f"refused: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
