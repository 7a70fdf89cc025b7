// indices [n, RANK] -> [n]: the row-major position in a tensor of shape `dims`, or -1 outside it.
fn value(i: i32) -> i32 {
    var at = 0;
    var is_inside = true;
    for (var d = 0; d < $RANK; d++) {
        let index = indices_at(i * $RANK + d);
        is_inside = is_inside && index >= 0 && index < p.dims[d].x;
        at = at * p.dims[d].x + index;
    }
    return select(-1, at, is_inside);
}
