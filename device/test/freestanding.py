"""`python3 device/test/freestanding.py [--all] [GROUP ...]`: checks that the library is freestanding and has no state of its own.

Compiles every source for several machines with warnings as errors and checks the symbols: only the compiler's runtime is
undefined, no floating point, no writable data, no name outside isopod_. Headers compile alone, in C and C++. The WebAssembly
module links without a C library and, under node, reproduces every known answer. Without --all three machines are left out."""
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from objects import Compilation, objects
from sources import BUILD, DEVICE, FOLDER, INCLUDE, ROOT, amalgamation, backend_flag, build, call, library, relative, tests, tool

C11 = ["-std=c11", *INCLUDE]
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-aliasing", "-Wundef", "-Wcast-align", "-Werror"]
PORTABLE = backend_flag("portable")
BARE = ["-ffreestanding", "-nostdlib"]
VECTOR_MACHINES = {"helium": ("arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mfloat-abi=hard"), "neon": ("aarch64-linux-gnu-gcc",)}
RUNTIME = re.compile(r"mem(cpy|set|move|cmp)"
                     r"|__aeabi_(u?l(div)?(div|divmod|mul|lsl|lsr|asr)|u?idiv(mod)?|mem\w+|lmul|ll?s[lr]|lasr)"
                     r"|__(u?(div|mod)|mul|ash[lr]|lshr)[dst]i3|__gnu_thumb1_case_\w+|__bswap[sd]i2|__clz[sd]i2")
OURS = ("isopod_", "isopod64_")
LINKER = ("__stack_pointer", "__indirect_function_table")
WRITABLE = set("dDbBC")
UNUSED = "-Wno-unused-function"  # clang warns about inline functions of a source, which those of headers are in the amalgamation
# Left to --all: other levels of gcc, and clang, which device/test/every_file.py runs with the same warnings.
LATER = ("gcc -O3", "clang -O0", "clang -O3")
# nm for the library of a board, whose objects the tests are linked with; linux has position-independent code.
NM_OF_BOARD = {"mps2-an386": "arm-none-eabi-nm", "mps3-an547": "arm-none-eabi-nm", "virt-rv32": "riscv64-unknown-elf-nm"}


@dataclass(frozen=True)
class Machine:
    """One compiler with its options, the nm that reads its objects, and whether it compiles the amalgamation."""

    name: str
    compiler: str
    flags: tuple
    nm: str
    is_amalgamated: bool = False


def machines(complete: bool) -> list[Machine]:
    """The machines whose tools are installed; the others are printed as skipped."""
    chosen = [machine for machine in every_machine() if complete or machine.name not in LATER]
    present = [machine for machine in chosen if tool(machine.compiler) and tool(machine.nm)]
    for machine in chosen:
        if machine not in present:
            print(f"freestanding {machine.name}: skipped, {machine.compiler} or {machine.nm} is not installed")
    return present


def every_machine() -> list[Machine]:
    """The machines of --all."""
    clang, node_nm = tool("clang-14", "clang"), tool("llvm-nm-14", "llvm-nm", "nm")
    hosts = [Machine(f"gcc {level}", "gcc", (level, "-fno-pic"), "nm") for level in ("-O0", "-O3")]
    hosts += [Machine(f"clang {level}", clang or "clang", (level, "-fno-pic"), "nm") for level in ("-O0", "-O3")]
    return hosts + [
        Machine("cortex-m0", "arm-none-eabi-gcc", ("-mcpu=cortex-m0", "-mthumb", "-Os"), "arm-none-eabi-nm", True),
        Machine("wasm32", clang or "clang", ("--target=wasm32", "-O2", UNUSED), node_nm or "llvm-nm", True)]


def compile_all(machine: Machine) -> list[Path]:
    """Compiles every source: the objects."""
    chosen = Compilation(machine.compiler, (*C11, *STRICT, *BARE, *PORTABLE, *machine.flags))
    return objects(chosen, amalgamation() if machine.is_amalgamated else library())


