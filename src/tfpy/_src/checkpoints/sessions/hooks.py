"""`tf.compat.v1.train.SessionRunHook`: code that runs before and after each run of a session."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.compat.graphs.training import get_global_step

LOGGER = logging.getLogger("tensorflow")


class SessionRunArgs(NamedTuple):
    """The arguments that a hook adds to a run of a session.

    Args:
        fetches: Additional fetches, as for `Session.run`. The hook receives their values.
        feed_dict: Additional values of placeholders.
        options: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.train.SessionRunArgs("loss:0").fetches
        'loss:0'

    See also: `tf.compat.v1.train.SessionRunHook`.
    """

    fetches: Any
    feed_dict: Mapping[Any, Any] | None = None
    options: object = None


class SessionRunValues(NamedTuple):
    """The results of a run that a hook receives.

    Args:
        results: Values of the fetches of the hook.
        options, run_metadata: Options and metadata of the run.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.train.SessionRunValues(0.5, None, None).results
        0.5

    See also: `tf.compat.v1.train.SessionRunHook`.
    """

    results: Any
    options: object
    run_metadata: object


class SessionRunContext:
    """The run of a session that a hook observes.

    Args:
        original_args: `SessionRunArgs` of the call.
        session: The session, without hooks.

    Example:
        >>> import tfpy as tf
        >>> context = tf.compat.v1.train.SessionRunContext(None, None)
        >>> context.request_stop()
        >>> context.stop_requested
        True

    See also: `tf.compat.v1.train.SessionRunHook`.
    """

    def __init__(self, original_args: SessionRunArgs | None, session: Any) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> Any:
        """`SessionRunArgs` of the call."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, without hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """True after `request_stop`."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Make the method `should_stop` of the monitored session return True."""
        self._stop_requested = True


class SessionRunHook:
    """A base of hooks, which a monitored session calls.

    A subclass overrides some of the methods, which do nothing here.

    Example:
        >>> import tfpy as tf
        >>> class Counter(tf.compat.v1.train.SessionRunHook):
        ...     runs = 0
        ...     def after_run(self, run_context, run_values):
        ...         self.runs += 1
        >>> counter = Counter()
        >>> with tf.Graph().as_default():
        ...     x = tf.constant(1.0)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[counter]) as sess:
        ...         _ = sess.run(x), sess.run(x)
        >>> counter.runs
        2

    See also: `tf.compat.v1.train.MonitoredSession`.
    """

    def begin(self) -> None:
        """Prepare the hook before the session is created. The graph can still be changed."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Handle the creation of the session.

        Args:
            session: The session.
            coord: A `tf.train.Coordinator`.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Return additional arguments of a run.

        Args:
            run_context: The run.

        Returns:
            A `SessionRunArgs` or None.
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Handle the results of a run.

        Args:
            run_context: The run.
            run_values: Results of the fetches of `before_run`.
        """

    def end(self, session: Any) -> None:
        """Handle the end of the session.

        Args:
            session: The session, which can still run.
        """


class SecondOrStepTimer:
    """A timer that triggers after a number of seconds or of steps.

    Args:
        every_secs: Number of seconds.
        every_steps: Number of steps.

    Raises:
        ValueError: If neither or both numbers are specified.

    Example:
        >>> import tfpy as tf
        >>> timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=10)
        >>> _ = timer.update_last_triggered_step(0)
        >>> timer.should_trigger_for_step(9), timer.should_trigger_for_step(10)
        (False, True)

    See also: `tf.compat.v1.train.LoggingTensorHook`.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Trigger at the next step."""
        self._step: int | None = None
        self._time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Return True if the timer triggers at a step.

        Args:
            step: Number of the step.

        Returns:
            A bool.
        """
        if self._step is None:
            return True
        if self._step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= (self._time or 0.0) + self._every_secs
        return bool(step >= self._step + (self._every_steps or 0))

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Store the step at which the timer has triggered.

        Args:
            step: Number of the step.

        Returns:
            Seconds and steps since the previous one, or None and None.
        """
        now = time.time()
        if self._step is None or self._time is None:
            passed: tuple[float | None, int | None] = None, None
        else:
            passed = now - self._time, step - self._step
        self._step, self._time = step, now
        return passed

    def last_triggered_step(self) -> int | None:
        """Return the step at which the timer has triggered.

        Returns:
            Number of the step, or None.
        """
        return self._step


