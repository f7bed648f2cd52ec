"""Builds an application for a port with ports.mk and runs it, under QEMU or, on the linux ports, as a process. A core of
ports/cores.py may stand in place of a port."""
import os
import subprocess
import tempfile
from pathlib import Path

from ports.cores import BY_SLUG, Core

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("BUILD", "build"))
PORTS = ("mps2-an386", "virt-rv32", "mps3-an547", "linux", "linux-aarch64", "linux-armv7a")
BOARDS = PORTS[:3]
BACKEND = {"mps2-an386": "armv7em", "virt-rv32": "rv32im", "mps3-an547": "armv7em", "linux": "x86", "linux-aarch64": "neon",
           "linux-armv7a": "neon"}  # chosen by the architecture
COUNTER_TARGET = {"mps2-an386": "thumb", "virt-rv32": "rv32", "mps3-an547": "thumb", "linux-aarch64": "aarch64",
                  "linux-armv7a": "arm"}
COMPILER = {"mps2-an386": "arm-none-eabi-gcc", "virt-rv32": "riscv64-unknown-elf-gcc", "mps3-an547": "arm-none-eabi-gcc",
            "linux": "gcc", "linux-aarch64": "aarch64-linux-gnu-gcc", "linux-armv7a": "arm-linux-gnueabihf-gcc"}
BUILT: dict[Path, tuple] = {}  # arguments and state of its inputs with which this process last built each application
MACHINE = {
    "mps2-an386": ["qemu-system-arm", "-M", "mps2-an386"],
    "virt-rv32": ["qemu-system-riscv32", "-M", "virt", "-bios", "none"],
    "mps3-an547": ["qemu-system-arm", "-M", "mps3-an547"],
    "linux-aarch64": ["qemu-aarch64"],
    "linux-armv7a": ["qemu-arm"],
}


def port_of(place: str) -> str:
    """The port of a core; a port gives itself."""
    return BY_SLUG[place].port if place in BY_SLUG else place


def backend_of(place: str) -> str:
    """The kernels that the library chooses on a port or core."""
    return BY_SLUG[place].backend if place in BY_SLUG else BACKEND[place]


def make(*arguments: str) -> None:
    """Runs ports.mk; RuntimeError with the output of make and the compiler if it fails."""
    output(["make", "-s", "-f", "ports/ports.mk", f"BUILD={BUILD}", *arguments])


def build_app(port: str, app: str, sources: list[str], flags: str = "", tables: tuple[str, ...] = (),
              kernels: str | Path = "") -> Path:
    """Builds an application; its ELF file. Sources and tables are relative to the root of the repository.

    `kernels` names a backend other than the machine's (device/src/backend/backend.h), whose library gets a folder of its own.
    Or it is the path of a library that is already built, and the application is put beside it. make runs again only if the
    arguments or the application's own inputs changed; the library's sources do not change while a program runs."""
    core = BY_SLUG.get(port)
    if core is not None:
        port, folder = core.port, BUILD / "cores" / core.slug
        chosen = [f"BUILD={folder}", *core.settings]
    elif isinstance(kernels, Path):
        folder, chosen = kernels.parent, [f"BUILD={kernels.parent}", f"{port}.LIBRARY={kernels}", f"{port}.DEVICE="]
    else:
        folder = BUILD / kernels
        chosen = [f"BUILD={folder}", f"BACKEND={kernels}"] if kernels else []
    elf, wanted = folder / port / f"{app}.elf", (tuple(sources), flags, tables)
    if BUILT.get(elf) != (wanted, inputs(elf)):
        if any(built.parent == elf.parent for built in BUILT):
            chosen.append(f"{port}.DEVICE=")  # the library is there, and looking at its sources would take longer than the rest
        make("port-app", f"PORT={port}", f"PORTS={port}", f"APP={app}", f"APP_SOURCES={' '.join(sources)}",
             f"APP_FLAGS={flags}", f"APP_TABLES={' '.join(tables)}", *chosen)
        BUILT[elf] = wanted, inputs(elf)
    return elf


