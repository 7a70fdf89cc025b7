"""`tf.math`: arithmetic, reductions and special functions."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.core.primitives import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
    betainc as betainc,
    ceil as ceil,
    cos as cos,
    cosh as cosh,
    digamma as digamma,
    equal as equal,
    erf as erf,
    erfc as erfc,
    erfinv as erfinv,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    floordiv as floordiv,
    floormod as floormod,
    greater as greater,
    greater_equal as greater_equal,
    igamma as igamma,
    igammac as igammac,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    less as less,
    less_equal as less_equal,
    lgamma as lgamma,
    log as log,
    log1p as log1p,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    multiply as multiply,
    multiply_no_nan as multiply_no_nan,
    ndtri as ndtri,
    negative as negative,
    nextafter as nextafter,
    not_equal as not_equal,
    polygamma as polygamma,
    pow as pow,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    sin as sin,
    sinh as sinh,
    softplus as softplus,
    sqrt as sqrt,
    square as square,
    squared_difference as squared_difference,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    xdivy as xdivy,
    xlog1py as xlog1py,
    xlogy as xlogy,
    zeta as zeta,
)
from tfpy._src.tensors.array.complex_numbers import (
    angle as angle,
    conj as conj,
    imag as imag,
    real as real,
)
from tfpy._src.tensors.array.scans import (
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_logsumexp as cumulative_logsumexp,
)
from tfpy._src.tensors.array.segments import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from tfpy._src.tensors.array.sorting import (
    in_top_k as in_top_k,
    invert_permutation as invert_permutation,
    top_k as top_k,
)
from tfpy._src.tensors.math.arithmetic import (
    accumulate_n as accumulate_n,
    add_n as add_n,
    clip_by_value as clip_by_value,
    divide as divide,
    divide_no_nan as divide_no_nan,
    erfcinv as erfcinv,
    lbeta as lbeta,
    log_sigmoid as log_sigmoid,
    polyval as polyval,
    reciprocal_no_nan as reciprocal_no_nan,
    scalar_mul as scalar_mul,
    sign as sign,
    truediv as truediv,
)
from tfpy._src.tensors.math.counting import (
    bincount as bincount,
    confusion_matrix as confusion_matrix,
    zero_fraction as zero_fraction,
)
from tfpy._src.tensors.math.ordering import (
    argmax as argmax,
    argmin as argmin,
    is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing,
)
from tfpy._src.tensors.math.reductions import (
    count_nonzero as count_nonzero,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from tfpy._src.tensors.math.statistics import (
    l2_normalize as l2_normalize,
    reduce_euclidean_norm as reduce_euclidean_norm,
    reduce_std as reduce_std,
    reduce_variance as reduce_variance,
)
from tfpy._src.tensors.nn.activations import (
    log_softmax as log_softmax,
    softmax as softmax,
    softsign as softsign,
)
from tfpy.math import special as special

if _typing.TYPE_CHECKING:
    from tfpy._src.library.networks.ranking import (
        approx_max_k as approx_max_k,
        approx_min_k as approx_min_k,
    )

_LATER = {
    "approx_max_k": "tfpy._src.library.networks.ranking",
    "approx_min_k": "tfpy._src.library.networks.ranking",
}
