// dy, filter -> dx. QUADS (only with multiplier 1): channels count texels.
fn value(i: i32) -> V {
    let out_c = p.in_c * p.multiplier;
    let pixel = i / p.in_c;
    let oc = (i - pixel * p.in_c) * p.multiplier;
    let place = padded_place(pixel);
    var sum = V(0);
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let over = pixel_over(place, tap);
        if (over < 0) { continue; }
        let d = over * out_c + oc;
        let f = tap.number * out_c + oc;
        for (var j = 0; j < p.multiplier; j++) { sum += dy_value(d + j) * filter_value(f + j); }
    }
    return sum;
}
