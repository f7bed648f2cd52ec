"""Validates each package offline with the tool of its own ecosystem. README.md lists the tools and their checks."""
import json
import os
import shutil
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

from packages.test.support import HERE, PackageTest, attempt, run


class Ecosystems(PackageTest):
    """One test for each package; Arduino has its own module."""

    def test_installed_library_is_found_by_pkg_config_and_cmake(self):
        """Builds the amalgamation once, installs it and moves it."""
        self.needs("cmake", "pkgconf", "gcc")
        package, prefix = self.package("amalgamation"), self.folder / "prefix"
        run(["cmake", "-S", package, "-B", "library", "-DCMAKE_C_FLAGS=-O0", "-DCMAKE_INSTALL_LIBDIR=lib",
             "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_INSTALL_PREFIX={self.folder / 'first'}"], self.folder)
        run(["cmake", "--build", "library", "--target", "install", "--parallel", "2"], self.folder)
        (self.folder / "first").rename(prefix)
        found = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
        run(["pkgconf", "--validate", "isopod"], **found)
        version = self.manifest["library"]["version"]
        self.assertEqual(run(["pkgconf", "--modversion", "isopod"], **found).strip(), version)
        flags = run(["pkgconf", "--cflags", "--libs", "isopod"], **found).split()
        run(["gcc", HERE / "consumer/consumer.c", '-DINSTALLED_HEADER="isopod.h"', *flags, "-o", "consumer"], self.folder)
        run(["./consumer"], self.folder)
        run(["cmake", "-S", HERE / "consumer", "-B", "consumer-cmake", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DWANTED={version}",
             "-DINSTALLED_HEADER=isopod.h"], self.folder)
        run(["cmake", "--build", "consumer-cmake"], self.folder)
        run(["consumer-cmake/consumer"], self.folder)

    def test_zephyr_module_file(self):
        """An unknown key is an error."""
        self.needs("pykwalify")
        module = self.package("zephyr") / "zephyr/module.yml"
        schema = ["-s", HERE / "module-schema.yaml"]
        self.assertIn("validation.valid", run(["pykwalify", "-d", module, *schema]))
        wrong = self.folder / "module.yml"
        wrong.write_text(module.read_text() + "dependencies: none\n")
        self.assertIn("'dependencies' was not defined", attempt(["pykwalify", "-d", wrong, *schema]).stdout)

    def said_by_cmake(self, file: Path, *settings: str) -> list[list[str]]:
        """The calls of Zephyr's and ESP-IDF's functions in a CMakeLists.txt, each as its name and one argument."""
        self.needs("cmake")
        with tempfile.TemporaryDirectory(dir=self.folder) as build:
            definitions = [f"-D{word}" for word in (f"FILE={file}", *settings)]
            done = run(["cmake", "-S", HERE / "build_systems", "-B", build, *definitions])
        return [line.split(maxsplit=1) for line in done.splitlines() if line.startswith(("zephyr_", "idf_"))]

    def zephyr_sources(self, package: Path, *settings: str) -> list[str]:
        """The sources that Zephyr compiles for a configuration, relative to the package."""
        calls = self.said_by_cmake(package / "zephyr/CMakeLists.txt", "CONFIG_ISOPOD=y", *settings)
        return [os.path.relpath(word, package) for name, word in calls if name == "zephyr_library_sources"]

    def test_zephyr_sources(self):
        """Zephyr compiles the tables of the chosen sets only. A build for the host includes C before every file, so it gets no
        assembly."""
        package = self.package("zephyr")
        every = sorted(str(path.relative_to(package)) for path in (package / "src").rglob("*.[cS]"))
        table = "src/tables/isopod_tables_ckks_2048x1_air.c"
        wanted = [name for name in every if "/isopod_tables_" not in name or name == table]
        self.assertEqual(sorted(self.zephyr_sources(package, "CONFIG_ISOPOD_TABLES_CKKS_2048X1_AIR=y")), wanted)
        without = [name for name in every if "/isopod_tables_" not in name and name.endswith(".c")]
        self.assertLess(len(without), len(wanted) - 1)
        self.assertEqual(sorted(self.zephyr_sources(package, "CONFIG_ARCH_POSIX=y")), without)

    def test_esp_idf_example_requires_the_library(self):
        """The example requires a component by the name of its folder. Without that it finds no headers."""
        package = self.package("esp-idf")
        example = package / "examples/send_readings/main/CMakeLists.txt"
        words = [word for _, word in self.said_by_cmake(example, "CMAKE_BUILD_EARLY_EXPANSION=1")]
        self.assertIn(package.name, words[words.index("PRIV_REQUIRES"):])

    def test_esp_idf_component(self):
        """The tool lints and packs the component, and refuses a wrong version."""
        self.needs("compote")
        package = self.package("esp-idf")
        offline = {"HOME": str(self.folder), "IDF_COMPONENT_REGISTRY_URL": "http://127.0.0.1:9"}
        run(["compote", "manifest", "lint", package], **offline)
        run(["compote", "component", "pack", "--name", "isopod"], package, **offline)
        self.assertTrue(list(package.glob("dist/*.tgz")))
        manifest = package / "idf_component.yml"
        manifest.write_text(manifest.read_text().replace("version: \"", "version: \"v.", 1))
        self.assertNotEqual(attempt(["compote", "manifest", "lint", package], **offline).returncode, 0)

    def test_platformio_library(self):
        """The tool packs the library, and the files that the manifest names exist. The licence is left out, because its check
        asks a server."""
        self.needs("pio")
        package = self.package("platformio")
        file = package / "library.json"
        library = json.loads(file.read_text())
        self.assertEqual(library.pop("license"), self.manifest["library"]["licence"])
        example = library["examples"][0]
        self.assertEqual([name for name in library["headers"] if not (package / "include" / name).exists()], [])
        self.assertEqual([name for name in example["files"] if not (package / example["base"] / name).exists()], [])
        file.write_text(json.dumps(library))
        offline = {"PLATFORMIO_CORE_DIR": str(self.folder / "core"), "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no"}
        run(["pio", "pkg", "pack", "-o", self.folder / "packed.tar.gz", package], **offline)
        file.write_text(json.dumps({**library, "version": 1}))
        self.assertNotEqual(attempt(["pio", "pkg", "pack", "-o", self.folder / "bad.tar.gz", package], **offline).returncode, 0)

    def test_cmsis_pack_description(self):
        """The description has the elements that the format requires, and each file once. If CMSIS_PACK_SCHEMA names the
        schema, it is checked against that."""
        package = self.package("cmsis-pack")
        description = package / "Isopod.isopod.pdsc"
        tree = xml.parse(description).getroot()
        library = self.manifest["library"]
        self.assertEqual([name for name in ("vendor", "name", "description", "url", "license") if tree.find(name) is None], [])
        self.assertEqual(tree.find("releases/release").attrib, {"version": library["version"], "date": library["date"]})
        component = tree.find("components/component")
        self.assertLessEqual({"Cclass", "Cgroup", "Cversion"}, component.attrib.keys())
        conditions = {condition.attrib["id"] for condition in tree.iterfind("conditions/condition")}
        self.assertIn(component.attrib["condition"], conditions)
        named = [file.attrib["name"] for file in component.iterfind("files/file")]
        self.assertEqual([name for name in named if not (package / name).exists()], [])
        sources = sorted(str(path.relative_to(package)) for path in (package / "src").rglob("*") if path.suffix in (".c", ".S"))
        self.assertEqual(sorted(name for name in named if name.startswith("src/")), sources)
        if schema := os.environ.get("CMSIS_PACK_SCHEMA"):
            run(["xmllint", "--noout", "--schema", schema, description])

    def test_conan_recipe(self):
        """Builds and runs a program. This takes 45 seconds, so it runs only if ISOPOD_CONAN is set."""
        self.needs("conan")
        if not os.environ.get("ISOPOD_CONAN"):
            self.skipTest("ISOPOD_CONAN is not set; `make test-all` sets it")
        package, home = self.package("conan"), {"CONAN_HOME": str(self.folder / "conan")}
        run(["conan", "profile", "detect"], **home)
        run(["conan", "create", ".", "--no-remote", "-c", "tools.build:jobs=2"], package, **home)

    def tearDown(self):
        """Removes the package, because packages are large."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
