// x [outer, n, inner] -> the position along n of the first extremum, [outer, chunks, inner].
// With CANDIDATES the positions to compare are read from [outer, candidate_count, inner].
// NaN is worse than every number.
fn is_better(a: x_type, b: x_type) -> bool {
#if KIND_MAX
    return a > b;
#else
    return a < b;
#endif
}

fn number_or_worst(x: x_type) -> x_type {
#if KIND_MAX
    let worst = -infinity();
#else
    let worst = infinity();
#endif
    if (is_nan(f32(x))) { return x_type(worst); }
    return x;
}

fn value(i: i32) -> i32 {
    let block = i / p.inner;
    let column = i - block * p.inner;
    let row = block / p.chunks;
    let first = (block - row * p.chunks) * p.chunk;
    let base = row * p.n * p.inner + column;
#if CANDIDATES
    let end = min(first + p.chunk, p.candidate_count);
    let candidates = row * p.candidate_count * p.inner + column;
    var best = candidates_at(candidates + first * p.inner);
#else
    let end = min(first + p.chunk, p.n);
    var best = first;
#endif
    var extreme = number_or_worst(x_at(base + best * p.inner));
    for (var j = first + 1; j < end; j++) {
#if CANDIDATES
        let position = candidates_at(candidates + j * p.inner);
#else
        let position = j;
#endif
        let x = x_at(base + position * p.inner);
        if (is_better(x, extreme)) {
            extreme = x;
            best = position;
        }
    }
    return best;
}
