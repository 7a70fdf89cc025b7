// g and the tap of each window's first maximum -> the value of g at the maximum.
fn value(i: i32) -> V {
    let pixel = i / p.channels;
    let c = i - pixel * p.channels;
    let best = best_at(i);
    if (best < 0) { return V(0); }
    return g_at(pixel_under(window_at(pixel), tap_of(best)) * p.channels + c);
}
