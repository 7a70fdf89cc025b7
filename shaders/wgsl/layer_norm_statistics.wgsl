// For each chunk of a row: the number of elements, their mean, and the sum of squared deviations from it
// (CENTER; otherwise from 0). COMBINE: combines several such texels.
#if COMBINE
fn value(i: i32) -> V {
    let row = i / p.chunks;
    let first = (i - row * p.chunks) * p.chunk;
    let end = min(first + p.chunk, p.n);
    var total = partial_texel(row * p.n + first);
    for (var j = first + 1; j < end; j++) {
        let next = partial_texel(row * p.n + j);
        let count = total.x + next.x;
        let apart = next.y - total.y;
        let share = next.x / count;
        let squares = total.z + next.z + apart * apart * total.x * share;
        total = vec4<f32>(count, total.y + apart * share, squares, 0.0);
    }
    return total;
}
#else
fn sum_of(x: vec4<f32>) -> f32 { return x.x + x.y + x.z + x.w; }

fn value(i: i32) -> V {
    let row = i / p.chunks;
    let first = row * p.n + (i - row * p.chunks) * p.chunk;
    let end = min(first + p.chunk, (row + 1) * p.n);
    let count = f32(end - first);
    var mean = 0.0;
#if CENTER
    var sum = vec4<f32>(0.0);
    for (var t = first >> 2u; t * 4 < end; t++) { sum += masked(x_texel(t), t, first, end, 0.0); }
    mean = sum_of(sum) / count;
#endif
    var squares = vec4<f32>(0.0);
    for (var t = first >> 2u; t * 4 < end; t++) {
        let x = x_texel(t) - mean;
        squares += masked(x * x, t, first, end, 0.0);
    }
    return V(count, mean, sum_of(squares), 0.0);
}
#endif
