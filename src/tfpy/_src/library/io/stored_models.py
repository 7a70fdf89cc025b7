"""The models in the browser's storage."""

from __future__ import annotations

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript import storage


@awaitable("tf.io.list_models_async()")
async def list_models_async() -> list[str]:
    """List the models that this site has saved in the browser's storage.

    Equivalent to `tf.io.listModels` in TensorFlow.js, which has its own storage.

    Returns:
        An awaitable that resolves to the sorted list of their URLs, such as `indexeddb://flowers`.

    Raises:
        tf.errors.PermissionDeniedError: If the browser does not permit the page to store files.
        tf.errors.UnimplementedError: If the program does not run in a browser.

    Example::

        await model.save_async("indexeddb://flowers")
        print(await tf.io.list_models_async())  # ['indexeddb://flowers']

    See also: `tf.io.remove_model_async`, `tf.models.load_async`.
    """
    return await storage.stored_urls()


@awaitable("tf.io.remove_model_async(url)")
async def remove_model_async(url: str) -> None:
    """Remove a model from the browser's storage.

    Equivalent to `tf.io.removeModel` in TensorFlow.js, which has its own storage.

    Args:
        url: URL of the model, such as `indexeddb://flowers`.

    Raises:
        tf.errors.NotFoundError: If this site has not stored the model.
        tf.errors.PermissionDeniedError: If the browser does not permit the page to store files.
        tf.errors.UnimplementedError: If the program does not run in a browser.
        ValueError: If `url` does not begin with `indexeddb://`.

    Example::

        await tf.io.remove_model_async("indexeddb://flowers")

    See also: `tf.io.list_models_async`.
    """
    if not url.startswith(storage.STORED):
        raise ValueError(
            f"remove_model_async: the URL must begin with {storage.STORED!r}, got {url!r}. Remove "
            "a file of Python's file system with tf.io.gfile.remove."
        )
    await storage.remove(url)
