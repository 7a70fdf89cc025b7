"""The TensorFlow operations that act outside of their graph, and those that graphs may use.

A program may call all of them, e.g. `tf.raw_ops.WriteFile`. A dialect rejects them in graphs of
files. The table includes operations that tfpy does not support, so that adding one does not create
a security hole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OUTSIDE = {
    "reads files": """
        ReadFile MatchingFiles ImmutableConst Restore RestoreSlice RestoreV2
        InitializeTableFromTextFile InitializeTableFromTextFileV2
        GenerateVocabRemapping LoadAndRemapMatrix FixedUnigramCandidateSampler RecordInput
        DecodeProtoV2 EncodeProto SimpleMLLoadModelFromPathWithHandle
        FixedLengthRecordReader FixedLengthRecordReaderV2 LMDBReader TFRecordReader
        TFRecordReaderV2 TextLineReader TextLineReaderV2 WholeFileReader WholeFileReaderV2
        ReaderRead ReaderReadV2 ReaderReadUpTo ReaderReadUpToV2
        CSVDataset CSVDatasetV2 ExperimentalCSVDataset FixedLengthRecordDataset
        FixedLengthRecordDatasetV2 TFRecordDataset TFRecordDatasetV2 TextLineDataset
        LMDBDataset ExperimentalLMDBDataset SqlDataset ExperimentalSqlDataset
        MatchingFilesDataset ExperimentalMatchingFilesDataset LoadDataset
        ListSnapshotChunksDataset SnapshotChunkDataset SnapshotDatasetReader
        SnapshotNestedDatasetReader
    """,
    "writes files": """
        WriteFile Save SaveSlices SaveV2 MergeV2Checkpoints DistributedSave
        CacheDataset CacheDatasetV2 SnapshotDataset SnapshotDatasetV2 SaveDataset SaveDatasetV2
        DatasetToTFRecord ExperimentalDatasetToTFRecord
        CreateSummaryDbWriter CreateSummaryFileWriter FlushSummaryWriter CloseSummaryWriter
        ImportEvent StatsAggregatorSetSummaryWriter WriteAudioSummary WriteGraphSummary
        WriteHistogramSummary WriteImageSummary WriteRawProtoSummary WriteScalarSummary
        WriteSummary
        DebugIdentity DebugIdentityV2 DebugIdentityV3 DebugNanCount DebugNumericSummary
    """,
    "calls Python functions of the program": "PyFunc PyFuncStateless EagerPyFunc",
    "ends the process": "Abort",
    "reaches other machines": """
        DataServiceDataset DataServiceDatasetV2 DataServiceDatasetV3 DataServiceDatasetV4
        RegisterDataset RegisterDatasetV2 RemoteCall Send Recv WorkerHeartbeat
        FileSystemSetConfiguration ConfigureDistributedTPU ShutdownDistributedTPU
        CollectiveAllToAllV2 CollectiveAllToAllV3 CollectiveAssignGroupV2 CollectiveBcastRecv
        CollectiveBcastRecvV2 CollectiveBcastSend CollectiveBcastSendV2 CollectiveGather
        CollectiveGatherV2 CollectiveInitializeCommunicator CollectivePermute CollectiveReduce
        CollectiveReduceScatterV2 CollectiveReduceV2 CollectiveReduceV3
        NcclAllReduce NcclBroadcast NcclReduce
    """,
}
"""Names of operations by their external effect."""

HARMLESS = {
    "prints to the standard streams": "Print PrintV2",
    "reads the clock": "Timestamp",
}
"""Names of operations with external effects that graphs of files may use."""

_EFFECTS = {name: effect for effect, names in OUTSIDE.items() for name in names.split()}
_STREAMS = frozenset(("stdout", "stderr", "log(info)", "log(warning)", "log(error)"))


def effect(name: str, attrs: Mapping[str, Any]) -> str | None:
    """Return the external effect of an operation, None if it has none or a harmless one.

    Args:
        name: Name of the operation.
        attrs: Attributes of the node: `PrintV2` may print to a file.
    """
    if name == "PrintV2" and attrs.get("output_stream", "stderr") not in _STREAMS:
        return "writes files"
    return _EFFECTS.get(name)
