"""How a kernel is compiled for other kernels to call: as code to inline, without machine code of its own.

Numba by itself optimises a kernel and makes machine code of it, with two wrappers for calls from outside, and
does all of that again for the copy in every kernel that calls it, at every level. Here only the kernel that
Python calls is optimised, once, together with all that it calls: the cold compilation takes less than half
the time, and the engine is a little faster, since what nobody else calls is inlined more freely.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result

# Options of a kernel that is only ever called by kernels.
INLINED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class InlinedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel and of those it calls, to be linked into a caller; it cannot be run."""

    @classmethod
    def of_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> InlinedLibrary:
        """A library as `bitcode` gave it."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library

    def bitcode(self) -> bytes:
        """What `of_bitcode` makes a library of."""
        module: Any = self._get_module_for_linking()
        return bytes(module.as_bitcode())

    @property
    def codegen(self) -> Any:
        """Whom Numba tells to `set_env`."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing to set: kernels use no Python objects, and this code is at no address."""

    def get_pointer_to_function(self, name: str) -> int:
        """0, which Numba takes for a function that is not there."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Left to the kernel that this one is inlined into."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class InliningCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, with an `InlinedLibrary` for its result."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = InlinedLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


def reduce(result: Any) -> tuple[Any, ...]:
    """The parts of a `CompileResult` by the `InliningCompiler` that are kept in a file."""
    result.fndesc.typemap = result.fndesc.calltypes = None  # large, and of no more use
    return result.library.bitcode(), result.fndesc, result.environment, result.signature


def rebuild(target_context: Any, parts: tuple[Any, ...]) -> CompileResult:
    """The `CompileResult` that `reduce` took apart."""
    bitcode, descriptor, environment, signature = parts
    library = InlinedLibrary.of_bitcode(target_context.codegen(), descriptor.qualname, bitcode)
    return compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=target_context.get_executable(library, descriptor, environment),
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=descriptor,
        library=library,
        environment=environment,
        reload_init=[],
    )
