"""Tests the options of Zephyr and ESP-IDF with kconfiglib: what is chosen, what cannot be chosen together, and what
isopod_kconfig.h makes of it for the compiler."""
import os
import shutil
import struct
from unittest import mock

from bench.device import keys
from bench.device.cases import parameter_sets
from packages.test.support import HERE, WITHOUT_UNUSED, PackageTest, run

# Options of Zephyr itself that samples set or that ours depend on: their definitions are no part of the package.
ZEPHYR = {"bool": ("ENTROPY_GENERATOR", "ENTROPY_HAS_DRIVER", "TEST_CSPRNG_GENERATOR", "FAKE_ENTROPY_NATIVE_SIM", "FLASH",
                   "FLASH_MAP", "FLASH_PAGE_LAYOUT", "NVS", "CPU_CORTEX_M55", "BT", "BT_BROADCASTER", "LORA", "LORAWAN",
                   "LORAMAC_REGION_EU868", "LORAWAN_NVM_SETTINGS", "SETTINGS", "INIT_STACKS", "THREAD_STACK_INFO"),
          "int": ("MAIN_STACK_SIZE",)}
PACKAGES = {"zephyr": "zephyr/Kconfig", "esp-idf": "Kconfig"}
SLOTS = ("ISOPOD_LAYOUT_SLOTS=y",)
DRIVER = ("ENTROPY_HAS_DRIVER=y",)
# Settings that cannot hold, each last in what sets it.
REFUSED = (("ISOPOD_CHUNKS_8=y",), ("ISOPOD_FAULT_CHECK=y",), ("ISOPOD_SUITE_SEAL_SHAKE256=y",), ("ISOPOD_STACK_BYTES=1024",),
           (*SLOTS, "ISOPOD_CHUNKS=3"), ("ISOPOD_STACK_BYTES=70000",), ("ISOPOD_TABLES_CKKS_1=y",))
REFUSED_BY_ZEPHYR = (("ISOPOD_ENTROPY=y",), (*DRIVER, "TEST_CSPRNG_GENERATOR=y", "ISOPOD_ENTROPY=y"),
                     (*DRIVER, "FAKE_ENTROPY_NATIVE_SIM=y", "ISOPOD_ENTROPY=y"),
                     ("CPU_CORTEX_M55=y", "ISOPOD_STACK_BYTES=2048"))
# Settings, and what the program then prints: suite, chunks, fault check, stack.
CHOSEN = (((), "chacha20 0 0 4096"),
          (SLOTS, "chacha20 4 0 4096"),
          ((*SLOTS, "ISOPOD_CHUNKS_1=y", "ISOPOD_SUITE_SEAL_SHAKE256=y", "ISOPOD_STACK_BYTES=1536"), "seal 1 0 1536"),
          ((*SLOTS, "ISOPOD_CHUNKS_2=y"), "chacha20 2 0 4096"),
          ((*SLOTS, "ISOPOD_CHUNKS_8=y", "ISOPOD_SUITE_SHAKE256=y", "ISOPOD_FAULT_CHECK=y"), "shake256 8 1 4096"),
          ((*SLOTS, "ISOPOD_FAULT_CHECK=y"), "chacha20 4 1 4096"))


