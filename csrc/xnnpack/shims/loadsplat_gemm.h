// Forced into XNNPACK's gemm-config.c. On x86 the plain SIMD build takes the fast *_loadsplat GEMM
// kernels only where JavaScript reports more than four cores, which it takes for a sign of AVX;
// with fewer, GEMM loses a quarter. AVX is older than WebAssembly SIMD in browsers, so the one
// JavaScript function of that file, hardware_concurrency, is made a C function with an answer that
// is enough.
#include <emscripten.h>
#undef EM_JS
#define EM_JS(type, name, parameters, ...) \
  static inline type name parameters { return 64; }
