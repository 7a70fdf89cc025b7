"""Folders, hubs, wrong arguments, and the space of the store of `tf.hub`."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hub.stores import DATA, SIZE, fetch, files, restart, tf_hub
from hub_server import HubServer, digest

import tfpy as tf


def test_folder_of_a_server(server: HubServer) -> None:
    server.files["/a/b/c.json"] = b"{}"
    folder = asyncio.run(tf.hub.fetch(f"{server.url}a/", files=["model.bin", "b/c.json"]))
    assert Path(folder, "model.bin").read_bytes() == DATA
    assert Path(folder, "b", "c.json").read_bytes() == b"{}"
    with pytest.raises(ValueError, match="needs a list of its files"):
        fetch(f"{server.url}a/")
    with pytest.raises(ValueError, match="is not allowed"):
        fetch(f"{server.url}a/", files=["../x"])
    with pytest.raises(ValueError, match="a digest belongs to one file"):
        fetch(f"{server.url}a/", "0" * 64, files=["model.bin"])


MODEL = {"config.json": b"{}", "weights.safetensors": DATA, "onnx/model.onnx": b"onnx"}


def test_hugging_face(server: HubServer) -> None:
    tf_hub(server)
    server.models["owner/model"] = dict(MODEL)
    assert fetch("hf://owner/model/weights.safetensors") == DATA
    page = "https://huggingface.co/owner/model/blob/main/onnx/model.onnx?download=true"
    assert fetch(page) == b"onnx"
    folder = Path(asyncio.run(tf.hub.fetch("hf://owner/model")))
    assert {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} == {*MODEL}
    assert files()[0].address == "hf://owner/model/config.json"
    assert len([file for file in files() if "@" not in file.address]) == 3
    onnx = asyncio.run(tf.hub.fetch("hf://owner/model/onnx"))
    assert [p.name for p in Path(onnx).iterdir()] == ["model.onnx"]


def test_hugging_face_is_offline(server: HubServer) -> None:
    tf_hub(server)
    server.models["owner/model"] = dict(MODEL)
    asyncio.run(tf.hub.fetch("hf://owner/model", files=["*.json"]))
    tf_hub(server)
    server.asked.clear()
    folder = asyncio.run(tf.hub.fetch("hf://owner/model", files=["*.json"]))
    assert [p.name for p in Path(folder).iterdir()] == ["config.json"]
    assert server.asked == []
    asyncio.run(tf.hub.remove("hf://owner/model"))
    assert files() == []
    assert os.listdir(folder) == []
    asyncio.run(tf.hub.fetch("hf://owner/model/config.json"))
    assert len(server.asked) == 2


def test_kaggle(server: HubServer) -> None:
    tf_hub(server)
    server.models["keras/bert/keras/small"] = {**MODEL, "d.json": b"[]", "e.json": b"[1]"}
    folder = asyncio.run(tf.hub.fetch("kaggle://keras/bert/keras/small/3"))
    assert Path(folder, "weights.safetensors").read_bytes() == DATA
    assert Path(folder, "e.json").read_bytes() == b"[1]"
    assert server.requests("/api/v1/models/keras/bert/keras/small/get") == []
    assert fetch("kaggle://keras/bert/keras/small/d.json") == b"[]"
    assert len(server.requests("/api/v1/models/keras/bert/keras/small/get")) == 1


def test_hub_errors(server: HubServer) -> None:
    tf_hub(server)
    server.models["owner/model"] = dict(MODEL)
    with pytest.raises(tf.errors.NotFoundError, match=r"Did you mean 'config.json'\?"):
        fetch("hf://owner/model/confg.json")
    with pytest.raises(tf.errors.NotFoundError, match="has no file"):
        fetch("hf://owner/model", files=["*.gguf"])
    with pytest.raises(tf.errors.DataLossError, match="the hub lists the SHA-256"):
        fetch("hf://owner/model/weights.safetensors", "0" * 64)
    with pytest.raises(tf.errors.NotFoundError):
        fetch("hf://owner/missing")


@pytest.mark.parametrize(
    "path", ["../up", "/etc/passwd", "a/../b", "a//b", "c:\\x", "a\0b", "x" * 300, "", 7]
)
def test_listed_paths_stay_in_the_folder(server: HubServer, path: Any) -> None:
    tf_hub(server)
    server.models["owner/model"] = {path: b"1"}
    with pytest.raises(tf.errors.DataLossError, match="the hub's answer is wrong"):
        asyncio.run(tf.hub.fetch("hf://owner/model"))


@pytest.mark.parametrize(
    "address",
    [
        *("", " https://a/b", "https://a b/c", "ftp://a/b", "file:///etc/passwd", "a/b", "hf://"),
        *("hf://a/b/../c", "hf://../..", "kaggle://a/b", "https://u:p@a/b", "https:///b"),
        *("https://a/..%2Fb", "https://a/%2e%2e", "https://a/b\n", "https://[a/b", "x" * 5000),
        *("sha256://12", "data:,x", "https://a/b%00"),
    ],
)
def test_wrong_addresses(address: str) -> None:
    with pytest.raises(ValueError, match=r"tf\.hub: "):
        fetch(address)


def test_wrong_arguments(server: HubServer) -> None:
    with pytest.raises(TypeError, match="must be a string"):
        fetch(3)
    for wrong in ("12", "g" * 64, b"0" * 64):
        with pytest.raises(ValueError, match="a digest must be a SHA-256"):
            fetch(f"{server.url}a/model.bin", wrong)
    with pytest.raises(ValueError, match="empty or negative"):
        asyncio.run(tf.hub.read(f"{server.url}a/model.bin", 5, 5))
    with pytest.raises(ValueError, match="limit must not be negative"):
        tf.hub.configure(limit=-1)
    with pytest.raises(ValueError, match="endpoints maps"):
        tf.hub.configure(endpoints={"other": "https://a"})
    with pytest.raises(tf.errors.NotFoundError, match="is not stored"):
        asyncio.run(tf.hub.remove(f"{server.url}a/none"))


def store_of_three(server: HubServer, tmp_path: Path) -> list[str]:
    """Fetch three files of 3500 bytes, the second one last."""
    urls = [f"{server.url}f/{number}" for number in range(3)]
    for number, url in enumerate(urls):
        server.files[f"/f/{number}"] = bytes([number]) * SIZE
        fetch(url)
    restart()
    fetch(urls[1])
    restart()
    return urls


def addresses() -> list[str]:
    return [file.address for file in files()]


def test_least_recently_used_files_are_removed(server: HubServer, tmp_path: Path) -> None:
    urls = store_of_three(server, tmp_path)
    restart(limit=4 * SIZE - 1)
    assert fetch(f"{server.url}a/model.bin") == DATA
    assert addresses() == [f"{server.url}a/model.bin", urls[1], urls[2]]


def test_files_in_use_are_not_removed(server: HubServer, tmp_path: Path) -> None:
    urls = store_of_three(server, tmp_path)
    restart(limit=4 * SIZE - 1)
    assert fetch(urls[0]) == bytes(SIZE)
    assert fetch(f"{server.url}a/model.bin") == DATA
    assert addresses() == [f"{server.url}a/model.bin", urls[0], urls[1]]


def test_nothing_is_removed_in_vain(server: HubServer, tmp_path: Path) -> None:
    urls = store_of_three(server, tmp_path)
    restart(limit=3 * SIZE)
    for url in urls:
        fetch(url)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="needs 3500 bytes, but 0 bytes are"):
        fetch(f"{server.url}a/model.bin")
    assert set(urls) <= {*addresses()}
    for url in urls:
        assert len(fetch(url)) == SIZE


def test_full_disk(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.files["/b/old.bin"] = DATA[::-1]
    assert fetch(f"{server.url}b/old.bin") == DATA[::-1]
    plain = os.fsync
    written: list[int] = []

    def full(number: int) -> None:
        written.append(number)
        if len(written) > 4:  # the record and two blocks with their records
            raise OSError(errno.ENOSPC, "No space left on device")
        plain(number)

    monkeypatch.setattr(os, "fsync", full)
    url = f"{server.url}a/model.bin"
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"No space left .* stay stored"):
        fetch(url)
    monkeypatch.setattr(os, "fsync", plain)
    restart()
    assert fetch(f"{server.url}b/old.bin") == DATA[::-1]
    server.asked.clear()
    assert fetch(url, digest(DATA)) == DATA
    assert server.requests() == ["bytes=1000-"]


def test_damaged_records_are_ignored(server: HubServer, tmp_path: Path) -> None:
    assert fetch(f"{server.url}a/model.bin") == DATA
    folder = tmp_path / "store" / "records"
    (record,) = folder.iterdir()
    good = record.read_bytes()
    for bad in (b"", b"[]", b"{", good.replace(b'"size": 3500', b'"size": 99999'), b"[" * 100_000):
        record.write_bytes(bad)
        restart()
        assert files() == []
    assert fetch(f"{server.url}a/model.bin") == DATA


def test_removed_contents_are_downloaded_again(server: HubServer, tmp_path: Path) -> None:
    assert fetch(f"{server.url}a/model.bin") == DATA
    for content in (tmp_path / "store" / "contents").iterdir():
        content.unlink()
    restart()
    assert fetch(f"{server.url}a/model.bin") == DATA


def test_models_in_the_store(server: HubServer, tmp_path: Path) -> None:
    tf.save_onnx(tf.square, tmp_path / "square.onnx", [tf.TensorSpec([None])])
    server.files["/m/square.onnx"] = (tmp_path / "square.onnx").read_bytes()
    path = asyncio.run(tf.hub.fetch(f"{server.url}m/square.onnx"))
    assert tf.models.load(path)(tf.constant([3.0])).numpy().tolist() == [9.0]
