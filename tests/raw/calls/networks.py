"""Samples: networks, images, linear algebra and Fourier transforms."""

from __future__ import annotations

FLAT = "strides=[1, 1, 1, 1], padding='SAME'"
WINDOW = "ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID'"
DEEP = "ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding='SAME'"
BOXES = "boxes=t([[0.0, 0, 1, 1], [0, 0.1, 1, 1], [0, 2, 1, 3]]), scores=t([0.5, 0.9, 0.7])"
NORM = "x=f(2, 3, 4, 5), scale=f(5), offset=f(5)"
POSITIVE = "tf.matmul(f(3, 3), f(3, 3)) + 3.0 * tf.eye(3)"
SYMMETRIC = "(lambda a: tf.matmul(a, a, transpose_b=True) + tf.eye(3))(f(3, 3))"
PNG = "tf.io.encode_png(tf.cast(i(255, 4, 5, 3), tf.uint8))"

BACK = "y_backprop=f(2, 3, 4, 5), x=f(2, 3, 4, 5), scale=f(5), reserve_space_1=f(5), reserve_space_2=f(5)"
CROPS = "boxes=t([[0.1, 0.2, 0.8, 0.9]]), box_ind=[0]"
CELL = (
    "cs_prev=f(2, 4), h_prev=f(2, 4), w=f(7, 16) - 0.5, wci=f(4), wcf=f(4), wco=f(4), b=f(16) - 0.5"
)

