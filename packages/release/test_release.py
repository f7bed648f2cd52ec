"""Checks that the version is written everywhere, and that archives depend on names and contents alone."""
import json
import os
import shutil
import tempfile
import tomllib
import unittest
from pathlib import Path
from unittest import mock

from packages.release import archives, version


def locked(tree: Path) -> set[str]:
    """The versions of this project's crates in all lock files."""
    packages = [one for lock in version.LOCKS for one in tomllib.loads((tree / lock).read_text())["package"]]
    return {one["version"] for one in packages if "source" not in one and one["name"].startswith("isopod-")}


class Release(unittest.TestCase):
    """Tests the parts of a release that need no build."""

    def test_a_version_has_one_heading(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(version, "LOCKS", ()), \
                mock.patch.object(version, "GUIDES", ()):
            tree = Path(folder)
            for name in ("Cargo.toml", "CHANGELOG.md", "packages/manifest.toml", "web/package/package.json",
                         "device/CMakeLists.txt"):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(version.ROOT / name, tree / name)
            version.write(tree, version.present(), "97.98.99", "2031-02-03")
            before = (tree / "CHANGELOG.md").read_text()
            version.write(tree, "97.98.99", "97.98.99", "2031-02-04")
            self.assertEqual((tree / "CHANGELOG.md").read_text(), before)

    def test_a_version_stands_everywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            tree, old = Path(folder), version.present()
            names = ("Cargo.toml", *version.LOCKS, "CHANGELOG.md", "packages/manifest.toml", "web/package/package.json",
                     "device/CMakeLists.txt", *version.GUIDES)
            for path in [*(version.ROOT / name for name in names), *version.ROOT.glob("crates/*/Cargo.toml")]:
                place = tree / path.relative_to(version.ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, place)
            version.write(tree, old, "97.98.99", "2031-02-03")
            self.assertEqual(locked(tree) - {"0.0.0"}, {"97.98.99"})
            self.assertEqual(tomllib.loads((tree / "Cargo.toml").read_text())["workspace"]["package"]["version"], "97.98.99")
            library = tomllib.loads((tree / "packages/manifest.toml").read_text())["library"]
            self.assertEqual((library["version"], library["date"]), ("97.98.99", "2031-02-03"))
            self.assertEqual(json.loads((tree / "web/package/package.json").read_text())["version"], "97.98.99")
            self.assertIn("## Unreleased\n\n## 97.98.99 - 2031-02-03\n", (tree / "CHANGELOG.md").read_text())
            self.assertIn("project(isopod VERSION 97.98.99 ", (tree / "device/CMakeLists.txt").read_text())
            for guide in version.GUIDES:
                self.assertIn("isopod-97.98.99-cmake", (tree / guide).read_text())
                self.assertNotIn(f"isopod-{old}-", (tree / guide).read_text())
            for path in tree.glob("crates/*/Cargo.toml"):
                for name, needed in tomllib.loads(path.read_text()).get("dependencies", {}).items():
                    if name.startswith("isopod-") and "version" in needed:
                        self.assertEqual(needed["version"], "97.98.99", path)

    def test_versions_are_three_numbers(self):
        for other in ("1.2", "v1.2.3", "1.2.3-rc", "01.2.3", ""):
            with self.assertRaises(SystemExit):
                version.numbers(other)
        self.assertLess(version.numbers("0.9.10"), version.numbers("0.10.0"))

    def test_an_archive_forgets_when_and_by_whom(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("b/two", "one"):
                (Path(folder) / name).parent.mkdir(exist_ok=True)
                (Path(folder) / name).write_text(name)
            first = archives.archive(Path(folder), "top", 1_000_000_000)
            os.utime(Path(folder) / "one", (5, 5))
            self.assertEqual(archives.archive(Path(folder), "top", 1_000_000_000), first)
            (Path(folder) / "one").write_text("other")
            self.assertNotEqual(archives.archive(Path(folder), "top", 1_000_000_000), first)

    def test_the_bill_names_what_is_pinned(self):
        names = {one["purl"].partition("@")[0] for one in archives.components()}
        self.assertLessEqual({"pkg:cargo/serde", "pkg:npm/age-encryption", "pkg:pypi/furo"}, names)
