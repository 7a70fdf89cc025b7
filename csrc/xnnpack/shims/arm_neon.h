// Some sources that are shared by all targets include this name for their SIMD types.
#include <wasm_simd128.h>