def inputs(elf: Path) -> dict[str, int]:
    """When every file that the compiler read for an application last changed; 0 if a file is gone."""
    depends = (ROOT / elf).with_suffix(".objects").glob("*.d")
    names = {word for file in depends for word in file.read_text().replace("\\\n", " ").split() if not word.endswith(":")}
    return {name: path.stat().st_mtime_ns if (path := ROOT / name).exists() else 0 for name in names}


def command(port: str, elf: Path, words: list[str], count_to: Path | None = None, traced: bool = False) -> list[str]:
    """The command line that runs elf with words as its arguments. The counter writes its regions to count_to; with `traced` it
    also writes the digests that traces() reads."""
    core = BY_SLUG.get(port, Core("", port, ""))
    port = core.port
    if port == "linux":
        return [str(elf), *words]
    plugin = [] if count_to is None else counter_option(port, count_to, traced)
    if port not in BOARDS:
        return [*MACHINE[port], *plugin, str(elf), *words]
    arguments = "".join(",arg=" + word.replace(",", ",,") for word in [elf.name, *words])
    emulator, *machine = [core.machine if core.machine and word == port else word for word in MACHINE[port]]
    return [core.emulator or emulator, *machine, "-nographic", "-semihosting-config", f"enable=on,target=native{arguments}",
            *plugin, "-kernel", str(elf)]


def counter_option(port: str, count_to: Path, traced: bool) -> list[str]:
    """QEMU's option that loads the counter, which must be built already. The counter also counts by function."""
    files = f"out={count_to},functions={functions_file(count_to)}"
    files += f",trace={trace_file(count_to)}" if traced else ""
    return ["-plugin", f"{BUILD}/counter/libcounter.so,target={COUNTER_TARGET[port_of(port)]},{files}"]


def functions_file(count_file: Path) -> Path:
    """The file with the counts of a run by function."""
    return count_file.with_suffix(".functions")


def trace_file(count_file: Path) -> Path:
    """The file with the digests of a traced run."""
    return count_file.with_suffix(".traces")


def run(arguments: list[str], seconds: int = 60) -> subprocess.CompletedProcess:
    """Runs a command in the root of the repository and captures its output; the caller judges the exit status."""
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False,
                          stdin=subprocess.DEVNULL)


def output(command: list, seconds: int = 3600) -> str:
    """The output of a command in the root of the repository; RuntimeError with it if the command fails."""
    done = run(list(map(str, command)), seconds)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(done.args)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def regions(count_file: Path) -> list[int]:
    """Instructions in each region, from a file of the counter; ValueError if the counter reports an error."""
    return column(count_file, 1)


def cycles(count_file: Path) -> list[int]:
    """Cycles in each region, by the model of the board's processor."""
    return column(count_file, 2)


def column(count_file: Path, number: int) -> list[int]:
    """One number from the line of every region."""
    lines = (ROOT / count_file).read_text().split("\n")[:-1]
    if any(line.startswith("error") for line in lines):
        raise ValueError(f"{count_file}: {lines[0]}")
    return [int(line.split()[number]) for line in lines]


def traces(count_file: Path) -> dict[int, str]:
    """Digests for each region: of the addresses of its instructions, and of the data addresses that they accessed."""
    lines = (ROOT / trace_file(count_file)).read_text().splitlines()
    return {int(number): digest for number, digest in (line.split() for line in lines)}


def functions(count_file: Path, region: int) -> dict[str, int]:
    """Instructions of each function within one outermost region, the largest first."""
    lines = (ROOT / functions_file(count_file)).read_text().splitlines()
    counts = {name: int(count) for number, count, name in (line.split() for line in lines) if int(number) == region}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def callgrind(elf: Path, words: list[str], seconds: int = 600) -> list[int]:
    """Instructions in each region of a linux application; each includes the few instructions of the markers themselves."""
    with tempfile.TemporaryDirectory() as folder:
        output(["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={folder}/out", elf, *words],
               seconds)
        dumps = sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return [total(dump) for dump in dumps]


def total(dump: Path) -> int:
    """The instruction count of one callgrind dump."""
    line = next(line for line in dump.read_text().split("\n") if line.startswith("totals: "))
    return int(line.split()[1])
