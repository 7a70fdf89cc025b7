// x [outer, n, inner] -> [outer, chunks, inner]: each output combines `chunk` neighbours along n.
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
        partial = combine(partial, T4(
            at.x >= first && at.x < end ? x.x : T(IDENTITY),
            at.y >= first && at.y < end ? x.y : T(IDENTITY),
            at.z >= first && at.z < end ? x.z : T(IDENTITY),
            at.w >= first && at.w < end ? x.w : T(IDENTITY)));
    }
    return combine(combine(partial.x, partial.y), combine(partial.z, partial.w));
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
        result = combine(result, x_value(at));
        at += inner;
    }
    return result;
}
#endif
