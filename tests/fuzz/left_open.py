"""Calls whose results are not compared, with the reasons."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

import numpy as np

from .surroundings import unsurrounded
from .values import Array, is_exact

_TRACES = ("mapped(", "looped(", "guarded(", "opened(", "assigned(")
"""Prefixes of calls that run in a compiled function."""


def _has_nan(text: str, operands: Sequence[Array]) -> bool:
    return any(not is_exact(a) and bool(np.isnan(a).any()) for a in operands)


def _unfit(text: str, operands: Sequence[Array]) -> bool:
    """Return True for a cast to integers if some floats are outside their range."""
    wanted = re.search(r"u?int\d+", text)
    if not wanted or is_exact(operands[0]):
        return False
    info, x = np.iinfo(wanted[0]), operands[0].astype(np.complex128).real
    return not bool(((x > info.min - 1.0) & (x < info.max + 1.0)).all())


def _some_empty(text: str, operands: Sequence[Array]) -> bool:
    return any(a.size == 0 for a in operands)


def _empty_filter(text: str, operands: Sequence[Array]) -> bool:
    return _some_empty(text, operands[1:])


def _skips_pixels(text: str, operands: Sequence[Array]) -> bool:
    """Return True if the windows over a volume do not reach its end."""
    listed = re.search(r"\[1, (\d+), (\d+), (\d+), 1\]", text)
    numbers = re.search(r"pool3d\((?:\$|x)0, (\d+), (\d+)", text)
    if any(a.ndim < 5 for a in operands):
        return False
    if listed is not None:
        steps, windows = [int(s) for s in listed.groups()], operands[1].shape[-5:-2]
    elif numbers is not None:
        size, step = map(int, numbers.groups())
        steps, windows = [step] * 3, (size,) * 3
    else:
        return False
    steps = [max(s, 1) for s in steps]
    sides = zip(operands[0].shape[-4:-1], windows, steps, strict=True)
    return any((-(-n // s) - 1) * s + k < n for n, k, s in sides)


def _of_other_shapes(text: str, operands: Sequence[Array]) -> bool:
    return len({a.shape for a in operands}) > 1


def _other_diagonals(text: str, operands: Sequence[Array]) -> bool:
    """Return True unless the operands are a main diagonal and a second one shorter by one."""
    main, beside = (a.shape for a in operands[:2])
    return main[:1] not in ((0,), (1,)) and (len(main) != 1 or beside != (main[0] - 1,))


def _unsorted(text: str, operands: Sequence[Array]) -> bool:
    """Return True if the numbers of the first list are not in ascending order."""
    found = re.search(r"\[[^\[\]]*\]", text)
    numbers = ast.literal_eval(found[0]) if found else []
    return numbers != sorted(numbers)


def _names_the_blank(text: str) -> bool:
    """Return True if the labels (the first list of lists) contain class 0, the blank class."""
    found = re.search(r"\[\[.*?\]\]", text)
    return found is not None and bool(re.search(r"\b0\b", found[0]))


def _probabilities_near_one(text: str, operands: Sequence[Array]) -> bool:
    """Return True in a trace if 1 - p of a prediction is close to the rounding of 1 + epsilon."""
    return text.startswith(_TRACES) and bool((np.abs(operands[1] - 1.0) < 1e-3).any())


def _next_to_one(text: str, operands: Sequence[Array]) -> bool:
    """Return True if the call counts results that are not NaN, for the first float above 1."""
    above = np.nextafter(np.float32(1), np.float32(2))
    return text.startswith("guarded(") and bool((operands[0] == above).any())


def _more_bands_than_rows(text: str, operands: Sequence[Array]) -> bool:
    """Return True in a trace for bands [..., k, n] with k > n and a right side [..., n, m]."""
    shapes = [a.shape for a in operands if a.ndim > 1]
    return text.startswith(_TRACES) and any(
        bands[-2] > bands[-1] == rhs[-2] for bands in shapes for rhs in shapes
    )


def _array_of_other_dtype(text: str, operands: Sequence[Array]) -> bool:
    """Return True for an operand that is not a tensor and not float32."""
    return ".numpy()" in text and any(a.dtype != np.float32 for a in operands)


def _vectorized_without_rows(text: str, operands: Sequence[Array]) -> bool:
    return text.startswith("vectorized(") and not operands[0].shape[0]


def _of_other_rows(text: str, operands: Sequence[Array]) -> bool:
    """Return True for open sizes and a mask that does not match the first operand's rows."""
    written = re.search(r"tf\.constant\((\[[^()]*\])\)", text)
    mask = operands[-1] if written is None else np.array(ast.literal_eval(written[1]))
    return text.startswith("opened(") and operands[0].shape[: mask.ndim] != mask.shape


