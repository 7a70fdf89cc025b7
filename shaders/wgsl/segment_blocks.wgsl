// rows [n, inner] in the order `order` -> [blocks, inner]: each output combines `block` rows.
fn value(i: i32) -> V {
    let number = i / p.inner;
    let column = i - number * p.inner;
    let first = number * p.block;
    let end = min(first + p.block, p.n);
    var result = V(identity());
    for (var j = first; j < end; j++) {
        result = combine(result, rows_value(order_at(j) * p.inner + column));
    }
    return result;
}
