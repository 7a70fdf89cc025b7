// exp(x - maximum) / sum for each row, or with LOGARITHM its logarithm. SHORT: rows are so short that both
// statistics are recomputed for each output.
fn element(x: f32, statistics: vec4<f32>) -> f32 {
#if LOGARITHM
    return x - statistics.x - logarithm(statistics.y);
#else
    return exponential(x - statistics.x) / statistics.y;
#endif
}

fn value(i: i32) -> V {
    let row = i / p.n;
    let x = x_value(i);
#if SHORT
    let statistics = softmax_statistics(row * p.row_length, (row + 1) * p.row_length);
#else
    let statistics = statistics_texel(row);
#endif
#if QUADS
    return V(element(x.x, statistics), element(x.y, statistics), element(x.z, statistics),
             element(x.w, statistics));
#else
    return element(x, statistics);
#endif
}