def _axes_of_nothing(text: str, operands: Sequence[Array]) -> bool:
    """Return True for an empty tensor with a list of invalid or repeated axes."""
    found = re.search(r"\[[^\[\]]*\]", text)
    axes, rank = ast.literal_eval(found[0]) if found else [], operands[0].ndim
    wrong = any(not -rank <= a < rank for a in axes) or len({a % rank for a in axes}) < len(axes)
    return not operands[0].size and bool(rank) and wrong


def _nearly_singular(text: str, operands: Sequence[Array]) -> bool:
    """Return True for a nearly singular matrix. Only the leading square of a wide matrix counts."""
    rows, columns = operands[0].shape[-2:]
    square = operands[0][..., : min(rows, columns)].astype(np.float64)
    return bool(square.size) and not bool((np.linalg.cond(square) < 1e4).all())


def _of_other_frequencies(text: str, operands: Sequence[Array]) -> bool:
    """Return True if the number of frequencies differs from the transform's.

    The transform then pads or crops.
    """
    found = re.search(r"inverse_stft\((?:\$|x)0, (\d+)", text)
    points = 1 << (int(found[1]) - 1).bit_length() if found else 0
    return points > 0 and operands[0].shape[-1] != points // 2 + 1


def _counts_complex_quotients(text: str, operands: Sequence[Array]) -> bool:
    """Return True if the call counts results that are not NaN of complex numbers divided by 0."""
    zero = re.search(r"/ 0(\.0)?\b", text) or ("/" in text and bool((operands[-1] == 0).any()))
    return text.startswith("guarded(") and bool(zero) and operands[0].dtype.kind == "c"


def _beyond_int32(text: str, operands: Sequence[Array]) -> bool:
    """Return True for lists of Python integers beyond int32."""
    most = np.iinfo(np.int32).max
    return any(
        f"${i}.numpy().tolist()" in text and a.dtype.kind in "iu" and bool((a > most).any())
        for i, a in enumerate(operands)
    )


def _traced_with_listed_axis(text: str, operands: Sequence[Array]) -> bool:
    return text.startswith(_TRACES) and "axis=[" in text


def _hardly_definite(text: str, operands: Sequence[Array]) -> bool:
    """Return True for a squared matrix plus a small or negative multiple of the identity."""
    found = re.search(r"(-?[\d.e-]+) \* tf\.eye", text)
    return found is not None and float(found[1]) < 0.1


def _larger_window(text: str, operands: Sequence[Array]) -> bool:
    """Return True if a window is larger than the image in some dimension."""
    found = re.search(r"pool\w*\(\w+, (\d+|\[[\d, ]+\])", text)
    sizes = [int(n) for n in re.findall(r"\d+", found[1])] if found else []
    return max(sizes, default=0) > min(operands[0].shape[1:-1], default=0)


def _divides_by_infinite_complex(text: str, operands: Sequence[Array]) -> bool:
    return any(a.dtype.kind == "c" and bool(np.isinf(a).any()) for a in operands)


def _complex_array(text: str, operands: Sequence[Array]) -> bool:
    return ".numpy()" in text and any(a.dtype.kind == "c" for a in operands)


