"""`tf.data`: datasets and input pipelines. An element is computed when it is needed."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.data.awaited_csv import CSVDataset as CSVDataset, csv as csv, csv_async as csv_async
from tfpy._src.data.dataset import (
    AUTOTUNE as AUTOTUNE,
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY,
    Dataset as Dataset,
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
    WholeFileDataset as WholeFileDataset,
)
from tfpy._src.data.devices import (
    DeviceDataset as DeviceDataset,
    microphone as microphone,
    microphone_async as microphone_async,
    webcam as webcam,
    webcam_async as webcam_async,
)
from tfpy._src.data.iterators import Iterator as Iterator, NumpyIterator as NumpyIterator
from tfpy._src.data.options import Options as Options, ThreadingOptions as ThreadingOptions
from tfpy._src.data.specs import DatasetSpec as DatasetSpec, IteratorSpec as IteratorSpec
from tfpy._src.library.io.streams import (
    FileDataSource as FileDataSource,
    URLDataSource as URLDataSource,
)
from tfpy.data import experimental as experimental
