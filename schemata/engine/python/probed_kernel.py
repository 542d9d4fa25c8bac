"""Compiles a schema's Python kernel with a probe in it, for profiles; a plain run does without."""

from __future__ import annotations

from schemata.engine.python.emit import emit_kernel
from schemata.engine.python.probe import Measure, Probe
from schemata.engine.python.runner import Kernel
from schemata.language import model as m

__all__ = ["compile_probed"]


def compile_probed(schema: m.Schema, measure: Measure) -> tuple[Kernel, Probe]:
    """Generate and compile the Python kernel of a schema with a probe in it."""
    probe = Probe(schema, measure)
    source = emit_kernel(schema, probe)
    namespace = probe.names()
    exec(compile(source.text, f"<probed kernel of {schema.name}>", "exec"), namespace)
    return Kernel(schema, source, namespace["kernel"], namespace["final_items"]), probe
