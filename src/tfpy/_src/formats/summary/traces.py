"""`tf.summary.trace_on`, which collects the graphs of functions and profiles for TensorBoard."""

from __future__ import annotations

import os
import threading
import warnings
from dataclasses import dataclass, field

from tfpy._src.base import tracing
from tfpy._src.core.conversion import constant
from tfpy._src.core.typing import IntLike
from tfpy._src.formats.encodings.protobuf_writer import chunk
from tfpy._src.formats.summary.event_messages import plugin_metadata
from tfpy._src.formats.summary.graph_def import graph_def
from tfpy._src.formats.summary.state import checked_step, summary_scope
from tfpy._src.formats.summary.writing import write
from tfpy._src.functions.tf_function import traced as calls
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.library.profiler import experimental as profiles

_CONTENT = b"1"
"""The version of the data of the graph plugin."""


@dataclass
class _Recorded:
    """A trace in progress.

    Attributes:
        graph: True if graphs are collected.
        wants_profiler: True if the program has asked for a profile.
        is_profiled: True if a profile is recorded.
        functions: Functions that have been called, by the identity of their Graph.
    """

    graph: bool
    wants_profiler: bool
    is_profiled: bool
    functions: dict[int, Traced] = field(default_factory=dict)

    def note(self, function: Traced) -> None:
        """Record the call of a function, unless it is inlined in another function."""
        if tracing.executing_eagerly():
            self.functions.setdefault(id(function.graph), function)

    def run_metadata(self) -> bytes:
        """Return the collected graphs as a message RunMetadata."""
        graphs = (graph_def(one.graph, _names(one)) for one in list(self.functions.values()))
        return b"".join(chunk(4, chunk(2, graph)) for graph in graphs)


class _Current:
    """The trace in progress, of all threads."""

    lock = threading.Lock()
    recorded: _Recorded | None = None


def _names(function: Traced) -> dict[int, str]:
    """Return the names of a function's inputs, by the number of the value."""
    named = [str(getattr(argument, "name", "input")) for argument in function.arguments]
    named += ["captured" if e.variable is None else e.variable.name for e in function.extras]
    values = function.graph.inputs
    return {value: name.split(":")[0] for value, name in zip(values, named, strict=True)}


def trace_on(
    graph: bool = True,
    profiler: bool = False,
    profiler_outdir: str | os.PathLike[str] | None = None,
) -> None:
    """Start to collect the graphs of the functions that are called, and optionally a profile.

    `tf.summary.trace_export` writes them, and `tf.summary.trace_off` discards them.

    Args:
        graph: If True, collect the graph of each `tf.function` that is called.
        profiler: If True, also record a profile with `tf.profiler.experimental.start`.
        profiler_outdir: Folder of the profile. Without it, no profile is recorded.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def double(x):
        ...     return x * 2.0
        >>> tf.summary.trace_on()
        >>> y = double(tf.constant(1.0))
        >>> with tf.summary.create_file_writer("logs/trace").as_default():
        ...     tf.summary.trace_export("double", step=0)

    See also: `tf.summary.trace_export`, `tf.summary.graph`.
    """
    if _refused("Cannot enable trace inside a tf.function."):
        return
    with _Current.lock:
        if _Current.recorded is not None:
            _warn("Trace already enabled")
            return
        is_profiled = False
        if profiler and profiler_outdir is not None:
            is_profiled = True
            profiles.start(profiler_outdir)
        elif profiler:
            _warn("No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.")
        _Current.recorded = _Recorded(graph, profiler, is_profiled)
        if graph or profiler:
            calls.observers.append(_Current.recorded.note)


def trace_export(
    name: str, step: IntLike | None = None, profiler_outdir: str | os.PathLike[str] | None = None
) -> None:
    """Stop the trace, and write the collected graphs to the default writer.

    Args:
        name: Name of the summary.
        step: Step, a scalar int64 value. Default: the default step of the thread.
        profiler_outdir: Has no effect. Pass it to `tf.summary.trace_on`.

    Raises:
        ValueError: If no trace has been started, or if there is a default writer, but no step.

    Example:
        >>> import tfpy as tf
        >>> tf.summary.trace_on()
        >>> y = tf.function(tf.square)(tf.constant(3.0))
        >>> with tf.summary.create_file_writer("logs/export").as_default(step=0):
        ...     tf.summary.trace_export("square")

    See also: `tf.summary.trace_on`.
    """
    if step is not None:
        checked_step(step)
    if _refused("Cannot export trace inside a tf.function."):
        return
    recorded = _Current.recorded
    if recorded is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    kind = "graph_run_metadata"
    if recorded.graph and not recorded.wants_profiler:
        kind = "graph_run_metadata_graph"
    with summary_scope(name, f"{kind}_summary") as (tag, _):
        data = constant(recorded.run_metadata())
        write(tag, data, step, plugin_metadata(kind, None, _CONTENT))
    if recorded.is_profiled:
        if profiler_outdir:
            _warn(
                "Ignoring `profiler_outdir` passed to trace_export(). Please pass it to trace_on() "
                "instead."
            )
        recorded.is_profiled = False
        profiles.stop()
    trace_off()


def trace_off() -> None:
    """Stop the trace and discard the collected graphs and the profile.

    Without a trace, nothing happens.

    Example:
        >>> import tfpy as tf
        >>> tf.summary.trace_on()
        >>> tf.summary.trace_off()

    See also: `tf.summary.trace_on`.
    """
    with _Current.lock:
        recorded, _Current.recorded = _Current.recorded, None
    if recorded is None:
        return
    if recorded.note in calls.observers:
        calls.observers.remove(recorded.note)
    if recorded.is_profiled:
        profiles.stop(save=False)


def _refused(text: str) -> bool:
    """Warn and return True while a `tf.function` is traced."""
    if tracing.executing_eagerly():
        return False
    _warn(text)
    return True


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=3)
