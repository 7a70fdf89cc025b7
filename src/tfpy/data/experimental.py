"""`tf.data.experimental`: CSV files, and transformations for `Dataset.apply`."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.data.csv_batches import make_csv_dataset as make_csv_dataset
from tfpy._src.data.dataset import (
    AUTOTUNE as AUTOTUNE,
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY,
)
from tfpy._src.data.experimental import (
    Counter as Counter,
    CsvDataset as CsvDataset,
    RandomDataset as RandomDataset,
    cardinality as cardinality,
    choose_from_datasets as choose_from_datasets,
    from_list as from_list,
    get_next_as_optional as get_next_as_optional,
    get_single_element as get_single_element,
    get_structure as get_structure,
    load as load,
    sample_from_datasets as sample_from_datasets,
    save as save,
)
from tfpy._src.data.optional import Optional as Optional
from tfpy._src.data.options import (
    AutoShardPolicy as AutoShardPolicy,
    AutotuneAlgorithm as AutotuneAlgorithm,
    AutotuneOptions as AutotuneOptions,
    DistributeOptions as DistributeOptions,
    ExternalStatePolicy as ExternalStatePolicy,
    OptimizationOptions as OptimizationOptions,
    ServiceOptions as ServiceOptions,
    ThreadingOptions as ThreadingOptions,
)
from tfpy._src.data.transformations import (
    assert_cardinality as assert_cardinality,
    bucket_by_sequence_length as bucket_by_sequence_length,
    copy_to_device as copy_to_device,
    dense_to_ragged_batch as dense_to_ragged_batch,
    dense_to_sparse_batch as dense_to_sparse_batch,
    enumerate_dataset as enumerate_dataset,
    group_by_window as group_by_window,
    ignore_errors as ignore_errors,
    map_and_batch as map_and_batch,
    parallel_interleave as parallel_interleave,
    prefetch_to_device as prefetch_to_device,
    rejection_resample as rejection_resample,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    snapshot as snapshot,
    take_while as take_while,
    unbatch as unbatch,
    unique as unique,
)

if _typing.TYPE_CHECKING:
    from tfpy._src.data.databases import (
        DatasetInitializer as DatasetInitializer,
        SqlDataset as SqlDataset,
        from_variant as from_variant,
        to_variant as to_variant,
    )
    from tfpy._src.data.example_batches import (
        make_batched_features_dataset as make_batched_features_dataset,
    )
    from tfpy._src.data.reducing import (
        SHARD_HINT as SHARD_HINT,
        Reducer as Reducer,
        TFRecordWriter as TFRecordWriter,
        at as at,
        group_by_reducer as group_by_reducer,
        index_table_from_dataset as index_table_from_dataset,
        pad_to_cardinality as pad_to_cardinality,
        parse_example_dataset as parse_example_dataset,
        table_from_dataset as table_from_dataset,
    )

_LATER = {
    "DatasetInitializer": "tfpy._src.data.databases",
    "SqlDataset": "tfpy._src.data.databases",
    "from_variant": "tfpy._src.data.databases",
    "to_variant": "tfpy._src.data.databases",
    "make_batched_features_dataset": "tfpy._src.data.example_batches",
    "Reducer": "tfpy._src.data.reducing",
    "SHARD_HINT": "tfpy._src.data.reducing",
    "TFRecordWriter": "tfpy._src.data.reducing",
    "at": "tfpy._src.data.reducing",
    "group_by_reducer": "tfpy._src.data.reducing",
    "index_table_from_dataset": "tfpy._src.data.reducing",
    "pad_to_cardinality": "tfpy._src.data.reducing",
    "parse_example_dataset": "tfpy._src.data.reducing",
    "table_from_dataset": "tfpy._src.data.reducing",
}
