"""`tf.feature_column`: descriptions of the features of structured data."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.feature_columns.categorical import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
    categorical_column_with_identity as categorical_column_with_identity,
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
    crossed_column as crossed_column,
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
    weighted_categorical_column as weighted_categorical_column,
)
from tfpy._src.library.feature_columns.dense import (
    bucketized_column as bucketized_column,
    embedding_column as embedding_column,
    indicator_column as indicator_column,
    make_parse_example_spec as make_parse_example_spec,
    numeric_column as numeric_column,
    sequence_numeric_column as sequence_numeric_column,
)
from tfpy._src.library.feature_columns.shared import shared_embeddings as shared_embeddings