def objects_of(name: str) -> list[Path]:
    """The objects of a machine, which programs link."""
    return compile_all(next(machine for machine in every_machine() if machine.name == name))


def symbols(nm: str, files: list[Path]) -> list[tuple[str, str]]:
    """(type, name) of every symbol."""
    lines = call([nm, *files]).stdout.splitlines()
    return [tuple(line.split()[-2:]) for line in lines if len(line.split()) in (2, 3)]


def faults_of_symbols(found: list[tuple[str, str]], has_constants: bool) -> list[str]:
    """Symbols that must not exist. WebAssembly has no read-only data: its constants look like variables."""
    faults = [f"writable data: {name}" for kind, name in found if kind in WRITABLE and has_constants]
    faults += [f"a global outside of isopod_: {name}" for kind, name in found
               if kind.isupper() and kind != "U" and not name.startswith(OURS)]
    faults += [f"needs {name}" for kind, name in found if kind == "U" and not is_allowed_outside(name)]
    return sorted(set(faults))


def is_allowed_outside(name: str) -> bool:
    """True for the library's names, the compiler's runtime, and symbols of WebAssembly's linker."""
    return name.startswith(OURS) or name in LINKER or RUNTIME.fullmatch(name) is not None


def check_machine(machine: Machine) -> tuple[str, list[str]]:
    """The faults of one machine."""
    try:
        return machine.name, faults_of_objects(machine.nm, compile_all(machine), machine.name != "wasm32")
    except RuntimeError as error:
        return machine.name, [str(error)]


def faults_of_objects(nm: str, files: list[Path], has_constants: bool = True) -> list[str]:
    """The faults of the symbols in these objects."""
    found = symbols(nm, files)
    if not any(name == "isopod_ckks_begin" for _, name in found):
        return ["nm shows no isopod_ckks_begin: the check itself is broken"]
    return faults_of_symbols(found, has_constants)


def faults_of_board(board: str) -> list[str]:
    """The faults of the library of a board, with the kernels of its machine, which must be built already."""
    return faults_of_objects(NM_OF_BOARD[board], [BUILD / board / "libisopod.a"])


def check_headers() -> tuple[str, list[str]]:
    """Compiles each header alone, included twice, those of vector machines for these; the public ones also as C++. Templates
    are not headers."""
    faults = []
    public = relative("include/isopod/*.h")
    for header in [*public, *relative("src/**/*.h")]:
        if not header.name.endswith("_template.h"):
            faults += header_faults(header, [*VECTOR_MACHINES.get(header.parent.name, ("gcc",)), "-x", "c", *C11])
    for header in public:
        faults += header_faults(header, ["g++", "-x", "c++", "-std=c++11", "-I", DEVICE / "include"])
    return "headers", faults


def header_faults(header: Path, compiler: list) -> list[str]:
    """The compiler's complaints about a file with only this header; the engine driver's header needs an address."""
    alone = FOLDER / "freestanding" / f"alone_{header.parent.name}_{header.stem}.c"
    alone.parent.mkdir(parents=True, exist_ok=True)
    alone.write_text(f'#include "{ROOT / header}"\n#include "{ROOT / header}"\ntypedef int not_empty;\n')
    defined = ["-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1", "-DISOPOD_ACCEL_BASE=0x20000000u"]
    done = call([*compiler, "-Wall", "-Wextra", "-Werror", *defined, "-fsyntax-only", alone])
    return [] if done.returncode == 0 else [f"{header} does not stand alone: {done.stderr.strip()}"]


CPLUSPLUS = """
isopod_status (*const functions[])(isopod_ckks *, const isopod_ckks_config *, const isopod_encryptor *,
                                   const isopod_values *) = {isopod_ckks_begin};
const void *const others[] = {
    (const void *)isopod_ckks_next, (const void *)isopod_frame_next, (const void *)isopod_public_key_open,
    (const void *)isopod_secret_key_open, (const void *)isopod_key_pair_begin, (const void *)isopod_ckks_tables_build,
    (const void *)isopod_bfv_begin, (const void *)isopod_bfv_tables_build, &isopod_suite_chacha20,
    &isopod_encoder_slots64, &isopod_encoder_complex64, &isopod_encoder_coefficients64, isopod_ckks_sets, isopod_bfv_sets};
int main() { return functions[0] == nullptr || others[0] == nullptr; }
"""