SAMPLES: dict[str, str | tuple[str, str]] = {
    "Elu": "features=f(3) - 0.5",
    "EluGrad": "gradients=f(3), outputs=f(3) - 0.5",
    "LeakyRelu": "features=f(3) - 0.5, alpha=0.3",
    "LeakyReluGrad": "gradients=f(3), features=f(3) - 0.5, alpha=0.3",
    "LogSoftmax": "logits=f(2, 3)",
    "Relu": "features=f(3) - 0.5",
    "Relu6": "features=f(3) * 9.0",
    "Relu6Grad": "gradients=f(3), features=f(3) * 9.0",
    "ReluGrad": "gradients=f(3), features=f(3) - 0.5",
    "Selu": "features=f(3) - 0.5",
    "SeluGrad": "gradients=f(3), outputs=f(3) - 0.5",
    "Softmax": "logits=f(2, 3)",
    "Softplus": "features=f(3) - 0.5",
    "SoftplusGrad": "gradients=f(3), features=f(3) - 0.5",
    "Softsign": "features=f(3) - 0.5",
    "SoftsignGrad": "gradients=f(3), features=f(3) - 0.5",
    "Conv2D": "input=f(1, 5, 5, 2), filter=f(3, 3, 2, 3), strides=[1, 2, 2, 1], padding='EXPLICIT', "
    "explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0]",
    "Conv2DBackpropFilter": f"input=f(1, 4, 4, 2), filter_sizes=[3, 3, 2, 3], out_backprop=f(1, 4, 4, 3), {FLAT}",
    "Conv2DBackpropInput": f"input_sizes=[1, 4, 4, 2], filter=f(3, 3, 2, 3), out_backprop=f(1, 4, 4, 3), {FLAT}",
    "Conv3D": "input=f(1, 3, 4, 4, 2), filter=f(2, 2, 2, 2, 3), strides=[1, 1, 1, 1, 1], padding='SAME'",
    "Conv3DBackpropFilterV2": "input=f(1, 3, 4, 4, 2), filter_sizes=[2, 2, 2, 2, 3], "
    "out_backprop=f(1, 3, 4, 4, 3), strides=[1, 1, 1, 1, 1], padding='SAME'",
    "Conv3DBackpropInputV2": "input_sizes=[1, 3, 4, 4, 2], filter=f(2, 2, 2, 2, 3), "
    "out_backprop=f(1, 3, 4, 4, 3), strides=[1, 1, 1, 1, 1], padding='SAME'",
    "DepthwiseConv2dNative": (
        f"input=f(1, 5, 5, 2), filter=f(3, 3, 2, 2), {FLAT}, dilations=[1, 2, 2, 1]",
        "tf.nn.depthwise_conv2d(f(1, 5, 5, 2), f(3, 3, 2, 2), [1, 1, 1, 1], 'SAME', dilations=[2, 2])",
    ),
    "DepthwiseConv2dNativeBackpropFilter": f"input=f(1, 4, 4, 2), filter_sizes=[3, 3, 2, 2], out_backprop=f(1, 4, 4, 4), {FLAT}",
    "DepthwiseConv2dNativeBackpropInput": f"input_sizes=[1, 4, 4, 2], filter=f(3, 3, 2, 2), out_backprop=f(1, 4, 4, 4), {FLAT}",
    "Dilation2D": f"input=f(1, 4, 4, 2), filter=f(2, 2, 2), rates=[1, 1, 1, 1], {FLAT}",
    "Dilation2DBackpropFilter": f"input=f(1, 4, 4, 2), filter=f(2, 2, 2), out_backprop=f(1, 4, 4, 2), rates=[1, 1, 1, 1], {FLAT}",
    "Dilation2DBackpropInput": f"input=f(1, 4, 4, 2), filter=f(2, 2, 2), out_backprop=f(1, 4, 4, 2), rates=[1, 1, 1, 1], {FLAT}",
    "BiasAdd": "value=f(2, 3, 4), bias=f(4)",
    "BiasAddGrad": "out_backprop=f(2, 3, 4, 4)",
    "BiasAddV1": "value=f(2, 3, 4), bias=f(4)",
    "AvgPool": f"value=f(1, 4, 4, 2), {WINDOW}",
    "AvgPool3D": f"input=f(1, 4, 4, 4, 2), {DEEP}",
    "AvgPool3DGrad": f"orig_input_shape=[1, 4, 4, 4, 2], grad=f(1, 2, 2, 2, 2), {DEEP}",
    "AvgPoolGrad": f"orig_input_shape=[1, 4, 4, 2], grad=f(1, 2, 2, 2), {WINDOW}",
    "MaxPool": f"input=f(1, 4, 4, 2), {WINDOW}",
    "MaxPool3D": f"input=f(1, 4, 4, 4, 2), {DEEP}",
    "MaxPool3DGrad": "(lambda x: dict(orig_input=x, orig_output=tf.nn.max_pool3d(x, 2, 2, 'SAME'), grad=f(1, 2, 2, 2, 2), "
    "ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding='SAME'))(f(1, 4, 4, 4, 2))",
    "MaxPoolGrad": f"(lambda x: dict(orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, 'VALID'), grad=f(1, 2, 2, 2), {WINDOW}))(f(1, 4, 4, 2))",
    "MaxPoolGradV2": f"(lambda x: dict(orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, 'VALID'), grad=f(1, 2, 2, 2), {WINDOW}))(f(1, 4, 4, 2))",
    "MaxPoolV2": f"input=f(1, 4, 4, 2), {WINDOW}",
    "MaxPoolWithArgmax": f"input=f(1, 4, 4, 2), {WINDOW}",
    "LRN": "input=f(1, 2, 2, 7), depth_radius=2, alpha=0.5",
    "LRNGrad": "(lambda x: dict(input_grads=f(1, 2, 2, 7), input_image=x, output_image=tf.nn.lrn(x, 2, 1.0, 0.5), "
    "depth_radius=2, alpha=0.5))(f(1, 2, 2, 7))",
    "BatchNormWithGlobalNormalization": (
        "t=f(2, 3, 4, 5), m=f(5), v=f(5), beta=f(5), gamma=f(5), "
        "variance_epsilon=0.01, scale_after_normalization=True",
        "tf.nn.batch_normalization(f(2, 3, 4, 5), f(5), f(5), f(5), f(5), 0.01)",
    ),
    "FusedBatchNorm": f"{NORM}, mean=[], variance=[]",
    "FusedBatchNormV2": f"=tf.raw_ops.FusedBatchNormV2({NORM}, mean=f(5), variance=f(5), is_training=False)[:3]",
    "FusedBatchNormV3": f"=tf.raw_ops.FusedBatchNormV3({NORM}, mean=f(5), variance=f(5), exponential_avg_factor=0.5)[:5]",
    "SoftmaxCrossEntropyWithLogits": "features=f(2, 3), labels=f(2, 3)",
    "SparseSoftmaxCrossEntropyWithLogits": "features=f(2, 3), labels=[0, 2]",
    "Conv1D": (
        "input=f(1, 5, 2), filter=f(3, 2, 3), stride=2, padding='SAME'",
        "tf.nn.conv1d(f(1, 5, 2), f(3, 2, 3), 2, 'SAME')",
    ),
    "DepthwiseConv2d": (
        f"input=f(1, 5, 5, 2), filter=f(3, 3, 2, 2), {FLAT}",
        f"tf.raw_ops.DepthwiseConv2dNative(input=f(1, 5, 5, 2), filter=f(3, 3, 2, 2), {FLAT})",
    ),
    "FusedDepthwiseConv2dNative": (
        f"input=f(1, 5, 5, 2), filter=f(3, 3, 2, 2), args=[f(4)], {FLAT}, fused_ops=['BiasAdd', 'Relu6']",
        "tf.nn.relu6(tf.nn.bias_add(tf.raw_ops.DepthwiseConv2dNative("
        f"input=f(1, 5, 5, 2), filter=f(3, 3, 2, 2), {FLAT}), f(4)))",
    ),
    # products, decompositions, systems, diagonals
    "BatchMatMul": "x=f(2, 3, 4), y=f(2, 3, 5), adj_x=True",
    "BatchMatMulV2": "x=f(2, 3, 4), y=f(5, 4), adj_y=True",
    "BatchMatMulV3": "x=f(2, 3, 4), y=f(5, 4), Tout=tf.float32, adj_y=True",
    "Cross": "a=f(2, 3), b=f(2, 3)",
    "Einsum": "inputs=[f(2, 3), f(3, 4)], equation='ij,jk->ki'",
    "MatMul": "a=f(2, 3), b=f(2, 4), transpose_a=True",
    "SparseMatMul": "a=f(2, 3), b=f(2, 4), transpose_a=True",
    "Cholesky": f"input={SYMMETRIC}",
    "Eig": f"=tf.raw_ops.Eig(input={SYMMETRIC}, Tout=tf.complex64, compute_v=False)[0]",
    "LogMatrixDeterminant": f"input={POSITIVE}",
    "Lu": f"input={POSITIVE}",
    "MatrixDeterminant": f"input={POSITIVE}",
    "MatrixExponential": ("input=f(3, 3)", "tf.linalg.expm(f(3, 3))"),
    "MatrixLogarithm": f"input=tf.cast({SYMMETRIC}, tf.complex64)",
    "MatrixSquareRoot": f"input={SYMMETRIC}",
    "Qr": "input=f(4, 3)",
    "SelfAdjointEigV2": f"=tf.raw_ops.SelfAdjointEigV2(input={SYMMETRIC}, compute_v=False)[0]",
    "Svd": "=tf.raw_ops.Svd(input=f(4, 3), compute_uv=False)[0]",
    "BandedTriangularSolve": "bands=0".replace("bands=0", "matrix=f(2, 4) + 1.0, rhs=f(4, 2)"),
    "MatrixInverse": f"input={POSITIVE}",
    "MatrixSolve": f"matrix={POSITIVE}, rhs=f(3, 2), adjoint=True",
    "MatrixSolveLs": "matrix=f(4, 2), rhs=f(4, 3), l2_regularizer=tf.constant(0.1, tf.float64)",
    "MatrixTriangularSolve": f"matrix={POSITIVE}, rhs=f(3, 2), lower=False",
    "TridiagonalMatMul": "superdiag=f(1, 4), maindiag=f(1, 4), subdiag=f(1, 4), rhs=f(4, 2)",
    "TridiagonalSolve": "diagonals=f(3, 4) + 1.0, rhs=f(4, 2)",
    "Diag": "diagonal=f(3)",
    "DiagPart": "input=f(3, 3)",
    "MatrixBandPart": "input=f(4, 5), num_lower=1, num_upper=-1",
    "MatrixDiag": "diagonal=f(2, 3)",
    "MatrixDiagPart": "input=f(2, 3, 4)",
    "MatrixDiagPartV2": "input=f(2, 3, 4), k=[-1, 1], padding_value=7.0",
    "MatrixDiagPartV3": "input=f(2, 3, 4), k=[-1, 1], padding_value=7.0, align='LEFT_RIGHT'",
    "MatrixDiagV2": "diagonal=f(2, 3), k=1, num_rows=-1, num_cols=-1, padding_value=7.0",
    "MatrixDiagV3": "diagonal=f(2, 3), k=1, num_rows=-1, num_cols=-1, padding_value=7.0",
    "MatrixSetDiag": "input=f(3, 4), diagonal=f(3)",
    "MatrixSetDiagV2": "input=f(3, 4), diagonal=f(3), k=1",
    "MatrixSetDiagV3": "input=f(3, 4), diagonal=f(3), k=1",
    "FFT": "input=c(2, 8)",
    "FFT2D": "input=c(4, 8)",
    "FFT3D": "input=c(2, 4, 8)",
    "IFFT": "input=c(2, 8)",
    "IFFT2D": "input=c(4, 8)",
    "IFFT3D": "input=c(2, 4, 8)",
    "IRFFT": "input=c(2, 5), fft_length=[8]",
    "IRFFT2D": "input=c(4, 5), fft_length=[4, 8]",
    "IRFFT3D": "input=c(2, 4, 5), fft_length=[2, 4, 8]",
    "RFFT": "input=f(2, 8), fft_length=[8]",
    "RFFT2D": "input=f(4, 8), fft_length=[4, 8]",
    "RFFT3D": "input=f(2, 4, 8), fft_length=[2, 4, 8]",
    # images
    "AdjustContrastv2": "images=f(4, 5, 3), contrast_factor=1.5",
    "AdjustHue": "images=f(4, 5, 3), delta=0.2",
    "AdjustSaturation": "images=f(4, 5, 3), scale=1.5",
    "HSVToRGB": "images=f(4, 5, 3)",
    "RGBToHSV": "images=f(4, 5, 3)",
    "CropAndResize": "image=f(1, 5, 6, 2), boxes=t([[0.1, 0.2, 0.8, 0.9]]), box_ind=[0], crop_size=[3, 4]",
    "ExtractImagePatches": "images=f(1, 5, 6, 2), ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding='VALID'",
    "ImageProjectiveTransformV2": "images=f(1, 5, 6, 2), transforms=t([[1.0, 0.1, 0.2, 0, 1, 0.3, 0, 0]]), output_shape=[4, 4], interpolation='BILINEAR'",
    "ImageProjectiveTransformV3": "images=f(1, 5, 6, 2), transforms=t([[1.0, 0.1, 0.2, 0, 1, 0.3, 0, 0]]), output_shape=[4, 4], fill_value=0.5, interpolation='BILINEAR'",
    "ResizeBilinear": "images=f(1, 5, 6, 2), size=[3, 9], half_pixel_centers=True",
    "ResizeBilinearGrad": "grads=f(1, 3, 9, 2), original_image=f(1, 5, 6, 2), half_pixel_centers=True",
    "ResizeNearestNeighbor": "images=f(1, 5, 6, 2), size=[3, 9], align_corners=True",
    "CombinedNonMaxSuppression": "boxes=f(1, 5, 1, 4), scores=f(1, 5, 2), max_output_size_per_class=3, max_total_size=4, iou_threshold=0.5, score_threshold=0.2",
    "NonMaxSuppression": f"{BOXES}, max_output_size=2",
    "NonMaxSuppressionV2": f"{BOXES}, max_output_size=2, iou_threshold=0.5",
    "NonMaxSuppressionV3": f"{BOXES}, max_output_size=3, iou_threshold=0.5, score_threshold=0.6",
    "NonMaxSuppressionV4": f"{BOXES}, max_output_size=4, iou_threshold=0.5, score_threshold=0.6, pad_to_max_output_size=True",
    "NonMaxSuppressionV5": f"{BOXES}, max_output_size=4, iou_threshold=0.5, score_threshold=0.1, soft_nms_sigma=0.5, pad_to_max_output_size=True",
    "NonMaxSuppressionWithOverlaps": "overlaps=f(3, 3), scores=f(3), max_output_size=2, overlap_threshold=0.5, score_threshold=0.1",
    "DecodePng": f"contents={PNG}, channels=1",
    "DecodeImage": f"contents={PNG}",
    "EncodePng": "=tf.io.decode_png(tf.raw_ops.EncodePng(image=tf.cast(i(255, 4, 5, 3), tf.uint8)))",
    "DecodeBmp": "contents=(b'BM' + b'F\\0\\0\\0' + bytes(4) + b'6\\0\\0\\0' + b'(\\0\\0\\0\\2\\0\\0\\0\\2\\0\\0\\0\\1\\0\\x18' + bytes(25) + bytes(range(16)))",
    "DecodeJpeg": f"contents={PNG}",
    "Conv2DBackpropFilterV2": (
        f"input=f(1, 4, 4, 2), filter=f(3, 3, 2, 3), out_backprop=f(1, 4, 4, 3), {FLAT}",
        "(lambda x, f, g: tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes=[3, 3, 2, 3], "
        f"out_backprop=g, {FLAT}))(f(1, 4, 4, 2), f(3, 3, 2, 3), f(1, 4, 4, 3))",
    ),
    "Conv2DBackpropInputV2": (
        f"input=f(1, 4, 4, 2), filter=f(3, 3, 2, 3), out_backprop=f(1, 4, 4, 3), {FLAT}",
        "(lambda x, f, g: tf.raw_ops.Conv2DBackpropInput(input_sizes=[1, 4, 4, 2], filter=f, "
        f"out_backprop=g, {FLAT}))(f(1, 4, 4, 2), f(3, 3, 2, 3), f(1, 4, 4, 3))",
    ),
    "FusedBatchNormGrad": f"=tf.raw_ops.FusedBatchNormGrad({BACK}, is_training=False)[:3]",
    "FusedBatchNormGradV2": f"=tf.raw_ops.FusedBatchNormGradV2({BACK}, is_training=False)[:3]",
    "FusedBatchNormGradV3": "=(lambda x, s: (lambda r: tf.raw_ops.FusedBatchNormGradV3(y_backprop=f(2, 3, 4, 5), x=x, scale=s, "
    "reserve_space_1=r[3], reserve_space_2=r[4], reserve_space_3=r[5])[:3])(tf.raw_ops.FusedBatchNormV3("
    "x=x, scale=s, offset=s, mean=[], variance=[])))(f(2, 3, 4, 5), f(5))",
    "CropAndResizeGradBoxes": f"grads=f(1, 3, 4, 2), image=f(1, 5, 6, 2), {CROPS}",
    "CropAndResizeGradImage": f"grads=f(1, 3, 4, 2), image_size=[1, 5, 6, 2], T=tf.float32, {CROPS}",
    "ResizeArea": "images=f(1, 5, 6, 2), size=[3, 4]",
    "ResizeBicubic": "images=f(1, 5, 6, 2), size=[3, 9]",
    "ResizeNearestNeighborGrad": "grads=f(1, 3, 9, 2), size=[5, 6], half_pixel_centers=True",
    "ScaleAndTranslate": "images=f(1, 5, 6, 2), size=[3, 9], scale=[0.6, 1.5], translation=[0.0, 0.0], kernel_type='triangle'",
    "LSTMBlockCell": f"x=f(2, 3), {CELL}, cell_clip=0.5, use_peephole=True",
    "BlockLSTM": f"seq_len_max=tf.constant(4, tf.int64), x=f(4, 2, 3), {CELL}",
    "BlockLSTMV2": f"seq_len_max=tf.constant(4, tf.int64), x=f(4, 2, 3), {CELL}, use_peephole=True",
    "GRUBlockCell": "x=f(2, 3), h_prev=f(2, 4), w_ru=f(7, 8) - 0.5, w_c=f(7, 4) - 0.5, b_ru=f(8), b_c=f(4)",
}
