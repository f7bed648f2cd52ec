"""Plain CMake gives nearly the best build: what makes the library fast is written in its sources."""
import shutil
import unittest

from bench.device import measure, plain_cmake

MOST = 1.10


class PlainCmakeTest(unittest.TestCase):
    """One encryption per machine."""

    def test_plain_cmake_is_within_a_tenth_of_the_best_build(self):
        """Machines that are chosen; those without a compiler here, and all without CMake, are skipped."""
        measure.prepare()
        for target in plain_cmake.CHOSEN:
            with self.subTest(target):
                if not all(map(shutil.which, ("cmake", measure.COMPILERS[target]))):
                    self.skipTest(f"cmake or {measure.COMPILERS[target]} is not installed")
                self.assertLess(plain_cmake.ratio(target), MOST)

    def test_debug_builds_of_a_project_do_not_slow_the_library(self):
        """The first of the chosen machines."""
        target = plain_cmake.CHOSEN[0]
        if not all(map(shutil.which, ("cmake", measure.COMPILERS[target]))):
            self.skipTest(f"cmake or {measure.COMPILERS[target]} is not installed")
        measure.prepare()
        self.assertLess(plain_cmake.ratio(target, "Debug"), MOST)
