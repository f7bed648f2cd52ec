"""Tests the manifest: versions agree, packages are complete and repeatable, and unknown things are refused."""
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path
from unittest import mock

from packages import build
from packages.test.support import ROOT, PackageTest, attempt


def names(archive: Path) -> int:
    """The number of files in an archive."""
    if archive.suffix == ".gz":
        with tarfile.open(archive) as opened:
            return len(opened.getnames())
    with zipfile.ZipFile(archive) as opened:
        return len(opened.namelist())


class Manifest(PackageTest):
    """Tests that apply to all packages."""

    def test_version_and_description_are_those_of_the_library(self):
        """Other tools read these files of the library unchanged."""
        library = self.manifest["library"]
        cmake = (ROOT / "device/CMakeLists.txt").read_text()
        self.assertEqual(re.search(r"project\(isopod VERSION (\S+)", cmake)[1], library["version"])
        self.assertEqual(re.search(r'DESCRIPTION "(.*)"', cmake)[1], library["summary"])
        self.assertEqual(tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"], library["version"])

    def test_every_package_has_licence_readme_and_no_open_word(self):
        """Every word in a template is replaced."""
        for name in self.manifest["package"]:
            files = build.package_files(name, self.manifest)
            with self.subTest(name):
                self.assertLessEqual({"LICENSE", "README.md"}, files.keys())
                self.assertEqual([path for path, data in files.items() if b"@@" in data], [])

    def test_archives_hold_the_folder_and_repeat_to_the_byte(self):
        """Archives hold neither the time nor an owner from this machine."""
        for name in ("amalgamation", "arduino", "cmsis-pack"):
            with self.subTest(name):
                folder = self.package(name)
                archive = self.folder / build.archive_name(name, self.manifest)
                first = archive.read_bytes()
                self.package(name)
                self.assertEqual(archive.read_bytes(), first)
                self.assertEqual(names(archive), sum(path.is_file() for path in folder.rglob("*")))

    def test_what_there_is_not_is_refused_by_field(self):
        """Covers packages, sets, layouts and words of templates."""
        done = attempt(["python3", "-m", "packages.build", "--out", self.folder, "--only", "cargo"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("--only: cargo is unknown; allowed is one of cmake, ", done.stdout)
        with self.assertRaisesRegex(build.Refused, "files.sets: ckks-1 is unknown; allowed is one of ckks-1024x1-sum"):
            build.table_files({"sets": ["ckks-1"], "tfhe_sets": []}, False)
        with self.assertRaisesRegex(build.Refused, "packages/zephyr/Kconfig: @@nam@@ is unknown; allowed is one of name"):
            build.filled("a @@nam@@ b", build.values(self.manifest), "zephyr/Kconfig")
        wrong = build.MANIFEST.read_text().replace('layout = "folders"', 'layout = "tree"', 1)
        path = self.folder / "manifest.toml"
        path.write_text(wrong)
        with mock.patch.object(build, "MANIFEST", path), self.assertRaisesRegex(build.Refused, "package.cmake.layout: 'tree'"):
            build.manifest()
