// Transpose, slice, reverse, broadcast: out[index] = x[offset + sum(index * strides)].
fn value(i: i32) -> V {
    var at = p.offset;
    var outer = i;
    for (var d = $RANK - 1; d > 0; d--) {
        let rest = outer / p.dims[d].x;
        at += (outer - rest * p.dims[d].x) * p.strides[d].x;
        outer = rest;
    }
    return x_value(at + outer * p.strides[0].x);
}
