"""Event files: TFRecord files of events, with a queue of events that are not written yet."""

from __future__ import annotations

import itertools
import os
import platform
import threading
import time

from tfpy._src.formats.summary import event_messages as messages
from tfpy._src.library.io.gfile import translated
from tfpy._src.library.io.records import TFRecordWriter

_numbers = itertools.count()


class EventFile:
    """An event file that is being written.

    The file is created immediately. Events wait in a queue until it is flushed.

    Args:
        folder: Folder of the file, which is created.
        suffix: End of the file's name.
        max_queue: Number of events that may wait.
        flush_millis: Longest time between flushes in milliseconds. It is checked when an event is
            added.

    Raises:
        NotFoundError: If the folder cannot be created.
    """

    def __init__(self, folder: str, suffix: str, max_queue: int, flush_millis: int) -> None:
        self._max_queue, self._interval = max_queue, flush_millis / 1000
        self._queue: list[bytes] = []
        self._lock = threading.Lock()
        seconds = int(time.time())
        host = platform.node() or "localhost"
        number = f"{os.getpid()}.{next(_numbers)}"
        self.path = os.path.join(
            folder, f"events.out.tfevents.{seconds:010d}.{host}.{number}{suffix}"
        )
        with translated(folder):
            os.makedirs(folder, exist_ok=True)
        self._records: TFRecordWriter | None = TFRecordWriter(self.path)
        self._records.write(messages.first_event(seconds))
        self._records.flush()
        self._flushed = time.monotonic()

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return self._records is None

    def add(self, step: int, content: bytes, wall_time: float | None = None) -> None:
        """Add an event to the queue. The queue is flushed if it is too long or old.

        Args:
            step: Step of the program.
            content: The field of the event's content.
            wall_time: Time in seconds since 1970. Default: now.
        """
        with self._lock:
            seconds = time.time() if wall_time is None else wall_time
            self._queue.append(messages.event(seconds, step, content))
            late = time.monotonic() - self._flushed > self._interval
            is_due = late or len(self._queue) > self._max_queue
        if is_due:
            self.flush()

    def flush(self) -> None:
        """Write the events in the queue to the file. A closed file stays as it is."""
        with self._lock:
            if self._records is not None:
                queue, self._queue = self._queue, []
                for event in queue:
                    self._records.write(event)
                self._records.flush()
                self._flushed = time.monotonic()

    def close(self) -> None:
        """Write the events in the queue and close the file. Further calls have no effect."""
        self.flush()
        with self._lock:
            if self._records is not None:
                self._records.close()
                self._records = None