LEFT_OPEN: dict[str, tuple[Callable[[str, Sequence[Array]], bool], str]] = {
    r"nn\.(max_pool.*|dilation2d|erosion2d|pool)|sort|argsort|(math|nn)\.top_k": (
        _has_nan,
        "no comparison with NaN holds: the result depends on the place of the NaN",
    ),
    r"histogram_fixed_width": (_has_nan, "tfpy does not count NaN, TensorFlow raises"),
    r"cast|image\.convert_image_dtype": (
        _unfit,
        "wraps or saturates, as the processor's instruction for so many elements does",
    ),
    r"nn\.(.*conv.*|dilation2d|erosion2d)": (
        _empty_filter,
        "filters without elements: some kernels refuse them, others give zeros",
    ),
    r"gradient of nn\.(.*conv.*|dilation2d|erosion2d)": (
        _some_empty,
        "filters without elements, as above; gradients to filters are not initialized",
    ),
    r"(gradient of )?signal\..*": (
        _some_empty,
        "tensors without elements are not padded: transforms refuse them or read beyond them",
    ),
    r"(gradient of )?nn\.(conv3d|(avg|max)_pool3d)": (
        _skips_pixels,
        "on CPU, TensorFlow's first window begins half of the skipped pixels within the volume",
    ),
    r"(gradient of )?nn\.ctc_.*": (
        lambda text, operands: _names_the_blank(text) or _some_empty(text, operands),
        "labels that are the blank class mean nothing; sequences without elements: some layers "
        "refuse them, others give what is left",
    ),
    r"gradient of nn\.softmax_cross_entropy_with_logits": (
        _of_other_shapes,
        "TensorFlow's gradient does not broadcast",
    ),
    r"image\.non_max_suppression_padded": (_some_empty, "TensorFlow reads the first box"),
    r"image\.extract_patches": (
        lambda text, operands: bool(re.search(r"\[1\] \* [5-9]", text)),
        "TensorFlow leaves out the fifth rate",
    ),
    r"linalg\.eigh_tridiagonal": (
        lambda text, operands: "eigvals_only=False" in text or _other_diagonals(text, operands),
        "eigenvectors have either sign; TensorFlow reads beyond diagonals, computes numbers of "
        "several matrices at once, or refuses",
    ),
    r"gradient of linalg\.eigh_tridiagonal": (
        lambda text, operands: True,
        "TensorFlow's does not agree with finite differences",
    ),
    r"gradient of math\.(special\.)?bessel_i1": (
        lambda text, operands: bool((operands[0] == 0).any()),
        "1/2 at 0; TensorFlow gives 1",
    ),
    r"gradient of raw_ops\.ImageProjectiveTransform.*": (
        lambda text, operands: True,
        "TensorFlow's is the gradient moved back, which is the derivative of no interpolation",
    ),
    r"nn\.softmax_cross_entropy_with_logits|compat\.v1\.losses\..*": (
        lambda text, operands: text.startswith("opened(") and _of_other_shapes(text, operands),
        "TensorFlow refuses labels of other shapes than logits where it knows both",
    ),
    r"gradient of nn\.embedding_lookup_sparse": (
        lambda text, operands: bool(re.search(r"SparseTensor\(.*, \[[^\[\]]*-\d+\]\)", text)),
        "sparse tensors of negative sizes: TensorFlow refuses their gradients only",
    ),
    r".*": (
        _vectorized_without_rows,
        "without rows to run, TensorFlow divides by their number for its shapes, checks no indices "
        "and finds some shapes wrong",
    ),
    r"(ragged\.)?boolean_mask|ragged\.stack_dynamic_partitions": (
        _of_other_rows,
        "TensorFlow compares the sizes where it knows them; a mask is read op by op, where all are",
    ),
    r"reverse": (
        _axes_of_nothing,
        "TensorFlow checks no axes of tensors without elements, but in a trace",
    ),
    r"gradient of linalg\.qr": (
        _nearly_singular,
        "divides by the diagonal of r, which rounding makes small where it is 0",
    ),
    r"gradient of signal\.inverse_stft": (
        _of_other_frequencies,
        "TensorFlow multiplies by as many weights as there were before it padded or cropped",
    ),
    r"nn\.atrous_conv2d": (
        lambda text, operands: (
            text.startswith("opened(") and bool(re.search(r"[2-9], 'SAME'", text))
        ),
        "TensorFlow needs the sizes of filters for 'SAME'",
    ),
    r"add|divide|real_?div": (
        _counts_complex_quotients,
        "NaN or infinite: in TensorFlow it depends on the place in a vector",
    ),
    r"divide|real_?div|math\.(reciprocal|divide_no_nan|xdivy)": (
        _divides_by_infinite_complex,
        "0 as in C99, or NaN: in TensorFlow it depends on the place in a vector",
    ),
    r".+": (
        _beyond_int32,
        "int64 in TensorFlow; docs/differences.md",
    ),
    r"nn\.crelu|concat": (
        _traced_with_listed_axis,
        "TensorFlow takes an axis in a list eagerly and refuses it in a trace",
    ),
    r"(gradient of )?linalg\.(cholesky.*|logdet)": (
        _hardly_definite,
        "of matrices that are not positive definite TensorFlow leaves parts uninitialized",
    ),
    r"gradient of nn\.(avg_pool.*|pool)": (
        _larger_window,
        "where a window is larger than the image TensorFlow's does not agree with finite "
        "differences",
    ),
    r"image\..*": (
        _complex_array,
        "TensorFlow drops the imaginary parts of NumPy's arrays",
    ),
    r"searchsorted": (_unsorted, "what is found depends on the steps of the search"),
    r"sparse\.retain": (
        lambda text, operands: True,
        "the number of elements is checked where it is known, in TensorFlow eagerly only",
    ),
    r"ragged\..*": (
        lambda text, operands: (
            "from_row_splits" in text and text.startswith(("looped(", "mapped("))
        ),
        "row splits that are known are checked while a function is traced",
    ),
    r"strings\.format": (
        lambda text, operands: text.startswith("vectorized("),
        "TensorFlow formats all rows for each of them",
    ),
    r"strings\.ngrams": (
        lambda text, operands: any(a.ndim > 1 and not a.shape[-2] for a in operands),
        "a matrix without rows: of n-grams TensorFlow gives one column, tfpy none",
    ),
    r"sparse\.cross_hashed": (
        lambda text, operands: text.endswith(", 0)"),
        "hashes of 63 bits, which tfpy's int64 does not hold; docs/differences.md",
    ),
    r"(gradient of )?compat\.v1\.losses\.log_loss": (
        _probabilities_near_one,
        "compiled, TensorFlow adds epsilon to 1 before it subtracts the probability",
    ),
    r"gradient of sparse\.softmax": (
        _some_empty,
        "TensorFlow sums along an axis without elements to one element and cannot add that back",
    ),
    r"nn\.max_pool(2d)?|image\.(rgb_to_hsv|hsv_to_rgb)|math\.nextafter": (
        _array_of_other_dtype,
        "TensorFlow converts arrays to float32, unless in a trace or by the first op of a process",
    ),
    r"(gradient of )?linalg\.banded_triangular_solve": (
        _more_bands_than_rows,
        "TensorFlow refuses more bands than rows in a trace only, and computes them eagerly",
    ),
    r"linalg\.diag.*": (
        lambda text, operands: ".tolist()" in text and operands[0].dtype == bool,
        "TensorFlow takes the default padding, 0, for tensors and arrays of bools, not for lists",
    ),
    r"math\.erfinv": (
        _next_to_one,
        "TensorFlow rounds (1 + x) / 2 to 1, of which the result is infinite",
    ),
}
"""Calls for which TensorFlow's result is accidental or wrong: condition and reason."""


def left_open(name: str, text: str, operands: Sequence[Array]) -> bool:
    """Return True if the result of a call is not compared."""
    names = [unsurrounded(name)]
    if name.startswith("assigned "):
        names.append(f"gradient of {names[0]}")
    return any(
        re.fullmatch(pattern, one) and applies(text, operands)
        for one in names
        for pattern, (applies, _) in LEFT_OPEN.items()
    )
