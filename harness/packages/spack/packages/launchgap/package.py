import pathlib

try:
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:  # before Spack 1.0
    pass
from spack.package import *


class Launchgap(MakefilePackage, CudaPackage):
    """Measures what it costs to drive NCCL with one thread for all GPUs, with one thread per GPU, or with one
    process per GPU: which is faster, by how much, and why."""

    # The checkout that this file is in.
    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Backend mpi, launcher mpirun")
    variant("gloo", default=False, description="Backend gloo")
    variant("gnuplot", default=True, description="Pictures")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+gloo")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("gmake@4.3:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc")
    depends_on("jansson")
    depends_on("libsodium")
    depends_on("sqlite")
    depends_on("xxhash", type="build")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("nccl", when="+cuda")
    depends_on("mpi", when="+mpi")
    depends_on("gloo", when="+gloo")
    depends_on("gnuplot", type="run", when="+gnuplot")

    @property
    def build_targets(self):
        spec = self.spec
        given = ["DEPS=manual", f"CC={spack_cc}", f"CXX={spack_cxx}" if "+gloo" in spec or "+cuda" in spec else "CXX=false"]
        given += [f"MPICC={spec['mpi'].mpicc}" if "+mpi" in spec else "MPICC="]
        if "+cuda" not in spec:
            return given + ["NVCC=", "NCCL_H="]
        given += [f"CUDA={spec['cuda'].prefix}", f"NCCL_HOME={spec['nccl'].prefix}"]
        archs = [f"sm_{a}" for a in spec.variants["cuda_arch"].value if a != "none"]
        return given + ([f"ARCHS={' '.join(archs)}"] if archs else [])

    @property
    def install_targets(self):
        return self.build_targets + [f"PREFIX={self.prefix}", "install"]

    def check(self):
        pass  # `make test` takes half an hour

    def test_smoke(self):
        """every mode runs, and its data is right"""
        which(self.prefix.bin.launchgap)("run", "smoke", "backend=null", "--no-report")
