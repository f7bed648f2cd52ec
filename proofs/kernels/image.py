"""The library's kernels as machine code: every source of device/src, compiled and linked for a processor, without a program."""
import subprocess
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from elftools.elf.elffile import ELFFile

from ports.emulate import BUILD, ROOT

FOLDER = ROOT / BUILD / "proofs"
SOURCES = ROOT / "device/src"


@dataclass(frozen=True)
class Target:
    """A processor and how its code is compiled; `like` is one that has the same images."""

    name: str
    prefix: str
    flags: tuple[str, ...]
    like: str = ""


CORTEX_M4 = Target("cortex-m4", "arm-none-eabi-", ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"))
CORTEX_M55 = Target("cortex-m55", "arm-none-eabi-", ("-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard", "-fno-schedule-insns"))
RV32IM = Target("rv32im", "riscv64-unknown-elf-", ("-march=rv32im", "-mabi=ilp32", "-mcmodel=medany"))
AARCH64 = Target("aarch64", "aarch64-linux-gnu-", ("-mcpu=cortex-a53",))
# x86-64 looks at the processor at run time, at a word of __cpu_model of the compiler's support library.
CPU_MODEL = 0x0E000000
FEATURES = CPU_MODEL + 12
X86_64 = Target("x86-64", "x86_64-linux-gnu-",
                ("-m64", "-fno-pie", "-no-pie", "-static", f"-Wl,--defsym=__cpu_model={CPU_MODEL}"))
X86_64_AVX512 = replace(X86_64, name="x86-64 with AVX-512", like=X86_64.name)
COMMON = ("-std=c11", "-ffreestanding", "-fno-builtin", "-ffunction-sections", "-fdata-sections",
          "-fno-tree-loop-distribute-patterns", f"-I{ROOT}/device/include", "-w")
LINK = ("-nostdlib", "-nostartfiles", "-Wl,--unresolved-symbols=ignore-all", "-Wl,-e0", "-Wl,-Ttext=0x10000", "-Wl,-z,norelro")


def run(*words: str | Path, cwd: Path = ROOT) -> str:
    """The output of a program; RuntimeError with what it said if it fails."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {done.stdout}{done.stderr}")
    return done.stdout


def build(target: Target, name: str, flags: tuple[str, ...] = (), more: tuple[Path, ...] = ()) -> "Image":
    """Compiles all sources, and more; `flags` choose kernels and optimisation."""
    folder = FOLDER / f"{target.like or target.name}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in (*SOURCES.rglob("*.c"), *SOURCES.rglob("*.S"), *more))
    made = folder / "image.elf"
    newest = max(path.stat().st_mtime for path in (*sources, *SOURCES.rglob("*.h"), Path(__file__)))
    if not made.exists() or made.stat().st_mtime < newest:
        numbered = [folder / f"{number}-{path.stem}.o" for number, path in enumerate(sources)]
        for path, out in zip(sources, numbered):
            run(f"{target.prefix}gcc", *target.flags, *COMMON, *flags, "-c", path, "-o", out)
        run(f"{target.prefix}gcc", *target.flags, *LINK, *numbered, "-o", made)
    return Image(made)


@dataclass(frozen=True)
class Image:
    """A linked file."""

    path: Path

    @cached_property
    def _parts(self) -> tuple[dict[str, int], list[tuple[int, bytes]]]:
        with self.path.open("rb") as file:
            elf = ELFFile(file)
            symbols = {one.name: one["st_value"] for one in elf.get_section_by_name(".symtab").iter_symbols()
                       if one["st_info"]["type"] == "STT_FUNC"}
            loaded = [(one["p_vaddr"], one.data()) for one in elf.iter_segments() if one["p_type"] == "PT_LOAD"]
        return symbols, loaded

    @property
    def functions(self) -> dict[str, int]:
        """Addresses of functions by name."""
        return self._parts[0]

    @property
    def loaded(self) -> list[tuple[int, bytes]]:
        """Addresses and bytes of code and data."""
        return self._parts[1]

    def bytes_at(self, address: int, length: int) -> bytes | None:
        """Constant bytes of code and data; None outside of the file."""
        for start, data in self.loaded:
            if start <= address and address + length <= start + len(data):
                return data[address - start:address - start + length]
        return None
