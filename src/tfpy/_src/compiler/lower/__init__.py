"""From a Graph to the Program that a device runs.

Every backend does the same first half: ``buffers.py`` assigns buffers to values and finds with
``calls.py`` what each equation asks for, an expression over arrays or a named kernel;
``split_complex.py`` and ``compose.py`` help with complex numbers and with fusions.

The second half, a folder for each backend, makes steps of these calls: ``webgl/`` writes shaders,
``wasm/`` bytecode for expressions. Last, ``donation_plan.py`` and ``memory.py`` save memory. The
result is a Program (``program.py``). ``target.py`` is what passes ask a backend before they give
its kernels more to do.

A further backend, like one of WebGPU, shares all files of this folder. Its own folder has what
``webgl/`` has: a language (of ``render.py``) and its shaders, the steps of each kernel, a target.
"""
