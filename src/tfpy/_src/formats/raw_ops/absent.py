"""The operations of TensorFlow that are left out, and why: patterns of names, one reason each."""

from __future__ import annotations

import re

ABSENT = {
    "loops and branches of TensorFlow 1, which importers of graphs make into While and If": """
        (Ref)?(Enter|Exit|Merge|NextIteration|Switch)
    """,
    "data sets run as Python: see tf.data": """
        .*Dataset.* .*Iterator.* Anonymous(MemoryCache|RandomSeedGenerator|SeedGenerator)
        (Delete|Dummy)(MemoryCache|RandomSeedGenerator|SeedGenerator) ComputeBatchSize GetOptions
        DummyIterationCounter GetElementAtIndex GlobalIterId
        Optional(FromValue|GetValue|HasValue|None)
        (Un)?[cC]ompressElement WindowOp ThreadPoolHandle ExperimentalThreadPoolHandle
        .*StatsAggregator.* Batch Unbatch BatchFunction UnbatchGrad MapDefun RecordInput
    """,
    "queues, stages, barriers, readers and accumulators, which sessions of TensorFlow 1 share": """
        .*Queue.* .*Reader.*
        (Ordered)?Map(Clear|IncompleteSize|Peek|Size|Stage|Unstage|UnstageNoKey)
        Stage(Clear|Peek|Size)? Unstage Barrier.* .*Accumulator.*
        .*Session(Handle|HandleV2|Tensor)
        MutexV2 MutexLock ConsumeMutexLock Stack(Close|Pop|Push)?(V2)?
    """,
    "references to variables of TensorFlow 1, other than to read and assign them": """
        (Sparse)?Apply.* Scatter(Nd)?(Add|Div|Max|Min|Mul|Sub|Update) Ref(Identity|Select)
        CountUpTo
        StridedSliceAssign (Destroy)?TemporaryVariable (Add|Take)?.*Sparse(To|From)TensorsMap
    """,
    "steps of optimizers on rows; read them, and scatter what they become": """
        ResourceSparseApply.* ResourceApplyAdagradDA
    """,
    "older than the graphs that TensorFlow 2 reads": """
        TensorArray(Close|Concat|Gather|Grad|Pack|Read|Scatter|Size|Split|Unpack|Write)?(V2)?
        TensorArrayGrad(V3|WithShape) Batch(Cholesky|CholeskyGrad|I?FFT|I?FFT2D|I?FFT3D)
        BatchMatrix.*
        Batch(SelfAdjointEig|SelfAdjointEigV2|Svd) SelfAdjointEig AdjustContrast RandomCrop
        TileGrad
        BatchNormWithGlobalNormalizationGrad Conv3DBackprop(Filter|Input) QuantizeAndDequantize
    """,
    "several machines or accelerators": """
        .*TPU.* Xla.* .*Xla(Concat|Split)ND Collective.* Nccl.* (In|Out)feed.*
        Prelinearize(Tuple)?
        AllToAll CrossReplicaSum Send Recv RemoteCall DeviceIndex SyncDevice CheckPinned
        WorkerHeartbeat
        .*SparseCore.* GetMinibatch.* ConvertToCooTensor StoreMinibatchStatisticsInFdo Cudnn.*
        ApproxTopK DistributedSave FileSystemSetConfiguration Abort
    """,
    "Python of another process": "(Eager)?PyFunc(Stateless)? SymbolicGradient",
    "summaries and debuggers, for TensorBoard": """
        .*Summar.* ImportEvent Debug(IdentityV?\\d?|GradientRefIdentity|Nan.*|Numeric.*)
    """,
    "forests and linear models of TensorFlow 1's estimators": """
        BoostedTrees.* IsBoostedTrees.* Sdca.* KMC2ChainInitialization
        KmeansPlusPlusInitialization
        NearestNeighbors GenerateVocabRemapping LoadAndRemapMatrix .*CandidateSampler
        ComputeAccidentalHits
    """,
    "checkpoints, which readers of models take apart": """
        Restore(Slice|V2)? Save(Slices|V2)? MergeV2Checkpoints Sharded(Filename|Filespec)
        ImmutableConst
    """,
    "tensors of quantised numbers: tfpy keeps them, and does not compute with them": """
        Quantized.* Uniform(De|Re)?[qQ]uantize.* Requantiz.* QuantizeDownAndShrinkRange
        QuantizeAndDequantizeV4Grad QuantizeV2 Dequantize
    """,
    "matrices in compressed rows": ".*SparseMatrix.* .*CSR.*",
    "the state is three 64-bit integers: tf.random.Generator has six words": """
        Stateful(RandomBinomial|StandardNormal|StandardNormalV2|TruncatedNormal|Uniform.*) Rng.*
        NonDeterministicInts
    """,
    "texts of protocol buffers and other formats": """
        Parse(Single)?(Sequence)?Example(V2)? ParseTensor SerializeTensor
        (De)?[sS]erialize(Many)?Sparse
        (De|En)codeProto(V2)? DecodeJSONExample DecodeCSV DecodeCompressed Fingerprint
        MatchingFiles
        UnicodeScript
    """,
    "values of other kinds in one tensor: maps, ragged tensors, composites": """
        (Empty)?TensorMap.* RaggedTensor(From|To)Variant(Gradient)? CompositeTensorVariant.*
        TensorListPushBackBatch FakeParam
    """,
    "tfpy has no such function": """
        Bessel[JKY].* Dawsn Expint Fresnel.* Spence I?R?FFTND IsotonicRegression SobolSample
        EditDistance DrawBoundingBoxes(V2)? ExtractGlimpse(V2)? ExtractVolumePatches Fractional.*
        GenerateBoundingBoxProposals (Stateless)?SampleDistortedBoundingBox(V2)?
        ScaleAndTranslateGrad
        ResizeBicubicGrad DecodeAndCropJpeg DecodeJxl DecodeWebP EncodeJpegVariableQuality
        ExtractJpegShape Mfcc AudioSpectrogram (Stateless)?ParameterizedTruncatedNormal Conv
        Fused(ResizeAnd)?PadConv2D MaxPool(3D)?GradGrad.* MaxPoolGradWithArgmax
    """,
    "counts and crosses as parts of sparse or ragged tensors": """
        (Dense|Ragged|Sparse)CountSparseOutput (Ragged|Sparse)Bincount (Ragged|Sparse)Cross.*
        RaggedFillEmptyRows.*
    """,
    "gradients that tapes compute by themselves": """
        (BlockLSTM|GRUBlockCell|LSTMBlockCell)Grad(V2)? CholeskyGrad
        Sparse(Add|FillEmptyRows|Slice)Grad SparseSegment.*GradV2
    """,
    "TensorFlow Decision Forests": "SimpleML.*",
    "a joke of TensorFlow's": "Fact",
}
"""Reasons, and the names (regular expressions) that they hold for."""


def reason(name: str) -> str:
    """Why there is no operation of that name."""
    for text, patterns in ABSENT.items():
        if any(re.fullmatch(pattern, name) for pattern in patterns.split()):
            return text
    return "the name is not known"
