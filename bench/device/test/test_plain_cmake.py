"""Plain CMake builds a library that is nearly as fast as the best one, because its sources say how to compile them."""
import shutil
import unittest

from bench.device import measure, plain_cmake

MOST = 1.10


class PlainCmakeTest(unittest.TestCase):
    """Counts one encryption per machine."""

    def test_plain_cmake_is_within_a_tenth_of_the_best_build(self):
        """Skipped for a machine without a compiler here, and for all of them without CMake."""
        measure.prepare()
        for target in plain_cmake.CHOSEN:
            with self.subTest(target):
                if not all(map(shutil.which, ("cmake", measure.COMPILERS[target]))):
                    self.skipTest(f"cmake or {measure.COMPILERS[target]} is not installed")
                self.assertLess(plain_cmake.ratio(target), MOST)

    def test_debug_builds_of_a_project_do_not_slow_the_library(self):
        """On the first of the chosen machines."""
        target = plain_cmake.CHOSEN[0]
        if not all(map(shutil.which, ("cmake", measure.COMPILERS[target]))):
            self.skipTest(f"cmake or {measure.COMPILERS[target]} is not installed")
        measure.prepare()
        self.assertLess(plain_cmake.ratio(target, "Debug"), MOST)
