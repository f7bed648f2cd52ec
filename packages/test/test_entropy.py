"""Tests the entropy sources of device/port/entropy: with the vendors' functions as they are documented (boards/), and PSA's with
Mbed TLS where Debian's libmbedtls-dev is installed.

A source gives all bytes, fresh ones, or fails. Where a vendor's generator fails, the source does."""
from dataclasses import dataclass
from pathlib import Path

from packages.test.support import HERE, ROOT, PackageTest, attempt, run

SOURCES = ROOT / "device/port/entropy"
BYTES = 30
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
MBEDTLS = Path("/usr/include/psa/crypto.h")
WORDS = [0x03020100 + count * 0x10101010 for count in range(1, 10)]  # of the stand-in for an STM32


@dataclass(frozen=True)
class Source:
    """A source: its file, function, stand-in, further definitions, and the faults of the platform."""

    file: str
    function: str
    stand_in: str
    faults: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ("-DSTATE=NULL",)
    libraries: tuple[str, ...] = ()

    @property
    def command(self) -> list[str | Path]:
        """The compiler's command line."""
        include = [f"-I{HERE / 'boards'}"] + ([f"-I{HERE / 'boards' / self.stand_in}"] if self.stand_in else [])
        return ["gcc", "-std=c11", *WARNINGS, *include, f'-DSOURCE="{SOURCES / self.file}"', f"-DFILL={self.function}",
                *self.definitions, HERE / "boards/entropy.c", *self.libraries, "-o", "program"]


ZEPHYR = Source("zephyr.h", "isopod_entropy_zephyr", "zephyr", ("entropy",))
PSA = Source("psa.h", "isopod_entropy_psa", "psa", ("start", "entropy"))
ESP_IDF = Source("esp_idf.h", "isopod_entropy_esp_idf", "esp-idf")
STM32 = Source("stm32_hal.h", "isopod_entropy_stm32_hal", "stm32", ("clock", "seed", "late seed", "timeout", "zero"),
               ('-DVENDOR="stm32_hal.h"', "-DSTATE=board_state()"))
NRF = Source("nrf_rng.h", "isopod_nrf_rng_sample", "nrf", ("silent",), ("-DSAMPLE", "-DSTATE=board_state()"))


def with_radio(calls: int) -> Source:
    """The ESP32's source for firmware with radio, which is on for so many questions."""
    return Source("esp_idf.h", "isopod_entropy_esp_idf_radio", "esp-idf", (), (f"-DRADIO={calls}", "-DSTATE=&radio"))


class Entropy(PackageTest):
    """Each source is a process."""

    def given(self, source: Source, **environment: str) -> str | None:
        """The bytes of one call, hexadecimal; None where the source fails."""
        run(source.command, self.folder)
        done = attempt(["./program"], self.folder, **environment)
        self.assertIn(done.returncode, (0, 1), done.stdout)
        return done.stdout if done.returncode == 0 else None

    def test_all_bytes_are_fresh(self):
        """Every byte of 64 calls takes many values."""
        for source in (ZEPHYR, PSA, ESP_IDF):
            with self.subTest(source.file):
                calls = [bytes.fromhex(self.given(source))]
                calls += [bytes.fromhex(run(["./program"], self.folder)) for _ in range(63)]
                self.assertEqual({len(call) for call in calls}, {BYTES})
                self.assertGreater(min(len(set(column)) for column in zip(*calls)), 32)

    def test_a_failing_generator_is_noticed(self):
        """Covers every fault that a platform reports, and those that it does not."""
        for source in (ZEPHYR, PSA, STM32, NRF):
            for fault in source.faults:
                with self.subTest(source.file, fault=fault):
                    self.assertIsNone(self.given(source, FAULT=fault))

    def test_bytes_of_an_stm32_are_its_words(self):
        """The last word is cut. A word that happens to be 0 is drawn again."""
        words = b"".join(word.to_bytes(4, "little") for word in WORDS)
        self.assertEqual(self.given(STM32), words[:BYTES].hex())
        self.assertEqual(self.given(STM32, FAULT="one zero"), (words[:4] + words[8:])[:BYTES].hex())

    def test_samples_of_an_nrf_are_its_corrected_bytes(self):
        """Each is read once."""
        self.assertEqual(self.given(NRF), bytes(range(0x10, 0x10 + BYTES)).hex())

    def test_an_esp32_with_radio_fails_while_it_is_off(self):
        """It may go off meanwhile."""
        self.assertIsNone(self.given(with_radio(0)))
        self.assertIsNone(self.given(with_radio(1), RADIO="on"))
        self.assertEqual(len(self.given(with_radio(2), RADIO="on")), 2 * BYTES)

    def test_psa_of_mbed_tls(self):
        """The functions are those of Mbed TLS."""
        if not MBEDTLS.exists():
            self.skipTest(f"{MBEDTLS} not found; ./bootstrap.sh packages installs it")
        source = Source("psa.h", "isopod_entropy_psa", "", (), ("-DSTATE=NULL",), ("-lmbedcrypto",))
        first, second = self.given(source), self.given(source)
        self.assertEqual({len(first), len(second)}, {2 * BYTES})
        self.assertNotEqual(first, second)

    def test_the_file_for_all_platforms_chooses_by_what_is_defined(self):
        """A platform that nobody knows is an error, and so are Zephyr's test numbers."""
        chosen = {"-D__ZEPHYR__": ZEPHYR, "-DESP_PLATFORM": ESP_IDF, "-D__linux__": Source("linux.h", "", "")}
        for definition, source in chosen.items():
            with self.subTest(definition):
                definitions = ("-U__linux__", definition, "-DSTATE=NULL")
                every = Source("entropy.h", "isopod_entropy_fill", source.stand_in, (), definitions)
                self.assertEqual(len(self.given(every)), 2 * BYTES)
        for definitions, text in ((("-U__linux__",), "No entropy source for this platform"),
                                  (("-D__ZEPHYR__", "-DCONFIG_TEST_CSPRNG_GENERATOR"), "not random"),
                                  (("-D__ZEPHYR__", "-DCONFIG_FAKE_ENTROPY_NATIVE_SIM"), "not random")):
            with self.subTest(definitions):
                every = Source("entropy.h", "isopod_entropy_fill", "zephyr", (), (*definitions, "-DSTATE=NULL"))
                self.assertIn(text, attempt(every.command, self.folder).stdout)

    def test_the_watchdog_compiles_for_avrs(self):
        """Controllers with a watchdog that interrupts; test_uno.py runs it."""
        self.needs("avr-gcc")
        for controller in ("atmega328p", "atmega1284p", "atmega2560", "atmega32u4"):
            with self.subTest(controller):
                run(["avr-gcc", "-std=c11", "-Os", *WARNINGS, f"-mmcu={controller}", "-fsyntax-only", "-x", "c",
                     SOURCES / "avr_watchdog.h", "-Wno-unused-function", "-Wno-unused-variable"])
