// For each chunk of a row: the number of elements, their mean, and the sum of squared deviations from it
// (CENTER; otherwise from 0). COMBINE: combines several such texels.
#ifdef COMBINE
V value(int i) {
    int row = i / chunks;
    int first = (i - row * chunks) * chunk;
    int end = min(first + chunk, n);
    vec4 total = partial_texel(row * n + first);
    for (int j = first + 1; j < end; j++) {
        vec4 next = partial_texel(row * n + j);
        float count = total.x + next.x;
        float apart = next.y - total.y;
        float share = next.x / count;
        total = vec4(count, total.y + apart * share,
                     total.z + next.z + apart * apart * total.x * share, 0.0);
    }
    return total;
}
#else
float sum_of(vec4 x) { return x.x + x.y + x.z + x.w; }

V value(int i) {
    int row = i / chunks;
    int first = row * n + (i - row * chunks) * chunk;
    int end = min(first + chunk, (row + 1) * n);
    float count = float(end - first), mean = 0.0;
#ifdef CENTER
    vec4 sum = vec4(0.0);
    for (int t = first >> 2; t * 4 < end; t++) {
        sum += mix(vec4(0.0), x_texel(t), inside(t, first, end));
    }
    mean = sum_of(sum) / count;
#endif
    vec4 squares = vec4(0.0);
    for (int t = first >> 2; t * 4 < end; t++) {
        vec4 x = x_texel(t) - mean;
        squares += mix(vec4(0.0), x * x, inside(t, first, end));
    }
    return V(count, mean, sum_of(squares), 0.0);
}
#endif
