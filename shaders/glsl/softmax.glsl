// exp(x - largest) / sum of each row, or with LOGARITHM its logarithm.
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

V value(int i) { return element(x_value(i), statistics_texel(i / n)); }
