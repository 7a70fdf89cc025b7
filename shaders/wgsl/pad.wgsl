// Padding with a constant at the edges (lo < 0 crops) and with `interior` elements in between.
fn value(i: i32) -> V {
    var at = 0;
    var stride = 1;
    var is_inside = true;
    var outer = i;
    for (var d = $RANK - 1; d >= 0; d--) {
        let rest = outer / p.out_dims[d].x;
        let place = outer - rest * p.out_dims[d].x - p.lo[d].x;
        let step = p.interior[d].x + 1;
        let source = place / step;
        is_inside = is_inside && place >= 0 && source * step == place && source < p.in_dims[d].x;
        at += source * stride;
        stride *= p.in_dims[d].x;
        outer = rest;
    }
    if (is_inside) { return x_value(at); }
    return V(T_from_bits(p.value_bits));
}
