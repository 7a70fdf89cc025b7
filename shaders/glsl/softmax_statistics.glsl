// The largest element of each chunk of a row, and the sum of exp(x - largest).
// COMBINE: of several such texels.
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
vec4 masked(int t, int first, int end) {
    vec4 x = x_texel(t);
    ivec4 at = ivec4(t * 4) + ivec4(0, 1, 2, 3);
    return vec4(at.x >= first && at.x < end ? x.x : -infinity(),
                at.y >= first && at.y < end ? x.y : -infinity(),
                at.z >= first && at.z < end ? x.z : -infinity(),
                at.w >= first && at.w < end ? x.w : -infinity());
}

V value(int i) {
    int row = i / chunks;
    int first = row * n + (i - row * chunks) * chunk;
    int end = min(first + chunk, (row + 1) * n);
    vec4 most = vec4(-infinity());
    for (int t = first >> 2; t * 4 < end; t++) most = maximum(most, masked(t, first, end));
    float top = maximum(maximum(most.x, most.y), maximum(most.z, most.w));
    if (top == -infinity()) return V(top, 0.0, 0.0, 0.0);
    vec4 sum = vec4(0.0);
    for (int t = first >> 2; t * 4 < end; t++) {
        vec4 x = masked(t, first, end) - top;
        sum += vec4(exponential(x.x), exponential(x.y), exponential(x.z), exponential(x.w));
    }
    return V(top, sum.x + sum.y + sum.z + sum.w, 0.0, 0.0);
}
#endif
