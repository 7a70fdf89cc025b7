// The maximum of each chunk of a row, and the sum of exp(x - maximum).
// COMBINE: combines several such texels.
vec2 combined(vec2 a, float largest, float sum) {
    float top = maximum(a.x, largest);
    if (top == -infinity()) return vec2(top, 0.0);
    return vec2(top, a.y * exponential(a.x - top) + sum * exponential(largest - top));
}

#ifdef COMBINE
V value(int i) {
    int row = i / chunks;
    int first = (i - row * chunks) * chunk;
    int end = min(first + chunk, n);
    vec2 result = vec2(-infinity(), 0.0);
    for (int j = first; j < end; j++) {
        vec4 next = partial_texel(row * n + j);
        result = combined(result, next.x, next.y);
    }
    return V(result, 0.0, 0.0);
}
#else
V value(int i) {
    int row = i / chunks;
    int first = row * n + (i - row * chunks) * chunk;
    return softmax_statistics(first, min(first + chunk, (row + 1) * n));
}
#endif
