// exp(x - maximum) / sum for each row, or with LOGARITHM its logarithm. SHORT: rows are so short that both
// statistics are recomputed for each output.
float element(float x, vec4 statistics) {
#ifdef LOGARITHM
    return x - statistics.x - logarithm(statistics.y);
#else
    return exponential(x - statistics.x) / statistics.y;
#endif
}
vec4 element(vec4 x, vec4 s) {
    return vec4(element(x.x, s), element(x.y, s), element(x.z, s), element(x.w, s));
}

#ifdef SHORT
vec4 statistics_of(int row) { return softmax_statistics(row * row_length, (row + 1) * row_length); }
#else
vec4 statistics_of(int row) { return statistics_texel(row); }
#endif

V value(int i) { return element(x_value(i), statistics_of(i / n)); }
