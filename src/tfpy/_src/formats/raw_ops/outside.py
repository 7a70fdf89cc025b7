"""The operations of TensorFlow's graphs that act outside of their graph, and those that may.

A program may call them (``tf.raw_ops.WriteFile``). A graph of a file may not: its dialect refuses
them. The table also has operations that tfpy lacks, so that adding one does not open a hole.
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
"""What operations do outside of their graph, and the names of those that do it."""

HARMLESS = {
    "prints to the standard streams": "Print PrintV2",
    "reads the clock": "Timestamp",
}
"""What graphs of files may do outside, and the names of the operations that do it."""

_EFFECTS = {name: effect for effect, names in OUTSIDE.items() for name in names.split()}
_STREAMS = frozenset(("stdout", "stderr", "log(info)", "log(warning)", "log(error)"))


def effect(name: str, attrs: Mapping[str, Any]) -> str | None:
    """Return what an operation does outside of its graph, None for nothing or what is harmless.

    Args:
        name: The operation's name.
        attrs: Its attributes: ``PrintV2`` may print to a file.
    """
    if name == "PrintV2" and attrs.get("output_stream", "stderr") not in _STREAMS:
        return "writes files"
    return _EFFECTS.get(name)
