"""The decorator of the trainer's own kernels."""

from canasta_env.engine.jit import package_cache

kernel = package_cache("learning", __file__)