def required_step(hook: Any) -> Any:
    """Return the Variable of the global step.

    Raises:
        RuntimeError: If the graph has none.
    """
    found = get_global_step()
    if found is None:
        name = type(hook).__name__
        raise RuntimeError(f"Global step should be created to use {name}.")
    return found


class StopAtStepHook(SessionRunHook):
    """A hook that stops training at a step.

    Args:
        num_steps: Number of steps to run.
        last_step: Number of the last step.

    Raises:
        ValueError: If neither or both numbers are specified.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     step = tf.compat.v1.train.get_or_create_global_step()
        ...     train = step.assign_add(1)
        ...     hooks = [tf.compat.v1.train.StopAtStepHook(last_step=3)]
        ...     with tf.compat.v1.train.MonitoredSession(hooks=hooks) as sess:
        ...         while not sess.should_stop():
        ...             print(sess.run(train))
        1
        2
        3

    See also: `tf.compat.v1.train.MonitoredTrainingSession`.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._global_step_tensor = required_step(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = run_context.session.run(self._global_step_tensor)
        if step >= self._last_step:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """A hook that logs tensors.

    Args:
        tensors: Tensors or their names: a list, or a dict whose keys are logged.
        every_n_iter: Number of runs between messages.
        every_n_secs: Number of seconds between messages.
        at_end: If True, also log at the end.
        formatter: Function of the dict of values that returns the message.

    Raises:
        ValueError: If both intervals are specified, or neither of them and not `at_end`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     loss = tf.constant(0.5, name="loss")
        ...     hook = tf.compat.v1.train.LoggingTensorHook(["loss:0"], every_n_iter=10)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         print(sess.run(loss))
        0.5

    See also: `tf.compat.v1.logging.set_verbosity`.
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[Mapping[str, Any]], str] | None = None,
    ) -> None:
        if (every_n_iter is not None) + (every_n_secs is not None) != (0 if at_end else 1) and (
            not at_end or (every_n_iter is not None and every_n_secs is not None)
        ):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tensors = dict(tensors) if isinstance(tensors, Mapping) else {t: t for t in tensors}
        self._timer = None
        if every_n_iter is not None or every_n_secs is not None:
            self._timer = SecondOrStepTimer(every_n_secs, every_n_iter)
        self._log_at_end, self._formatter = at_end, formatter

    def begin(self) -> None:
        graph = get_default_graph()
        self._current = {str(k): graph.as_graph_element(t) for k, t in self._tensors.items()}
        self._keys = [*self._tensors]
        self._count = 0
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._triggers = self._timer is not None and self._timer.should_trigger_for_step(
            self._count
        )
        return SessionRunArgs(self._current) if self._triggers else None

    def _log(self, values: Mapping[str, Any]) -> None:
        passed = None
        if self._timer is not None:
            passed, _ = self._timer.update_last_triggered_step(self._count)
        named = {key: values[str(key)] for key in self._keys}
        if self._formatter is not None:
            LOGGER.info(self._formatter(named))
            return
        text = ", ".join(f"{getattr(key, 'name', key)} = {value}" for key, value in named.items())
        LOGGER.info(text if passed is None else f"{text} ({passed:.3f} sec)")

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._triggers:
            self._log(run_values.results)
        self._count += 1

    def end(self, session: Any) -> None:
        if self._log_at_end:
            self._log(session.run(self._current))
