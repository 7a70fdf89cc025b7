// x [outer, n, inner] -> [outer, chunks, inner]: each output combines `chunk` neighbours along n.
#if defined(KIND_SUM)
#define IDENTITY 0
#define COMBINE(a, b) (a) + (b)
#elif defined(KIND_PROD)
#define IDENTITY 1
#define COMBINE(a, b) (a) * (b)
#elif defined(KIND_MAX) || defined(KIND_ANY)
#define IDENTITY T_LOWEST
#define COMBINE(a, b) maximum(a, b)
#else
#define IDENTITY T_HIGHEST
#define COMBINE(a, b) minimum(a, b)
#endif

#ifdef CONTIGUOUS
// inner is 1: four partial results, taken from whole texels whose ends are masked.
T value(int i) {
    int row = i / chunks;
    int first = row * n + (i - row * chunks) * chunk;
    int end = min(first + chunk, (row + 1) * n);
    T4 partial = T4(IDENTITY);
    for (int t = first >> 2; t * 4 < end; t++) {
        T4 x = x_texel(t);
        ivec4 at = ivec4(t * 4) + ivec4(0, 1, 2, 3);
        partial = COMBINE(partial, T4(
            at.x >= first && at.x < end ? x.x : T(IDENTITY),
            at.y >= first && at.y < end ? x.y : T(IDENTITY),
            at.z >= first && at.z < end ? x.z : T(IDENTITY),
            at.w >= first && at.w < end ? x.w : T(IDENTITY)));
    }
    return COMBINE(COMBINE(partial.x, partial.y), COMBINE(partial.z, partial.w));
}
#else
V value(int i) {
    int block = i / inner;
    int row = block / chunks;
    int first = (block - row * chunks) * chunk;
    int end = min(first + chunk, n);
    V result = V(IDENTITY);
    int at = (row * n + first) * inner + i - block * inner;
    for (int j = first; j < end; j++) {
        result = COMBINE(result, x_value(at));
        at += inner;
    }
    return result;
}
#endif
