"""SystemVerilog sources of rtl/ for tools and benches: folders, modules by name, and the flags that
find both."""
from collections.abc import Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "rtl/src"
# Lowest first: a module instantiates modules of its own folder and of earlier ones.
FOLDERS = ("base", "random", "ring", "encode", "operands", "control", "tag", "bus", "top")
PACKAGE = SOURCES / "base/isopod_pkg.sv"
ENGINE = "isopod_engine"


def modules() -> dict[str, Path]:
    """Files by the name of their one module."""
    files = [path for folder in FOLDERS for path in sorted((SOURCES / folder).glob("*.sv"))]
    return {path.stem: path for path in files if path != PACKAGE}


def includes() -> list[str]:
    """The flag for the folder of the assertion macros, the only included files."""
    return [f"-I{PACKAGE.parent}"]


def search(*folders: Path) -> list[str]:
    """Flags with which Verilator and slang find modules by name, in the folders and then in
    `folders`."""
    places = [*(SOURCES / folder for folder in FOLDERS), *folders]
    return [*includes(), *(word for place in places for word in ("-y", str(place)))]


def defines(width: int, precise: bool = False) -> list[str]:
    """The flags for the width of the moduli and for precise messages, which are the package's."""
    return [f"-DISOPOD_MODULUS_WIDTH={width}", *(["-DISOPOD_PRECISE=1"] if precise else [])]


def is_precise(chosen: Mapping[str, object]) -> bool:
    """True if the parameters are those of a build with precise messages."""
    return bool(int(chosen.get("Precise", 0)))


def parameters(configuration: dict) -> dict[str, str]:
    """Engine parameters from the names of configs.yaml; texts become strings."""
    return {name.title().replace("_", ""): f'"{value}"' if isinstance(value, str)
            else str(int(value))
            for name, value in configuration.items()}


def configurations() -> dict[str, dict[str, str]]:
    """Engine parameters by name of the configuration."""
    document = yaml.safe_load((ROOT / "rtl/configs.yaml").read_text())
    return {name: parameters(document["defaults"] | changes)
            for name, changes in document["configurations"].items()}
