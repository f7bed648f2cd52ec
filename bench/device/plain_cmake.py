"""Compares two builds of the library by the instructions of one encryption: device/CMakeLists.txt without options, and
ports.mk."""
import os
from pathlib import Path

from bench.device import measure
from bench.device.cases import all_cases
from ports.emulate import BUILD, output

CASE = "ckks-4096x3-pk-fast"
MACHINE_FLAGS = {
    "x86-64": "",
    "cortex-m4": "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -ffreestanding",
    "rv32im": "-march=rv32im -mabi=ilp32 -mcmodel=medany -ffreestanding",
    "aarch64": "",
}
# Each builds the library once more: `make test-all` names all of them.
CHOSEN = os.environ.get("ISOPOD_PLAIN_CMAKE", "cortex-m4").split()


def library(target: str, build_type: str) -> Path:
    """Builds libisopod.a with CMake; only the compiler, its machine and perhaps a build type are named. The library's path."""
    folder = BUILD / "plain-cmake" / f"{target}{build_type}"
    system = [] if target == "x86-64" else ["-DCMAKE_SYSTEM_NAME=Generic"]
    output(["cmake", "-S", "device", "-B", folder, f"-DCMAKE_C_COMPILER={measure.COMPILERS[target]}",
          f"-DCMAKE_C_FLAGS={MACHINE_FLAGS[target]}", f"-DCMAKE_ASM_FLAGS={MACHINE_FLAGS[target]}",
          "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", "-DBUILD_TESTING=OFF",
          f"-DCMAKE_BUILD_TYPE={build_type}", *system])
    output(["cmake", "--build", folder, "--parallel", "2", "--target", "isopod"])
    return folder / "libisopod.a"


def instructions(target: str, built: Path | None) -> int:
    """The count of one encryption, without its frame."""
    case = next(case for case in all_cases() if case.name == CASE)
    files = measure.build(case, target, built)
    counts, _ = measure.run(files.elf, [str(files.key), str(case.chunks)], target)
    return counts[0]


def ratio(target: str, build_type: str = "") -> float:
    """Instructions with the library of plain CMake, divided by those with the library of ports.mk."""
    return instructions(target, library(target, build_type)) / instructions(target, None)
