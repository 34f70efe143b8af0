try:
    from spack_repo.builtin.build_systems.meson import MesonPackage
except ImportError:  # before Spack 1.0
    pass
from spack.package import *


class Inih(MesonPackage):
    """Reader of INI files in C."""

    homepage = "https://github.com/benhoyt/inih"
    git = "https://github.com/benhoyt/inih.git"

    license("BSD-3-Clause")

    version("58", commit="5cc5e2c24642513aaa5b19126aad42d0e4e0923e")

    depends_on("c", type="build")

    def meson_args(self):
        return ["-Dwith_INIReader=false"]