class Kconfig(PackageTest):
    """Both packages have the same options, but for those of Zephyr alone."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        try:
            import kconfiglib  # noqa: F401
        except ImportError:
            cls.skipTest(cls, "kconfiglib not found; ./bootstrap.sh packages installs it")
        cls.packages = {name: cls.package(cls, name) for name in PACKAGES}

    def configured(self, name: str, settings: tuple[str, ...]):
        """The options of a package under these settings."""
        from kconfiglib import Kconfig as Options
        package = self.packages[name]
        text = "".join(f"config {option}\n\t{kind} \"Zephyr's\"\n\n" for kind, options in ZEPHYR.items() for option in options)
        (package / "Kconfig.test").write_text(f'{text if name == "zephyr" else ""}source "{PACKAGES[name]}"\n')
        first = ["CONFIG_ISOPOD=y"] if name == "zephyr" else []
        (package / "test.conf").write_text("\n".join([*first, *(f"CONFIG_{setting}" for setting in settings), ""]))
        with mock.patch.dict(os.environ, srctree=str(package)):
            options = Options("Kconfig.test", warn_to_stderr=False)
            options.warn_assign_undef = True
            options.load_config(str(package / "test.conf"))
            options.write_autoconf(str(self.folder / "autoconf.h"))
        return options

    def complaints(self, name: str, settings: tuple[str, ...]) -> list[str]:
        """Warnings of kconfiglib, and options that have another value than they were given, as Zephyr complains."""
        options = self.configured(name, settings)
        given = {symbol.name: symbol for symbol in options.unique_defined_syms if symbol.user_value is not None}
        wanted = dict(setting.split("=") for setting in settings)
        return options.warnings + [f"{key} is {given[key].str_value}, not {value}" for key, value in wanted.items()
                                   if key in given and given[key].str_value != value]

    def test_every_option_and_choice_has_a_text(self):
        """Covers options without a prompt, too. Secret keys are said to be needed for reading results."""
        for name in PACKAGES:
            options = self.configured(name, ())
            own = [symbol for symbol in options.unique_defined_syms if symbol.name.startswith("ISOPOD")]
            with self.subTest(name):
                self.assertGreater(len(own), 12)
                self.assertEqual([symbol.name for symbol in own if not symbol.nodes[0].help], [])
                self.assertIn("reads answers needs this option", options.syms["ISOPOD_ALLOW_DEVICE_SECRET_KEY"].nodes[0].help)

    def test_options_of_the_samples_exist(self):
        """Each prj.conf, on a board with a generator. Without one, the sample is refused."""
        for sample in sorted((self.packages["zephyr"] / "samples").iterdir()):
            lines = (sample / "prj.conf").read_text().replace("CONFIG_ISOPOD=y\n", "").splitlines()
            settings = tuple(line.removeprefix("CONFIG_") for line in lines if line.startswith("CONFIG_"))
            with self.subTest(sample.name):
                self.assertEqual(self.complaints("zephyr", (*DRIVER, *settings)), [])
                self.assertNotEqual(self.complaints("zephyr", settings), [])

    def test_settings_that_do_not_go_together_are_noticed(self):
        """The last setting is refused, and the others are fine."""
        for name, all_refused in (("zephyr", (*REFUSED, *REFUSED_BY_ZEPHYR)), ("esp-idf", REFUSED)):
            for settings in all_refused:
                with self.subTest(name, settings=settings):
                    self.assertEqual(self.complaints(name, settings[:-1]), [])
                    self.assertNotEqual(self.complaints(name, settings), [])
        self.assertEqual(self.complaints("zephyr", (*DRIVER, "ISOPOD_ENTROPY=y")), [])

    def test_the_compiler_gets_what_was_chosen(self):
        """The workspace is what the library asks for: it takes it, and refuses eight bytes less."""
        self.needs("gcc")
        self.make_library()
        self.write_keys()
        for name, package in self.packages.items():
            tables = sorted((package / "src/tables").glob("*_1024x1_*.c"))
            for settings, said in CHOSEN:
                with self.subTest(name, settings=settings):
                    self.assertEqual(self.complaints(name, settings), [])
                    run(["gcc", "-Wall", "-Wextra", "-Werror", "-include", "autoconf.h", f"-I{package / 'include'}", "-I.",
                         HERE / "boards/kconfig.c", *tables, "isopod.o", WITHOUT_UNUSED, "-o", "program"], self.folder)
                    self.assertEqual(run(["./program"], self.folder).strip(), said)

    def write_keys(self) -> None:
        """Writes blobs that pass for public keys."""
        lines = []
        for scheme, name in (("bfv", "bfv-1024x1-count"), ("ckks", "ckks-1024x1-sum")):
            blob = keys.blob(parameter_sets()[name], "pk")
            words = ", ".join(f"{word}u" for word in struct.unpack(f"<{len(blob) // 4}I", blob))
            lines.append(f"static const uint32_t {scheme}_key[] __attribute__((__unused__)) = {{{words}}};\n")
        (self.folder / "keys.h").write_text("".join(lines))

    def tearDown(self):
        """Removes what one test has built."""
        for path in self.folder.iterdir():
            if path.is_file() and path.suffix in ("", ".c", ".o"):
                path.unlink()

    @classmethod
    def tearDownClass(cls) -> None:
        for package in cls.packages.values():
            shutil.rmtree(package)
