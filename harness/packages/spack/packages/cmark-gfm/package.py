try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0
    pass
from spack.package import *


class CmarkGfm(CMakePackage):
    """Markdown to HTML, with the extensions of GitHub."""

    homepage = "https://github.com/github/cmark-gfm"
    git = "https://github.com/github/cmark-gfm.git"

    license("BSD-2-Clause")

    version("0.29.0.gfm.13", tag="0.29.0.gfm.13")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
