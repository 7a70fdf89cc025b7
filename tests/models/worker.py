"""Keras's side of the tests of model files, run in subprocesses.

python worker.py make FOLDER           on tfpy: models to FOLDER/made/NAME, their predictions to
                                       io.json there, errors to FOLDER/refused.json;
                                       then the next command for all folders FOLDER/*/*
python worker.py learn FOLDER          on tfpy: models saved to FOLDER/mine/NAME during training
python worker.py train FOLDER…         on tfpy: continues training from model.json; writes tfpy.json
python worker.py tfpy FOLDER…          on tfpy: predictions for io.json's inputs, to tfpy.json
python worker.py tensorflow FOLDER…    the same on TensorFlow, to tensorflow.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tfpy

QUANTIZATIONS = ("float16", "uint16", "uint8")


def shown(arrays: list[np.ndarray]) -> list[dict[str, Any]]:
    return [{"shape": a.shape, "dtype": a.dtype.name, "values": a.ravel().tolist()} for a in arrays]


def note(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))


def inputs(where: Path) -> list[np.ndarray]:
    return [
        np.array(entry["values"], entry["dtype"]).reshape(entry["shape"])
        for entry in json.loads((where / "io.json").read_text())["inputs"]
    ]


def make(folder: Path) -> None:
    import keras
    import legacy
    import networks
    import refused

    for name, make in networks.MODELS.items():
        keras.backend.clear_session()
        model, where = make(), folder / "made" / name
        networks.vary(model)
        x = networks.inputs(model)
        tfpy.save_layers_model(model, where, shard_size=300)
        model.save(where / "model.keras")
        y = networks.predicted(model, x)
        note(where / "io.json", {"inputs": shown(x), "outputs": shown(y)})
        if name == "convolutional":
            for kind in QUANTIZATIONS:
                where = folder / "made" / kind
                tfpy.save_layers_model(model, where, quantization=kind)
                note(where / "io.json", {"inputs": shown(x), "outputs": shown(y)})
    note(folder / "refused.json", refused.answers())
    broken = [*refused.surprises(folder / "made/nested"), *refused.surprises(folder / "made/dense")]
    note(folder / "surprises.json", broken)
    note(folder / "legacy.json", legacy.answers())


def train(where: Path) -> None:
    import learning

    io = json.loads((where / "io.json").read_text())
    x, y = ([np.array(t["values"], t["dtype"]).reshape(t["shape"]) for t in io[k]]
            for k in ("inputs", "labels"))  # fmt: skip
    model = tfpy.load_layers_model(where)
    note(where / "tfpy.json", learning.losses(model, x, y, len(io["losses"])))


def learn(folder: Path) -> None:
    import keras
    import learning
    import refused

    for name, make in learning.MODELS.items():
        keras.utils.set_random_seed(4)
        model, where = make(), folder / "mine" / name
        x, y = learning.data(model)
        learning.losses(model, x, y, 3)
        tfpy.save_layers_model(model, where, include_optimizer=True, shard_size=200)
        found = learning.losses(model, x, y, 4)
        note(where / "io.json", {"inputs": shown(x), "labels": shown(y), "losses": found})
    note(folder / "unwritten.json", learning.answers(folder / "unwritten"))
    note(folder / "hostile.json", learning.refusals(folder / "mine/adam"))
    parts = ("trainingConfig", "weightsManifest")
    broken = [refused.surprises(folder / "mine/heads", part=part) for part in parts]
    note(folder / "surprises.json", [*broken[0], *broken[1]])


def load(library: str, where: Path) -> None:
    import keras
    import networks

    if library == "tfpy" and (where / "model.json").exists():
        model = tfpy.load_layers_model(where)
    else:
        (file,) = [path for path in where.iterdir() if path.suffix in (".keras", ".hdf5")]
        model = keras.models.load_model(file, compile=False)
    note(where / f"{library}.json", shown(networks.predicted(model, inputs(where))))


def main(command: str, *folders: Path) -> None:
    if command != "tensorflow":
        tfpy.as_tensorflow(replace=True)
    if command == "learn":
        (folder,) = folders
        return learn(folder)
    if command == "make":
        (folder,) = folders
        make(folder)
        command, folders = "tfpy", tuple(folder.glob("*/*"))
    for where in folders:
        if command == "train":
            train(where)
        else:
            load(command, where)


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