def check_cplusplus() -> tuple[str, list[str]]:
    """Links a C++ program that includes every public header with the C library."""
    folder = FOLDER / "freestanding"
    source = folder / "cplusplus.cpp"
    includes = "".join(f'#include "isopod/{header.name}"\n' for header in relative("include/isopod/*.h"))
    source.write_text(includes + CPLUSPLUS)
    try:
        build(["g++", "-std=c++11", "-no-pie", "-I", DEVICE / "include", "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1", source,
               *objects_of("gcc -O0"), "-o", folder / "cplusplus"])
    except RuntimeError as error:
        return "C++", [str(error)]
    return "C++", []


def check_module() -> tuple[str, list[str]]:
    """Links the library alone to a module without imports."""
    clang, module = tool("clang-14", "clang"), FOLDER / "freestanding/library.wasm"
    exports = ["isopod_ckks_begin", "isopod_bfv_begin", "isopod_encryption_next", "isopod_frame_begin", "isopod_frame_next",
               "isopod_public_key_open"]
    try:
        build([clang, "--target=wasm32", *BARE, *objects_of("wasm32"), "-Wl,--no-entry",
               *[f"-Wl,--export={name}" for name in exports], "-o", module])
    except RuntimeError as error:
        return "module", [str(error)]
    script = ("const m=new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));"
              "console.log(WebAssembly.Module.imports(m).length,WebAssembly.Module.exports(m).map(e=>e.name).join())")
    said = call(["node", "-e", script, module]).stdout.split()
    missing = [name for name in exports if name not in said[-1:][0].split(",")] if said else exports
    return "module", ([] if said[:1] == ["0"] else [f"the module imports {said}"]) + [f"not exported: {n}" for n in missing]


def check_wasm(groups: list[str]) -> tuple[str, list[str]]:
    """Runs the tests in a module under node, except those of the stack."""
    clang, module = tool("clang-14", "clang"), FOLDER / "freestanding/tests.wasm"
    chosen = [f"-DISOPOD_TEST_GROUPS={','.join(chr(34) + group + chr(34) for group in groups)}"] if groups else []
    try:
        build([clang, "--target=wasm32", *C11, *BARE, "-O1", "-Wall", "-Wextra", "-Werror", "-I", "ports", *chosen,
               *objects_of("wasm32"), *tests("wasm"), "ports/freestanding/memory.c", "-Wl,--no-entry",
               "-Wl,-z,stack-size=131072", "-o", module])
    except RuntimeError as error:
        return "wasm tests", [str(error)]
    done = call(["node", DEVICE / "test/wasm.mjs", module])
    said = done.stdout.splitlines()
    return f"wasm tests, {said[-1] if said else 'silent'}", [] if done.returncode == 0 else [done.stdout + done.stderr]


def results(groups: list[str], complete: bool) -> list[tuple[str, list[str]]]:
    """(name, faults) of every check that this machine can run."""
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(check_machine, machines(complete)))
    found += [check_headers(), check_cplusplus()]
    if tool("clang-14", "clang") and tool("node"):
        return [*found, check_module(), check_wasm(groups)]
    print("freestanding module and wasm tests: skipped, clang or node is not installed")
    return found


def main() -> int:
    """Prints a line per check, its faults, and a summary."""
    found = results([word for word in sys.argv[1:] if word != "--all"], "--all" in sys.argv[1:])
    for name, faults in found:
        print(f"freestanding {name}: {'ok' if not faults else 'FAILED'}", *faults, sep="\n  ")
    failed = sum(1 for _, faults in found if faults)
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
