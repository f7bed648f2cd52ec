"""`python3 web/build.py`: writes the WebAssembly modules, the npm package and the page into build/web.

clang compiles the device library's C and web/module into freestanding modules without imports. isopod.wasm has every call;
isopod-decrypt.wasm has only the calls that open results. cargo compiles isopod-holders.wasm, what one of several owners does.
Each of the two pages, an owner's and a holder's, is one file that needs no other. The same compilers and the pinned packages of
package-lock.json give the same files on every machine."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
OUT = Path(os.environ.get("BUILD") or ROOT / "build").resolve() / "web"
FLAGS = ["--target=wasm32", "-std=c11", "-O2", "-ffreestanding", "-nostdlib", "-ffunction-sections", "-fdata-sections",
         "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-DISOPOD_BACKEND=portable",
         "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1", "-Idevice/include"]
MEMORY = ["memory_take", "memory_mark", "memory_release", "set_describe", "status_text"]
OPENING = ["owner_open", "owner_result", "owner_facts", "owner_verifier", "owner_values"]
MAKING = ["keys_begin", "keys_id", "keys_blob_bytes", "keys_blob", "keys_close", "keys_identify", "keys_mask", "device_open",
          "device_settings", "device_frame", "device_refused"]
MODULES = {"isopod-decrypt.wasm": MEMORY + OPENING, "isopod.wasm": MEMORY + OPENING + MAKING}


HOLDERS = "isopod-holders.wasm"
RUST_TARGET = "wasm32-unknown-unknown"


def run(command: list, **environment: str) -> None:
    """Runs a command in the root of the repository; exits with its output if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")


def clang() -> str:
    """The name of the compiler."""
    return next((name for name in ("clang-14", "clang") if shutil.which(name)), "clang-14")


def sources() -> list[Path]:
    """The device library, the four functions that compilers call, and the owner's calls."""
    library = sorted((ROOT / "device/src").glob("**/*.c"))
    return [*library, ROOT / "ports/freestanding/memory.c", *sorted((WEB / "module").glob("*.c"))]


def objects() -> list[Path]:
    """Compiles every source that is newer than its object."""
    folder = OUT / "objects"
    folder.mkdir(parents=True, exist_ok=True)
    headers = [*(ROOT / "device").glob("**/*.h"), *(WEB / "module").glob("*.h"), Path(__file__)]
    newest = max(header.stat().st_mtime for header in headers)
    made = []
    for source in sources():
        target = folder / f"{source.parent.name}-{source.stem}.o"
        if not target.exists() or target.stat().st_mtime < max(newest, source.stat().st_mtime):
            run([clang(), *FLAGS, "-c", source.relative_to(ROOT), "-o", target])
        made.append(target)
    return made


def link(exports: list[str], target: Path) -> None:
    """Links a module that exports these functions and its memory. Its stack overflows into a trap, not into data."""
    run([clang(), "--target=wasm32", "-O2", "-nostdlib", *objects(), "-Wl,--no-entry", "-Wl,--gc-sections", "-Wl,--strip-all",
         "-Wl,--stack-first", "-Wl,-z,stack-size=65536", *[f"-Wl,--export={name}" for name in exports], "-o", target])


def modules() -> None:
    """Builds both modules."""
    for name, exports in MODULES.items():
        link(exports, OUT / name)


def holders() -> None:
    """Builds the module of several owners from crates/holders-wasm, whose entropy is that of its page."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
    settings = {"CC": clang(), "AR": "llvm-ar-14"}
    environment = {f"{name}_{RUST_TARGET.replace('-', '_')}": tool for name, tool in settings.items()}
    environment |= {"CARGO_TARGET_DIR": str(target),
                    "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS": '--cfg getrandom_backend="custom"'}
    choice = ["--profile", "module", "-p", "isopod-holders-wasm", "--target", RUST_TARGET]
    run(["cargo", "build", "--locked", *choice], **environment)
    shutil.copy(target / RUST_TARGET / "module/isopod_holders.wasm", OUT / HOLDERS)


def everything() -> None:
    """Builds a module with every public function of the device library, to measure how large the others could become."""
    headers = "".join(header.read_text() for header in sorted((ROOT / "device/include/isopod").glob("*.h")))
    names = set(re.findall(r"\b(isopod(?:64)?_\w+)\(", headers))
    command = ["llvm-nm-14", "--defined-only", "--extern-only", *objects()]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    functions = {line.split()[-1] for line in listed.stdout.splitlines() if " T " in line}
    link(MODULES["isopod.wasm"] + sorted(names & functions), OUT / "isopod-everything.wasm")


def package() -> None:
    """Writes the npm package: JavaScript, types, both modules."""
    folder = OUT / "package"
    shutil.rmtree(folder, ignore_errors=True)
    run(["node", "web/node_modules/typescript/bin/tsc", "-p", "web/package", "--outDir", folder])
    for name in (*MODULES, HOLDERS):
        shutil.copy(OUT / name, folder / name)
    for name in ("package.json", "README.md"):
        shutil.copy(WEB / "package" / name, folder / name)
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
    beside = OUT / "node_modules"  # where the package's own dependencies are found
    if not beside.is_symlink():
        beside.symlink_to(WEB / "node_modules")


def main() -> None:
    """Builds everything."""
    modules()
    holders()
    if "--measure" in sys.argv[1:]:
        everything()
    if not (WEB / "node_modules").is_dir():
        sys.exit("web/node_modules is missing; `./bootstrap.sh web` installs the pinned packages")
    package()
    run(["node", "web/page/bundle.mjs", OUT])


if __name__ == "__main__":
    main()
