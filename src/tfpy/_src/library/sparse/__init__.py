"""Sparse tensors: importing the folder enters what functions under ``tf`` are for them."""

from tfpy._src.library.sparse import dispatch as dispatch
