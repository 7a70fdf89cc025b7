// (x - mean) / sqrt(variance + epsilon) * scale + offset; without CENTER the mean is 0.
fn value(i: i32) -> V {
    let row = i / p.n;
    let s = statistics_texel(row);
    var y = (x_value(i) - s.y) * inverseSqrt(s.z / s.x + bitcast<f32>(p.epsilon_bits));
#if SCALE_TRUE
    y *= scale_value(i - row * p.n);
#endif
#if OFFSET_TRUE
    y += offset_value(i - row * p.n);
#endif
    return y;
}
