"""favicon.ico has the image of icon.svg."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfpy
from buildsys import cache, icon

BLUE, WHITE = [36, 89, 168, 255], [255, 255, 255, 255]


def test_the_icon_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CACHE", tmp_path)
    ico = icon.ensure()["favicon.ico"].read_bytes()
    assert ico[:6] == bytes([0, 0, 1, 0, 1, 0])
    pixels = tfpy.io.decode_png(ico[22:]).numpy()
    assert pixels.shape == (32, 32, 4)
    assert pixels[0, 0, 3] == 0
    assert 0 < pixels[0, 4, 3] < 255
    assert (pixels[4:28, 1] == BLUE).all()
    assert (pixels[8:10, 8:24] == WHITE).all()
    assert (pixels[9:24, 15:17] == WHITE).all()
    assert (pixels[12:, 4:13] == BLUE)[:12].all()
