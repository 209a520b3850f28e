"""The only place that says how kernels are compiled and where the compiled code is kept."""

from __future__ import annotations

import hashlib
import itertools
import os
import platform
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numba
from llvmlite.binding import Linkage, create_pass_builder, create_pipeline_tuning_options, get_host_cpu_name
from numba.core import config as numba_config
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba_config  # its settings are made at run time, so no type checker knows them

ROOM = 64 << 20  # bytes that must be free where compiled code is kept; all kernels take a few MB
MARKER = "compiled"  # the ending of files in the cache folder that say which kernels have been compiled once


def _fingerprint() -> str:
    """Name everything that compiled code depends on; numba itself looks at one source file at a time."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + source.read_bytes())
    digest.update(f"{numba.__version__} {sys.version} {platform.machine()} {get_host_cpu_name()}".encode())
    digest.update(f"{config.BOUNDSCHECK} {Path(__file__).parent}".encode())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """Find a folder of this user's that can be written; None if there is none, and then every run compiles anew."""
    home = os.environ.get("KANON_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    roots = (
        [Path(home)]
        if home
        else [
            Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "kanon",
            Path(tempfile.gettempdir()) / f"kanon-cache-{os.getuid()}",
        ]
    )
    for root in roots:
        folder = root / f"kernels-{_fingerprint()}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            owner = root.stat().st_uid
            free = shutil.disk_usage(folder).free
        except (OSError, RuntimeError):  # no home, a read-only one, or a full disk: try the next place
            continue
        if free < ROOM:  # numba would fail in the middle of its work
            continue
        if owner in (os.getuid(), 0) and os.access(folder, os.W_OK):  # never load code that someone else put there
            return folder
    return None


CACHE_FOLDER = None if config.DISABLE_JIT else _cache_folder()
if CACHE_FOLDER is not None:
    config.CACHE_DIR = str(CACHE_FOLDER)


# Functions that numba makes anew for each use, such as those that sort, differ in their names by a number alone, which
# each process counts from 1. So code kept by two processes may have one name for two functions, and a third process
# that loads both calls one of them for both: it sorted wrongly. Hence each process counts from somewhere else.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))

OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}


class _Part(JITCodeLibrary):
    """Code that goes into the code of kernels, where it is optimized: by itself it is never run."""

    def _optimize_final_module(self) -> None:
        """Leave it as it is."""

    def _finalize_final_module(self) -> None:
        """Make no machine code of it."""
        self._finalized = True

    @property
    def codegen(self) -> _Part:
        """Who is told where its environment is."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Forget it: what never runs needs none."""


class _Whole(JITCodeLibrary):
    """Code of a kernel with all its parts, which are its own: nobody else can call them.

    numba leaves it open whether someone does. Then a part has to take all that any caller might hand over, seven
    numbers for each array, and what is inlined stays in the code as well. `lns` took a seventh longer.
    """

    def _optimize_final_module(self) -> None:
        """Say so before it is optimized."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = "internal"
        self._optimize()

    def _optimize(self) -> None:
        """Optimize it as numba does."""
        usual: Any = super()  # which has no types
        usual._optimize_final_module()


class _Bare(_Whole):
    """Code of a kernel that counts no arrays, and whose loops are short."""

    def _optimize(self) -> None:
        """Optimize it once, since there are no counts to take out in between.

        What a loop does is not done for several registers at a time: the rest, which is done one by one, would be
        longer. `lns` is a tenth faster, with less to pad and less to compile.
        """
        tuning = create_pipeline_tuning_options()
        tuning.speed_level = 3
        tuning.loop_vectorization, tuning.loop_interleaving, tuning.loop_unrolling = True, False, False
        builder = create_pass_builder(self._codegen._tm, tuning)
        builder.getModulePassManager().run(self._final_module, builder)


class _Known(Flags):
    """What numba has been told of how to compile, compared by name and not by value."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class _Flags(Flags):
    """What numba is told of how to compile.

    numba keeps what it knows of operators by a copy of that, and asks for it ten times an operator. To compare all
    values each time took a tenth of the time, so there is one copy for equal flags.
    """

    __slots__ = ()
    copies: ClassVar[dict[Flags, _Known]] = {}

    def copy(self) -> _Known:
        """The copy, which nobody changes."""
        as_now: Any = Flags  # which has no types
        return self.copies.setdefault(as_now(self), _Known(self))


class _LibraryCompiler(Compiler):
    """Compiles into a library of a class of ours."""

    library: type[JITCodeLibrary]

    def __init__(self, *all_that_numba_says: Any) -> None:
        usual: Any = super()  # which has no types
        usual.__init__(*all_that_numba_says)
        self.state.flags = _Flags(self.state.flags)

    def define_pipelines(self) -> Any:
        """Take the usual steps, which fill a library if there is one."""
        self.state.library = self.library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()  # as numba does for its own, so that what is compiled can be kept
        usual: Any = super()  # which has no types
        return usual.define_pipelines()


class _PartCompiler(_LibraryCompiler):
    """Compiles parts."""

    library = _Part


class _WholeCompiler(_LibraryCompiler):
    """Compiles kernels."""

    library = _Whole


class _BareCompiler(_LibraryCompiler):
    """Compiles bare kernels."""

    library = _Bare


KEPT = {**OPTIONS, "cache": CACHE_FOLDER is not None, "pipeline_class": _WholeCompiler}
BARE = {**KEPT, "_nrt": False, "pipeline_class": _BareCompiler}
PART = {**OPTIONS, "pipeline_class": _PartCompiler, "no_cpython_wrapper": True}
INNER = {**PART, "_nrt": False}
INLINED = {**OPTIONS, "inline": "always"}


def kernel(function: F) -> F:
    """Compile a function to machine code on its first call, keep the code, and free other threads while it runs."""
    compiled: Any = numba.njit(**KEPT)(function)
    return cast(F, compiled)


def bare_kernel(function: F) -> F:
    """Compile a kernel that makes no arrays, and whose loops are short.

    No arrays are counted in and out: threads wait for each other when they change the same counts.
    """
    compiled: Any = numba.njit(**BARE)(function)
    return cast(F, compiled)


def part_kernel(function: F) -> F:
    """Compile a function that only other kernels call, as a part of them.

    numba would optimize it by itself, make machine code of it, and do both again in every kernel that calls it: a first
    run took a third longer.
    """
    compiled: Any = numba.njit(**PART)(function)
    return cast(F, compiled)


def inner_kernel(function: F) -> F:
    """Compile a part that makes no arrays, for the inside of a kernel: arrays are not counted in and out.

    Without this, each array of each tuple that is handed over costs two atomic operations, and each call copies them
    all: `lns` took seven times as long. Whether it is inlined is up to LLVM: always, it took a third longer to compile,
    for code that was no faster.
    """
    compiled: Any = numba.njit(**INNER)(function)
    return cast(F, compiled)


def inlined_kernel(function: F) -> F:
    """Put the text of a function where another kernel calls it: to compile it by itself as well takes twice as long."""
    compiled: Any = numba.njit(**INLINED)(function)
    return cast(F, compiled)


def is_warm(name: str) -> bool:
    """Whether the kernels that go by this name have been compiled before, so that a run need not wait for them."""
    return bool(config.DISABLE_JIT) or (CACHE_FOLDER is not None and (CACHE_FOLDER / f"{name}.{MARKER}").exists())


def mark_warm(name: str) -> None:
    """Remember that the kernels that go by this name have been compiled."""
    if CACHE_FOLDER is not None:
        (CACHE_FOLDER / f"{name}.{MARKER}").touch()
