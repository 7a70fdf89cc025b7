"""Scripts in node processes that answer commands, each in a line of JSON."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

ENDED = "ended"
"""Last line that a script writes."""
ASSETS = Path(__file__).resolve().parents[2] / "src" / "tfpy" / "assets"


class RuntimeFailed(Exception):
    """An error answer of a script: ``name: message``.

    Args:
        step: Step of a Program that failed, if the error concerns a step.
    """

    def __init__(self, text: str, step: int | None = None) -> None:
        super().__init__(text)
        self.name, _, self.message = text.partition(": ")
        self.step = step


class NodeProcess:
    """A process that runs a script of this folder.

    Args:
        script: Name of the script, which receives the folder of the assets and `arguments`.
        flags: Flags of node.
        files: Descriptors of open files that the process shares.
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
        """Send a command and return the answer.

        Raises:
            RuntimeFailed: If the answer is an error.
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
        """Kill the process."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """Wait until the process ends.

        A process may hang even after its script has ended
        (https://github.com/nodejs/node/issues/54918), and is killed then.

        Raises:
            subprocess.TimeoutExpired: If the script does not end.
        """
        try:
            self._process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            said, _ = self._process.communicate()
            if ENDED not in said.splitlines():
                raise
