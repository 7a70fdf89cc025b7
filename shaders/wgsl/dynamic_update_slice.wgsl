// x, except for a block of `sizes` that begins at the clipped starts: this block is `updates`.
fn value(i: i32) -> V {
    var at = 0;
    var stride = 1;
    var is_inside = true;
    var outer = i;
    for (var d = $RANK - 1; d >= 0; d--) {
        let n = p.dims[d].x;
        let size = p.sizes[d].x;
        let rest = outer / n;
        let place = outer - rest * n - clamp(starts_at(d), 0, n - size);
        is_inside = is_inside && place >= 0 && place < size;
        at += place * stride;
        stride *= size;
        outer = rest;
    }
    if (is_inside) { return updates_value(at); }
    return x_value(i);
}
