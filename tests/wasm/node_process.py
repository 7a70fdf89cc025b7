"""Scripts in node processes that answer commands, a line of JSON each."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

ENDED = "ended"
"""The last line that a script writes."""
ASSETS = Path(__file__).resolve().parents[2] / "src" / "tfpy" / "assets"


class RuntimeFailed(Exception):
    """A script answered with an error: ``name: message``.

    Args:
        step: The step of a Program that has failed, if the error is about one.
    """

    def __init__(self, text: str, step: int | None = None) -> None:
        super().__init__(text)
        self.name, _, self.message = text.partition(": ")
        self.step = step


class NodeProcess:
    """Drives a script of this folder.

    Args:
        script: its name; it gets the folder of the assets and `arguments`.
        flags: for node.
        files: numbers of open ones that it shares.
    """

    def __init__(
        self, script: str, *arguments: str, flags: tuple[str, ...] = (), files: tuple[int, ...] = ()
    ) -> None:
        path = Path(__file__).with_name(script)
        self._process = subprocess.Popen(
            ["node", *flags, str(path), str(ASSETS), *arguments],
            pass_fds=files,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, command: str, **args: Any) -> Any:
        """Sends a command.

        Raises:
            RuntimeFailed: with the error's text.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"command": command, **args}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeFailed("the process has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeFailed(answer["error"], answer.get("step"))
        return answer["result"]

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """Waits until the process ends by itself.

        One that says that its script has come to its end may hang nevertheless
        (https://github.com/nodejs/node/issues/54918): it is ended then.

        Raises:
            subprocess.TimeoutExpired: when the script goes on.
        """
        try:
            self._process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            said, _ = self._process.communicate()
            if ENDED not in said.splitlines():
                raise
