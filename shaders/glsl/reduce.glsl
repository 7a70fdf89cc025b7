// x [outer, n, inner] -> [outer, chunks, inner]: each output combines `chunk` consecutive elements along n,
// four at a time with independent reads. Results of a prologue are combined one at a time, because drivers
// inline every call, and copies of a long expression compile for minutes.
#ifdef CONTIGUOUS
// inner is 1: four partial results from whole texels with masked ends.
T4 part(int t, int first, int end) { return masked(x_texel(t), t, first, end, T(IDENTITY)); }

T value(int i) {
    int row = i / chunks;
    int first = row * n + (i - row * chunks) * chunk;
    int end = min(first + chunk, (row + 1) * n);
    T4 partial = T4(IDENTITY);
#ifdef PROLOGUE
    for (int t = first >> 2; t * 4 < end; t++) partial = combine(partial, part(t, first, end));
#else
    for (int t = first >> 2; t * 4 < end; t += 4) {
        T4 x0 = part(t, first, end), x1 = part(t + 1, first, end);
        T4 x2 = part(t + 2, first, end), x3 = part(t + 3, first, end);
        partial = combine(partial, combine(combine(x0, x1), combine(x2, x3)));
    }
#endif
    return combine(combine(partial.x, partial.y), combine(partial.z, partial.w));
}
#else
V part(int j, int end, int at) {
    V x = x_value(at);
    return j < end ? x : V(IDENTITY);
}

V value(int i) {
    int block = i / inner;
    int row = block / chunks;
    int first = (block - row * chunks) * chunk;
    int end = min(first + chunk, n);
    V result = V(IDENTITY);
    int at = (row * n + first) * inner + i - block * inner;
#ifdef PROLOGUE
    for (int j = first; j < end; j++, at += inner) result = combine(result, part(j, end, at));
#else
    for (int j = first; j < end; j += 4) {
        V x0 = part(j, end, at), x1 = part(j + 1, end, at + inner);
        V x2 = part(j + 2, end, at + 2 * inner), x3 = part(j + 3, end, at + 3 * inner);
        result = combine(result, combine(combine(x0, x1), combine(x2, x3)));
        at += 4 * inner;
    }
#endif
    return result;
}
#endif
