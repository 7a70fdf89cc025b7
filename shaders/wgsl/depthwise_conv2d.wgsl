// Channel c makes output channels c * multiplier + 0, 1, ... QUADS (only with multiplier 1): channels
// count texels.
fn value(i: i32) -> V {
    let out_c = p.in_c * p.multiplier;
    let pixel = i / out_c;
    let oc = i - pixel * out_c;
    let c = oc / p.multiplier;
    let window = window_at(pixel);
    var sum = V(0);
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let under = pixel_under(window, tap);
        if (under < 0) { continue; }
        sum += x_value(under * p.in_c + c) * filter_value(tap.number * out_c + oc);
    }
    return sum;
}
