"""Downloads of `tf.hub` from a server that has faults."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hub.stores import BLOCK, DATA, SIZE, fetch, files, restart, tf_hub
from hub_server import Faults, HubServer, digest

import tfpy as tf
from tfpy._src.library.hub import download


def test_download(server: HubServer) -> None:
    url = f"{server.url}a/model.bin"
    fractions: list[float] = []
    path = asyncio.run(tf.hub.fetch(url, digest(DATA), progress=fractions.append))
    assert Path(path).name == "model.bin"
    assert Path(path).read_bytes() == DATA
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    (file,) = files()
    assert (file.address, file.size, file.stored, file.digest) == (url, SIZE, SIZE, digest(DATA))
    usage = asyncio.run(tf.hub.usage())
    assert (usage.storage, usage.files, usage.stored, usage.is_persistent) == (
        "folder",
        1,
        SIZE,
        True,
    )
    assert usage.quota is not None
    assert usage.quota > usage.used > SIZE


def test_second_start_is_offline() -> None:
    with HubServer() as server:
        server.files["/a/model.bin"] = DATA
        url = f"{server.url}a/model.bin"
        assert fetch(url) == DATA
    restart()
    fractions: list[float] = []
    assert fetch(url, progress=fractions.append) == DATA
    assert fractions == [1.0]


def test_empty_file(server: HubServer) -> None:
    server.files["/a/empty"] = b""
    assert fetch(f"{server.url}a/empty") == b""
    restart()
    assert fetch(f"{server.url}a/empty") == b""


@pytest.mark.parametrize("size", [1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_sizes(server: HubServer, size: int) -> None:
    server.files["/a/model.bin"] = DATA[:size]
    assert fetch(f"{server.url}a/model.bin", digest(DATA[:size])) == DATA[:size]


def test_cut_connections_continue(server: HubServer) -> None:
    server.faults["/a/model.bin"] = Faults(cuts=[1500, 1200, 10])
    assert fetch(f"{server.url}a/model.bin", digest(DATA)) == DATA
    assert server.requests() == ["", "bytes=1000-", "bytes=2000-", "bytes=2000-"]


def test_interrupted_program_continues(server: HubServer) -> None:
    url = f"{server.url}a/model.bin"
    server.faults["/a/model.bin"] = Faults(cuts=[2500, *[0] * (download.RETRIES - 1)])
    with pytest.raises(tf.errors.UnavailableError, match="2000 of 3500 bytes are stored; call aga"):
        fetch(url)
    (file,) = files()
    assert (file.stored, file.size, file.is_complete) == (2000, SIZE, False)
    restart()
    server.asked.clear()
    fractions: list[float] = []
    assert fetch(url, digest(DATA), progress=fractions.append) == DATA
    assert server.requests() == ["bytes=2000-"]
    assert fractions[0] == 2000 / SIZE


@pytest.mark.parametrize("change", ["tag", "size", "both"])
def test_changed_files_start_again(server: HubServer, change: str) -> None:
    url = f"{server.url}a/model.bin"
    server.faults["/a/model.bin"] = faults = Faults(cuts=[2500, *[0] * (download.RETRIES - 1)])
    with pytest.raises(tf.errors.UnavailableError):
        fetch(url)
    changed = DATA[::-1] if change == "tag" else DATA[::-1][:3300]
    server.files["/a/model.bin"] = changed
    if change == "size":
        faults.tags = [f'"{digest(DATA)[:16]}"']
    assert fetch(url) == changed
    assert [file.size for file in files()] == [len(changed)]


def test_file_that_always_changes(server: HubServer) -> None:
    tags = [f'"{number}"' for number in range(100)]
    server.faults["/a/model.bin"] = Faults(cuts=[1500] * 100, tags=tags)
    with pytest.raises(tf.errors.DataLossError, match="changes while it is downloaded"):
        fetch(f"{server.url}a/model.bin")


def test_without_validator(server: HubServer) -> None:
    """Without a digest, blocks of an earlier request cannot belong to another file."""
    server.faults["/a/model.bin"] = Faults(cuts=[1500], tags=[""])
    assert fetch(f"{server.url}a/model.bin") == DATA
    assert server.requests() == ["", ""]
    server.asked.clear()
    asyncio.run(tf.hub.remove(f"{server.url}a/model.bin"))
    server.faults["/a/model.bin"] = Faults(cuts=[1500], tags=[""])
    assert fetch(f"{server.url}a/model.bin", digest(DATA)) == DATA
    assert server.requests() == ["", "bytes=1000-"]


def test_ignored_ranges(server: HubServer) -> None:
    server.faults["/a/model.bin"] = Faults(cuts=[1500, 2500], ignores_ranges=True)
    fractions: list[float] = []
    found = fetch(f"{server.url}a/model.bin", digest(DATA), progress=fractions.append)
    assert found == DATA
    assert server.requests() == ["", "bytes=1000-", "bytes=2000-"]
    assert fractions[-1] == 1.0


def test_wrong_ranges(server: HubServer) -> None:
    server.faults["/a/model.bin"] = Faults(cuts=[1500] * 10, shift=5)
    with pytest.raises(tf.errors.DataLossError, match="changes while it is downloaded"):
        fetch(f"{server.url}a/model.bin")


def test_more_bytes_than_listed(server: HubServer) -> None:
    tf_hub(server)
    server.models["o/m"] = {"a.bin": DATA}
    server.faults[f"/cdn/{digest(DATA)}"] = Faults(extra=4)
    with pytest.raises(tf.errors.DataLossError, match="more bytes than it has declared"):
        fetch("hf://o/m/a.bin")


def test_unknown_size(server: HubServer) -> None:
    server.faults["/a/model.bin"] = Faults(extra=7)
    assert fetch(f"{server.url}a/model.bin") == DATA + b"+" * 7


def test_packed_files(server: HubServer) -> None:
    server.faults["/a/model.bin"] = Faults(packed_always=True)
    with pytest.raises(tf.errors.DataLossError, match="the server compresses the file"):
        fetch(f"{server.url}a/model.bin")


def test_statuses(server: HubServer) -> None:
    url = f"{server.url}a/model.bin"
    server.faults["/a/model.bin"] = Faults(statuses=[503, 429])
    assert fetch(url) == DATA
    for status, kind in ((404, tf.errors.NotFoundError), (403, tf.errors.PermissionDeniedError)):
        server.faults["/a/other"] = Faults(statuses=[status])
        server.files["/a/other"] = b"1"
        with pytest.raises(kind, match=f"the server answers {status}"):
            fetch(f"{server.url}a/other")
    assert len(files()) == 1


def test_wrong_digest(server: HubServer) -> None:
    url = f"{server.url}a/model.bin"
    with pytest.raises(tf.errors.DataLossError, match=f"{digest(DATA)}, but 0+ is expected"):
        fetch(url, "0" * 64)
    (file,) = files()
    assert file.address == f"sha256://{digest(DATA)}"
    server.asked.clear()
    assert fetch(url, f"sha256:{digest(DATA)}") == DATA  # without another download
    assert server.asked == []


def test_wrong_digest_keeps_the_stored_file(server: HubServer) -> None:
    url = f"{server.url}a/model.bin"
    assert fetch(url) == DATA
    server.files["/a/model.bin"] = b"other"
    with pytest.raises(tf.errors.DataLossError):
        fetch(url, "0" * 64)
    restart()
    assert fetch(url) == DATA
    assert fetch(url, digest(b"other")) == b"other"
    assert fetch(url) == b"other"


def test_a_path_shows_the_newest_file(server: HubServer) -> None:
    url = f"{server.url}a/model.bin"
    path = Path(asyncio.run(tf.hub.fetch(url)))
    server.files["/a/model.bin"] = DATA[::-1]
    assert asyncio.run(tf.hub.fetch(url, digest(DATA[::-1]))) == str(path)
    assert path.read_bytes() == DATA[::-1]
    assert asyncio.run(tf.hub.usage()).stored == SIZE


def test_equal_files_are_stored_once(server: HubServer) -> None:
    server.files["/b/same.bin"] = DATA
    assert fetch(f"{server.url}a/model.bin") == DATA
    server.asked.clear()
    assert fetch(f"{server.url}b/same.bin", digest(DATA)) == DATA
    assert server.asked == []
    assert asyncio.run(tf.hub.usage()).stored == SIZE
    asyncio.run(tf.hub.remove(f"{server.url}a/model.bin"))
    restart()
    assert fetch(f"{server.url}b/same.bin") == DATA


def test_ranges(server: HubServer) -> None:
    url = f"{server.url}a/model.bin"
    assert asyncio.run(tf.hub.read(url, 1500, 2500)) == DATA[1500:2500]
    assert server.requests() == ["bytes=1000-2999"]
    restart()
    server.asked.clear()
    assert asyncio.run(tf.hub.read(url, 2000, 3000)) == DATA[2000:3000]
    assert server.asked == []
    with pytest.raises(tf.errors.OutOfRangeError, match="has only 3500 bytes"):
        asyncio.run(tf.hub.read(url, 3400, 3501))
    assert asyncio.run(tf.hub.read(url, 3400, 3500)) == DATA[3400:]
    server.asked.clear()
    assert fetch(url, digest(DATA)) == DATA
    assert server.requests() == ["bytes=0-999"]
    assert asyncio.run(tf.hub.read(url, 10, 3000)) == DATA[10:3000]
    with pytest.raises(tf.errors.OutOfRangeError):
        asyncio.run(tf.hub.read(url, 0, 4000))


def test_range_beyond_the_end(server: HubServer) -> None:
    with pytest.raises(tf.errors.OutOfRangeError, match="has no byte 5000"):
        asyncio.run(tf.hub.read(f"{server.url}a/model.bin", 5000, 5001))


def test_several_tasks_download_once(server: HubServer) -> None:
    async def both() -> list[str]:
        url = f"{server.url}a/model.bin"
        return list(await asyncio.gather(tf.hub.fetch(url), tf.hub.fetch(url)))

    first, second = asyncio.run(both())
    assert first == second
    assert len(server.asked) == 1


def test_redirects(server: HubServer) -> None:
    server.redirects = {"/start": "/next", "/next": f"{server.url}a/model.bin"}
    assert fetch(f"{server.url}start") == DATA
    server.redirects["/loop"] = "/loop"
    with pytest.raises(tf.errors.UnavailableError):
        fetch(f"{server.url}loop")
    server.redirects["/file"] = "file:///etc/passwd"
    with pytest.raises((tf.errors.PermissionDeniedError, tf.errors.UnavailableError)):
        fetch(f"{server.url}file")


def test_pointer(server: HubServer) -> None:
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest(DATA)}\nsize 3500\n"
    server.files["/a/pointer.bin"] = text.encode()
    with pytest.raises(tf.errors.DataLossError, match=f"pointer of Git LFS .* {digest(DATA)}"):
        fetch(f"{server.url}a/pointer.bin")
    assert files() == []
