"""Functions on sparse tensors. Importing this package registers the ones of `tf` in `dispatch`."""

from tfpy._src.library.sparse import dispatch as dispatch
