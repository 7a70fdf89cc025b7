// x [outer, n, inner] -> [outer, chunks, inner]: each output combines `chunk` consecutive elements along n,
// four at a time with independent reads. Results of a prologue are combined one at a time, because drivers
// inline every call, and copies of a long expression take long to compile.
#if CONTIGUOUS
// inner is 1: four partial results from whole texels with masked ends.
fn part(t: i32, first: i32, end: i32) -> T4 { return masked(x_texel(t), t, first, end, identity()); }

fn value(i: i32) -> T {
    let row = i / p.chunks;
    let first = row * p.n + (i - row * p.chunks) * p.chunk;
    let end = min(first + p.chunk, (row + 1) * p.n);
    var partial = T4(identity());
#if PROLOGUE
    for (var t = first >> 2u; t * 4 < end; t++) { partial = combine4(partial, part(t, first, end)); }
#else
    for (var t = first >> 2u; t * 4 < end; t += 4) {
        let low = combine4(part(t, first, end), part(t + 1, first, end));
        let high = combine4(part(t + 2, first, end), part(t + 3, first, end));
        partial = combine4(partial, combine4(low, high));
    }
#endif
    return combine1(combine1(partial.x, partial.y), combine1(partial.z, partial.w));
}
#else
fn part(j: i32, end: i32, at: i32) -> V { return select(V(identity()), x_value(at), j < end); }

fn value(i: i32) -> V {
    let block = i / p.inner;
    let row = block / p.chunks;
    let first = (block - row * p.chunks) * p.chunk;
    let end = min(first + p.chunk, p.n);
    var result = V(identity());
    var at = (row * p.n + first) * p.inner + i - block * p.inner;
#if PROLOGUE
    for (var j = first; j < end; j++) {
        result = combine(result, part(j, end, at));
        at += p.inner;
    }
#else
    for (var j = first; j < end; j += 4) {
        let low = combine(part(j, end, at), part(j + 1, end, at + p.inner));
        let high = combine(part(j + 2, end, at + 2 * p.inner), part(j + 3, end, at + 3 * p.inner));
        result = combine(result, combine(low, high));
        at += 4 * p.inner;
    }
#endif
    return result;
}
#endif
