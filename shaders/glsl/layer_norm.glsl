// (x - mean) / sqrt(variance + epsilon) * scale + offset; without CENTER the mean is 0.
V value(int i) {
    int row = i / n;
    vec4 s = statistics_texel(row);
    V y = (x_value(i) - s.y) * inversesqrt(s.z / s.x + intBitsToFloat(epsilon_bits));
#ifdef SCALE_TRUE
    y *= scale_value(i - row * n);
#endif
#ifdef OFFSET_TRUE
    y += offset_value(i - row * n);
#endif
    return y;
}
