"""Samples: arithmetic, comparisons, logic, bits and special functions."""

from __future__ import annotations

UNARY = """
    Abs Acos Acosh Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 BesselI1e Ceil Cos Cosh
    Digamma Erf Erfc Erfinv Exp Expm1 Floor Inv Lgamma Log Log1p Ndtri Neg Reciprocal Rint Round
    Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh IsFinite IsInf IsNan
"""
BINARY = """
    Add AddV2 Div DivNoNan FloorDiv FloorMod Maximum Minimum Mod Mul MulNoNan Pow RealDiv
    SquaredDifference Sub TruncateDiv TruncateMod Xdivy Xlog1py Xlogy Equal Greater GreaterEqual
    Less LessEqual NotEqual
"""

KINDS = ("Max", "Min", "Prod", "Sum")

SAMPLES: dict[str, str | tuple[str, str]] = {
    **dict.fromkeys(UNARY.split(), "x=f(3, 4)"),
    **dict.fromkeys(BINARY.split(), "x=f(3, 4), y=f(4)"),
    "Acosh": "x=f(3, 4) + 1.0",
    "Div": "x=t([7, -7, 8]), y=t([2, 2, -3])",
    "Mod": "x=t([7, -7, 8]), y=t([2, 2, -3])",
    "TruncateDiv": "x=t([7, -7, 8]), y=t([2, 2, -3])",
    "TruncateMod": "x=t([7, -7, 8]), y=t([2, 2, -3])",
    "FloorMod": "x=t([7, -7, 8]), y=t([2, 2, -3])",
    "Atan2": "y=f(3), x=f(3) - 0.5",
    "Betainc": "a=f(3), b=f(3), x=f(3)",
    "Igamma": "a=f(3), x=f(3)",
    "Igammac": "a=f(3), x=f(3)",
    "NextAfter": "x1=f(3), x2=f(3)",
    "Polygamma": "a=t([1.0, 2.0]), x=f(2)",
    "Zeta": "x=f(3) + 2.0, q=f(3)",
    "AccumulateNV2": ("inputs=[f(3), f(3)], shape=[3]", "f(3) + f(3)"),
    "AddN": "inputs=[f(3), f(3), f(3)]",
    "ClipByValue": "t=f(3, 4), clip_value_min=0.3, clip_value_max=0.6",
    "Prelu": (
        "x=f(3) - 0.5, alpha=f(3)",
        "(lambda x, a: tf.where(x < 0, x * a, x))(f(3) - 0.5, f(3))",
    ),
    "ApproximateEqual": "x=t([1.0, 2.0]), y=t([1.05, 2.5]), tolerance=0.1",
    "LogicalAnd": "x=b(4), y=b(4)",
    "LogicalNot": "x=b(4)",
    "LogicalOr": "x=b(4), y=b(4)",
    "Select": "condition=b(3), x=f(3, 2), y=f(3, 2)",
    "SelectV2": "condition=b(3, 1), t=f(3, 2), e=f(2)",
    "ToBool": "input=t(2)",
    "BitwiseAnd": "x=i(99, 5), y=i(99, 5)",
    "BitwiseOr": "x=i(99, 5), y=i(99, 5)",
    "BitwiseXor": "x=i(99, 5), y=i(99, 5)",
    "Invert": "x=i(99, 5)",
    "LeftShift": "x=i(99, 5), y=i(9, 5)",
    "RightShift": "x=i(99, 5), y=i(9, 5)",
    "PopulationCount": "x=t([0, 1, 255, -1])",
    "Bitcast": "input=f(3), type=tf.int32",
    "Angle": "input=c(3)",
    "Cast": "x=f(3) * 9.0, DstT=tf.int32",
    "Complex": "real=f(3), imag=f(3)",
    "ComplexAbs": "x=c(3)",
    "Conj": "input=c(3)",
    "Imag": "input=c(3)",
    "Real": "input=c(3)",
    "InvGrad": "y=f(3), dy=f(3)",
    "ReciprocalGrad": "y=f(3), dy=f(3)",
    "RsqrtGrad": "y=f(3), dy=f(3)",
    "SigmoidGrad": "y=f(3), dy=f(3)",
    "SqrtGrad": "y=f(3), dy=f(3)",
    "TanhGrad": "y=f(3), dy=f(3)",
    "IgammaGradA": "a=f(3), x=f(3)",
    "RandomGammaGrad": "alpha=f(3), sample=f(3)",
    # reductions, segments and counts
    **dict.fromkeys(
        ("Max", "Mean", "Min", "Prod", "Sum", "EuclideanNorm"), "input=f(2, 3, 4), axis=[0, 2]"
    ),
    **dict.fromkeys(("All", "Any"), "input=b(3, 4), axis=[1], keep_dims=True"),
    **dict.fromkeys(("ArgMax", "ArgMin"), "input=f(3, 4), dimension=1"),
    "L2Loss": "t=f(3, 4)",
    **dict.fromkeys(
        ("SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum"),
        "data=f(4, 2), segment_ids=[0, 0, 1, 3]",
    ),
    **dict.fromkeys(
        (f"UnsortedSegment{kind}" for kind in KINDS),
        "data=f(4, 2), segment_ids=[0, 0, 1, 3], num_segments=5",
    ),
    **{
        f"Segment{kind}V2": (
            "data=f(4, 2), segment_ids=[0, 0, 1, 3], num_segments=5",
            f"tf.raw_ops.UnsortedSegment{kind}("
            "data=f(4, 2), segment_ids=[0, 0, 1, 3], num_segments=5)",
        )
        for kind in KINDS
    },
    "Bincount": "arr=i(5, 9), size=5, weights=f(9)",
    "DenseBincount": "input=i(5, 2, 9), size=5, weights=tf.constant([], tf.int32), binary_output=True",
    "HistogramFixedWidth": "values=f(9), value_range=[0.0, 1.0], nbins=4",
}
