// The maximum of each chunk of a row, and the sum of exp(x - maximum).
// COMBINE: combines several such texels.
#if COMBINE
fn combined(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let top = maximum(a.x, b.x);
    if (top == -infinity()) { return vec2<f32>(top, 0.0); }
    return vec2<f32>(top, a.y * exponential(a.x - top) + b.y * exponential(b.x - top));
}

fn value(i: i32) -> V {
    let row = i / p.chunks;
    let first = (i - row * p.chunks) * p.chunk;
    let end = min(first + p.chunk, p.n);
    var result = vec2<f32>(-infinity(), 0.0);
    for (var j = first; j < end; j++) { result = combined(result, partial_texel(row * p.n + j).xy); }
    return V(result, 0.0, 0.0);
}
#else
fn value(i: i32) -> V {
    let row = i / p.chunks;
    let first = row * p.n + (i - row * p.chunks) * p.chunk;
    return softmax_statistics(first, min(first + p.chunk, (row + 1) * p.n));
}
#endif
