"""The recipe of the device library: `conan create . --no-remote`."""
from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Isopod(ConanFile):
    """A static library without requirements."""

    name = "@@name@@"
    version = "@@version@@"
    description = "@@summary@@"
    license = "@@licence@@"
    url = "@@url@@"
    author = "@@author@@"
    topics = ["@@keywords_list@@"]
    settings = "os", "arch", "compiler", "build_type"
    package_type = "static-library"
    exports_sources = "CMakeLists.txt", "isopod.pc.in", "include/*", "src/*", "LICENSE"

    def layout(self):
        cmake_layout(self)

    def configure(self):
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(variables={"BUILD_TESTING": "OFF"})
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["isopod"]
        self.cpp_info.set_property("cmake_target_name", "isopod::isopod")
