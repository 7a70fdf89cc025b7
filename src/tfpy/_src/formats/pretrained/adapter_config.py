"""The file `adapter_config.json` of PEFT, which describes the matrices of LoRA."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError, a_list, a_number, an_object

ADAPTER_CONFIG = "adapter_config.json"
REFUSED = (
    *("use_dora", "use_qalora", "use_bdlora", "lora_bias", "modules_to_save", "arrow_config"),
    *("alora_invocation_tokens", "kasa_config", "monteclora_config", "layer_replication"),
    *("target_parameters", "trainable_token_indices"),
)
"""Settings that change the result in ways that Keras does not have. They must be off."""
PLAIN_STARTS = ("gaussian", "eva", "orthogonal")
"""Values of `init_lora_weights` with which the weights of the model stay as they are."""
MAX_RANK = 1 << 20
LONGEST_PATTERN = 200
_NAME = re.compile(r"[\w.]+")


@dataclass(frozen=True)
class AdapterConfig:
    """The settings of an adapter.

    Attributes:
        alpha: Numerator of the factor of the matrices.
        rank: Rank of the matrices.
        alphas: Numerators of modules that differ, by the ends of their names.
        ranks: Ranks of modules that differ.
        has_root: True if the factor is divided by the square root of the rank.
    """

    alpha: float
    rank: int
    alphas: Mapping[str, float]
    ranks: Mapping[str, int]
    has_root: bool

    def scale(self, module: str) -> float:
        """Return the factor of the matrices of a module."""
        rank = _matching(self.ranks, module, self.rank)
        alpha = _matching(self.alphas, module, self.alpha)
        return alpha / (math.sqrt(rank) if self.has_root else rank)


def _matching(values: Mapping[str, Any], module: str, default: Any) -> Any:
    """Return the first value with a key that the name of a module ends with."""
    for key, value in values.items():
        if module == key or module.endswith(f".{key}"):
            return value
    return default


def read_config(found: Mapping[str, Any]) -> AdapterConfig:
    """Return the settings in a configuration.

    Raises:
        ModelFileError: If it is damaged, or if the adapter is of another kind than LoRA.
    """
    kind = found.get("peft_type")
    if kind != "LORA":
        raise ModelFileError(f"the adapter is of the kind {kind!r:.80}; LORA is supported")
    wrong = [name for name in REFUSED if found.get(name)]
    if wrong:
        raise ModelFileError(f"adapters with {wrong[0]} are not supported ({ADAPTER_CONFIG})")
    start = found.get("init_lora_weights", True)
    if isinstance(start, str) and start not in PLAIN_STARTS:
        raise ModelFileError(
            f"the adapter was trained with changed weights of the model (init_lora_weights is "
            f"{start!r:.80}). Convert it with peft, or save the merged model"
        )
    if found.get("bias", "none") != "none":
        raise ModelFileError(f"adapters with trained biases are not supported ({ADAPTER_CONFIG})")
    return AdapterConfig(
        a_number(found.get("lora_alpha", 8), "lora_alpha"),
        _rank(found.get("r", 8), "r"),
        {key: a_number(v, "alpha_pattern") for key, v in _pattern(found, "alpha_pattern").items()},
        {key: _rank(v, "rank_pattern") for key, v in _pattern(found, "rank_pattern").items()},
        bool(found.get("use_rslora", False)),
    )


def _pattern(found: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return values by ends of names. PEFT reads the keys as regular expressions.

    Raises:
        ModelFileError: If a key contains more than letters, digits, underscores and dots.
    """
    pattern = an_object(found.get(name) or {}, name)
    cleaned = {key.removeprefix("^").replace("\\.", "."): value for key, value in pattern.items()}
    for key in cleaned:
        if len(key) > LONGEST_PATTERN or not _NAME.fullmatch(key):
            raise ModelFileError(f"{name} contains {key!r:.80}, which is not the end of a name")
    return cleaned


def _rank(value: Any, what: str) -> int:
    if type(value) is not int or not 0 < value <= MAX_RANK:
        raise ModelFileError(f"{what} must be an integer from 1 to {MAX_RANK}, got {value!r:.80}")
    return value


def check_targets(found: Mapping[str, Any], modules: list[str]) -> None:
    """Check that the file with the matrices contains all modules that the configuration lists.

    Raises:
        ModelFileError: If a module is missing.
    """
    targets = found.get("target_modules")
    if targets is None or isinstance(targets, str):
        return  # all linear layers, or a regular expression
    for target in a_list(targets, "target_modules"):
        if not any(name == target or name.endswith(f".{target}") for name in modules):
            raise ModelFileError(
                f"target_modules contains {target!r:.80}, but the adapter has no matrices for it"
            )


def written_config(
    ranks: Mapping[str, int], scales: Mapping[str, float], others: list[str], **facts: Any
) -> dict[str, Any]:
    """Return the configuration of an adapter.

    Args:
        ranks: Ranks by the names of modules.
        scales: Factors of the matrices by the names of modules.
        others: Names of modules without matrices.
        **facts: Further entries.
    """
    ends = _ends(list(ranks), others)
    rank = min(ranks.values())
    alphas = {name: scales[name] * ranks[name] for name in ranks}
    alpha = alphas[min(ranks, key=lambda name: ranks[name])]
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": None,
        "bias": "none",
        "lora_dropout": 0.0,
        "use_rslora": False,
        "use_dora": False,
        "inference_mode": True,
        "r": rank,
        "lora_alpha": _plain(alpha),
        "target_modules": sorted({ends[name] for name in ranks}),
        "rank_pattern": _differing(ranks, ends, rank),
        "alpha_pattern": {
            name: _plain(value) for name, value in _differing(alphas, ends, alpha).items()
        },
        **facts,
    }


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _differing(values: Mapping[str, Any], ends: Mapping[str, str], default: Any) -> dict[str, Any]:
    """Return the values that are not the default, by ends of names if they agree."""
    by_end: dict[str, set[Any]] = {}
    for name, value in values.items():
        by_end.setdefault(ends[name], set()).add(value)
    return {
        (ends[name] if len(by_end[ends[name]]) == 1 else name): value
        for name, value in values.items()
        if value != default or len(by_end[ends[name]]) > 1
    }


def _ends(names: list[str], others: list[str]) -> dict[str, str]:
    """Return the shortest end of each name that no other module has; the name if there is none."""
    found = {}
    for name in names:
        parts = name.split(".")
        ends = [".".join(parts[-count:]) for count in (1, 2)]
        fitting = [end for end in ends if not any(o.endswith(f".{end}") for o in others)]
        found[name] = fitting[0] if fitting else name
    return found
