"""The compiled module in process: a sandbox without clock, files, network or environment, its fuel and memory bounded.

Speaks OPA's WebAssembly ABI (openpolicyagent.org, docs/wasm): the host gives memory and the few built-ins that the module
leaves to it, data is parsed once into the module's heap, each decision starts from the heap as it was then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import wasmtime

from reconciler.errors import Terminal
from reconciler.gate.engine import document
from reconciler.gate.policy import Policy
from reconciler.gate.sprintf import sprintf
from reconciler.gate.verdict import Verdict, denied

_PAGE = 65536
_PIECE = 4096
_MEMORY = 1 << 30
_FUEL = 100_000_000_000
"""Eight times what the built-in rules need for 1,000 tenants of 8 programmes; some 20 s of one core."""
_CALL_FUEL, _LETTER_FUEL = 1_000_000, 1_000
"""What a call out of the sandbox costs, in the time of that many instructions."""
_FAILURES = (
    wasmtime.WasmtimeError, wasmtime.Trap, KeyError, IndexError, TypeError, ValueError, RecursionError,
)  # fmt: skip
_HOST: Mapping[str, Callable[..., Any]] = {"sprintf": sprintf}


class CompiledEngine:
    """One policy and its data in one instance; not for several threads at once. `fuel` and `memory` (bytes) bound a decision."""

    def __init__(self, fuel: int = _FUEL, memory: int = _MEMORY) -> None:
        self._fuel, self._limit = fuel, memory
        self._revision = ""
        self._loaded: tuple[bytes, Mapping[str, Any]] | None = None
        self._sandbox: _Sandbox | None = None

    def load(self, policy: Policy, data: Mapping[str, Any], revision: str) -> None:
        """Instantiate the module and put the data into its heap. Raises Terminal for a module that can't be run here."""
        self._revision, self._sandbox, self._loaded = revision, None, None
        loaded = (policy.module, document(data, revision))
        try:
            self._sandbox = _Sandbox(*loaded, self._fuel, self._limit)
        except _FAILURES as error:
            raise Terminal(
                f"the policy's module can't be run ({_first(error)}); build it with the pinned OPA"
            ) from None
        self._loaded = loaded

    def decide(self, entry: str, asked: Mapping[str, Any]) -> Verdict:
        """Judge an input; every failure is a denial."""
        if self._loaded is None:
            return denied("no policy is loaded", "load one first", self._revision)
        try:
            sandbox = self._sandbox or _Sandbox(*self._loaded, self._fuel, self._limit)
            self._sandbox = None
            answer = sandbox.evaluate(entry.replace(".", "/"), asked)
        except _FAILURES as error:
            what = f"the engine stopped: {_first(error)}"
            return denied(what, "simplify the rule, or see why it doesn't end", self._revision)
        self._sandbox = sandbox
        return self._believed(answer)

    def _believed(self, answer: Any) -> Verdict:
        try:
            verdict = Verdict.from_json(answer[0]["result"])
        except (ValueError, KeyError, IndexError, TypeError) as error:
            what = f"no verdict came back ({error})"
            return denied(what, "a rule of the policy is undefined as a whole", self._revision)
        if verdict.revision != self._revision:
            return denied("the verdict is of another revision", "load the policy again", self._revision)
        return verdict


