// Combines each segment's rows, which are consecutive in the order `order`, from bounds[segment] on. The
// combinations of whole blocks are in `blocks`. ONTO: x is combined with the result.
#if KIND_LAST
fn value(i: i32) -> V {
    let segment = i / p.inner;
    let end = bounds_at(segment + 1);
    if (bounds_at(segment) == end) { return x_value(i); }
    return rows_value(order_at(end - 1) * p.inner + i - segment * p.inner);
}
#else
fn run(before: V, first: i32, end: i32, column: i32) -> V {
    var result = before;
    for (var j = first; j < end; j++) {
        result = combine(result, rows_value(order_at(j) * p.inner + column));
    }
    return result;
}

fn value(i: i32) -> V {
    let segment = i / p.inner;
    let column = i - segment * p.inner;
    let first = bounds_at(segment);
    let end = bounds_at(segment + 1);
    let first_block = (first + p.block - 1) / p.block;
    let end_block = end / p.block;
#if ONTO
    var result = x_value(i);
#else
    var result = V(identity());
#endif
    if (first_block >= end_block) { return run(result, first, end, column); }
    result = run(result, first, first_block * p.block, column);
    for (var j = first_block; j < end_block; j++) {
        result = combine(result, blocks_value(j * p.inner + column));
    }
    return run(result, end_block * p.block, end, column);
}
#endif
