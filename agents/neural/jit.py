"""The decorator of the kernels that choose actions by a policy."""

from canasta_env.engine.jit import package_cache

kernel = package_cache("neural", __file__)
