"""The TensorFlow operations that tfpy does not support: patterns of names, by reason."""

from __future__ import annotations

import re

ABSENT = {
    "loops and branches of TensorFlow 1, which graph importers convert to While and If": """
        (Ref)?(Enter|Exit|Merge|NextIteration|Switch)
    """,
    "datasets run in Python; use tf.data": """
        .*Dataset.* .*Iterator.* Anonymous(MemoryCache|RandomSeedGenerator|SeedGenerator)
        (Delete|Dummy)(MemoryCache|RandomSeedGenerator|SeedGenerator) ComputeBatchSize GetOptions
        DummyIterationCounter GetElementAtIndex GlobalIterId
        Optional(FromValue|GetValue|HasValue|None)
        (Un)?[cC]ompressElement WindowOp ThreadPoolHandle ExperimentalThreadPoolHandle
        .*StatsAggregator.* Batch Unbatch BatchFunction UnbatchGrad MapDefun RecordInput
    """,
    "stages, barriers, readers and accumulators are shared by TensorFlow 1 sessions": """
        FakeQueue .*Reader.*
        (Ordered)?Map(Clear|IncompleteSize|Peek|Size|Stage|Unstage|UnstageNoKey)
        Stage(Clear|Peek|Size)? Unstage Barrier.* .*Accumulator.*
        .*Session(Handle|HandleV2|Tensor)
        MutexV2 MutexLock ConsumeMutexLock
    """,
    "references to TensorFlow 1 variables, except for reading and assigning": """
        (Sparse)?Apply.* Scatter(Nd)?(Add|Div|Max|Min|Mul|Sub|Update) Ref(Identity|Select)
        CountUpTo
        StridedSliceAssign (Destroy)?TemporaryVariable (Add|Take)?.*Sparse(To|From)TensorsMap
    """,
    "older than the graphs that TensorFlow 2 can read": """
        TensorArray(Close|Concat|Gather|Grad|Pack|Read|Scatter|Size|Split|Unpack|Write)?(V2)?
        TensorArrayGrad(V3|WithShape) RandomCrop
    """,
    "operations for several machines or accelerators": """
        .*TPU.* Xla.* .*Xla(Concat|Split)ND Collective.* Nccl.* (In|Out)feed.*
        Prelinearize(Tuple)?
        AllToAll CrossReplicaSum Send Recv RemoteCall DeviceIndex SyncDevice CheckPinned
        WorkerHeartbeat
        .*SparseCore.* GetMinibatch.* ConvertToCooTensor StoreMinibatchStatisticsInFdo Cudnn.*
        ApproxTopK DistributedSave FileSystemSetConfiguration Abort
    """,
    "Python functions of another process": "(Eager)?PyFunc(Stateless)? SymbolicGradient",
    "summaries and debuggers, for TensorBoard": """
        .*Summar.* ImportEvent Debug(IdentityV?\\d?|GradientRefIdentity|Nan.*|Numeric.*)
    """,
    "forests and linear models of TensorFlow 1's estimators": """
        BoostedTrees.* IsBoostedTrees.* Sdca.*
    """,
    "checkpoints, which model readers parse themselves": """
        Restore(Slice|V2)? Save(Slices|V2)? MergeV2Checkpoints Sharded(Filename|Filespec)
        ImmutableConst
    """,
    "tfpy stores tensors of quantized dtypes, but does not compute with them": """
        Quantized(?!Concat).* Uniform(De|Re)?[qQ]uantize.* Requantiz.* QuantizeDownAndShrinkRange
        QuantizeAndDequantizeV4Grad
    """,
    "their state is three 64-bit integers, but tf.random.Generator has six words": """
        Stateful(RandomBinomial|StandardNormal|StandardNormalV2|TruncatedNormal|Uniform.*) Rng.*
        NonDeterministicInts
    """,
    "strings in protocol buffer and other formats": """
        ParseSequenceExample(V2)? (De|En)codeProto(V2)? UnicodeScript
    """,
    "variant tensors that contain ragged tensors or composites": """
        RaggedTensor(From|To)Variant(Gradient)? CompositeTensorVariant.*
        TensorListPushBackBatch FakeParam
    """,
    "tfpy has no such function": """
        I?R?FFTND SobolSample DecodeJxl
        (Stateless)?ParameterizedTruncatedNormal
    """,
    "gradients that tapes compute automatically": """
        (BlockLSTM|GRUBlockCell|LSTMBlockCell)Grad(V2)?
    """,
    "TensorFlow has kernels for it only on GPUs": """
        GenerateBoundingBoxProposals SparseMatrix(Add|Mul|Softmax|SoftmaxGrad|Zeros)
    """,
    "TensorFlow Decision Forests": "SimpleML.*",
    "a joke in TensorFlow": "Fact",
}
"""Regular expressions of operation names, by the reason why they are not supported."""


def reason(name: str) -> str:
    """Return the reason why an operation is not supported."""
    for text, patterns in ABSENT.items():
        if any(re.fullmatch(pattern, name) for pattern in patterns.split()):
            return text
    return "the name is not known"