class _Sandbox:
    def __init__(self, module: bytes, data: Mapping[str, Any], fuel: int, limit: int) -> None:
        engine, program = _compiled(module)
        self._store = wasmtime.Store(engine)
        self._store.set_limits(memory_size=limit)
        self._fuel = fuel
        self._store.set_fuel(fuel)
        self._memory = wasmtime.Memory(self._store, wasmtime.MemoryType(wasmtime.Limits(64, None)))
        self._names: dict[int, str] = {}
        self._exports = self._link(engine, program).exports(self._store)
        self._names = {number: name for name, number in self._json(self._call("builtins")).items()}
        for name in self._names.values():
            if name not in _HOST:
                raise ValueError(f"it needs the built-in {name}, which is not offered")
        self._entries: dict[str, int] = self._json(self._call("entrypoints"))
        self._data = self._value(data)
        self._heap = self._call("opa_heap_ptr_get")

    def _link(self, engine: wasmtime.Engine, program: wasmtime.Module) -> wasmtime.Instance:
        linker = wasmtime.Linker(engine)
        linker.define(self._store, "env", "memory", self._memory)
        number = wasmtime.ValType.i32()
        for name, count in (("opa_abort", 1), ("opa_println", 1)):
            linker.define_func("env", name, wasmtime.FuncType([number] * count, []), self._abort)
        for arguments in range(5):
            kind = wasmtime.FuncType([number] * (arguments + 2), [number])
            linker.define_func("env", f"opa_builtin{arguments}", kind, self._builtin)
        return linker.instantiate(self._store, program)

    def evaluate(self, entry: str, asked: Mapping[str, Any]) -> Any:
        """The result set of an entry point for an input."""
        self._store.set_fuel(self._fuel)
        start = self._heap
        content = json.dumps(asked, ensure_ascii=False).encode()
        self._grow(start + len(content) + 1)
        self._memory.write(self._store, content, start)
        after = (start + len(content) + 7) // 8 * 8
        address = self._call("opa_eval", 0, self._entries[entry], self._data, start, len(content), after, 0)
        return json.loads(self._text(address))

    def _call(self, name: str, *arguments: int) -> int:
        function = self._exports[name]
        if not isinstance(function, wasmtime.Func):
            raise ValueError(f"it exports no function {name}")
        return int(function(self._store, *arguments))

    def _value(self, value: object) -> int:
        content = json.dumps(value, ensure_ascii=False).encode()
        address = self._call("opa_malloc", len(content) + 1)
        self._memory.write(self._store, content, address)
        parsed = self._call("opa_json_parse", address, len(content))
        if parsed == 0:
            raise ValueError("it can't parse its data")
        self._call_void("opa_free", address)
        return parsed

    def _call_void(self, name: str, *arguments: int) -> None:
        function = self._exports[name]
        if isinstance(function, wasmtime.Func):
            function(self._store, *arguments)

    def _json(self, address: int) -> Any:
        return json.loads(self._text(self._call("opa_json_dump", address)))

    def _text(self, address: int) -> str:
        """A NUL-terminated string, read in pieces: the memory behind it may be large."""
        found = b""
        while (end := found.find(0)) < 0:
            piece = self._memory.read(self._store, address + len(found), address + len(found) + _PIECE)
            if not piece:
                raise ValueError("a text runs out of the memory")
            found += bytes(piece)
        return found[:end].decode()

    def _grow(self, needed: int) -> None:
        lacking = needed - self._memory.data_len(self._store)
        if lacking > 0:
            self._memory.grow(self._store, -(-lacking // _PAGE))

    def _abort(self, address: int) -> None:
        raise ValueError(f"it aborted: {self._text(address)[:200]}")

    def _builtin(self, number: int, _context: int, *addresses: int) -> int:
        texts = [self._text(self._call("opa_json_dump", address)) for address in addresses]
        cost = _CALL_FUEL + _LETTER_FUEL * sum(map(len, texts))
        self._store.set_fuel(max(self._store.get_fuel() - cost, 0))
        result = _HOST[self._names[number]](*map(json.loads, texts))
        return 0 if result is None else self._value(result)


@lru_cache(maxsize=4)
def _compiled(module: bytes) -> tuple[wasmtime.Engine, wasmtime.Module]:
    """Machine code costs a tenth of a second or more; policies change seldom."""
    configuration = wasmtime.Config()
    configuration.consume_fuel = True
    # A pool of compiling threads is lost in a forked process, which then waits for it for ever.
    configuration.parallel_compilation = False
    engine = wasmtime.Engine(configuration)
    return engine, wasmtime.Module(engine, module)


def _first(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[-1] if lines else type(error).__name__).strip()[:200]
