// x: scores in rows of n, with each row's maximum and sum of exp(score - maximum) (SHORT: recomputed for
// each output), v -> sums of the rows of v, weighted by the softmax of the scores. `dims` are the output's
// dimensions in memory order, with the strides of rows of scores and of elements of v. QUADS: a position
// is four columns of v. FOURS: n is a multiple of four.
V value(int i) {
    int row = 0, at = 0;
    for (int d = 3; d >= 0; d--) {
        int rest = i / dims[d];
        int place = i - rest * dims[d];
        row += place * row_strides[d];
        at += place * v_strides[d];
        i = rest;
    }
#ifdef SHORT
    vec4 statistics = softmax_statistics(row * n, (row + 1) * n);
#else
    vec4 statistics = statistics_texel(row);
#endif
    V sum = V(0);
#ifdef FOURS
    int t = row * n >> 2;
    for (int j = 0; j < n; j += 4) {
        vec4 x = x_texel(t++) - statistics.x;
        sum += exponential(x.x) * v_value(at) + exponential(x.y) * v_value(at + next) +
               exponential(x.z) * v_value(at + 2 * next) + exponential(x.w) * v_value(at + 3 * next);
        at += 4 * next;
    }
#else
    for (int j = 0; j < n; j++) {
        sum += exponential(x_at(row * n + j) - statistics.x) * v_value(at);
        at += next;
    }
#endif
    return sum / statistics.y;
}
