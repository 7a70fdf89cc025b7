// g and of each window the tap of its first maximum -> what g has there.
fn value(i: i32) -> V {
    let pixel = i / p.channels;
    let c = i - pixel * p.channels;
    let best = best_at(i);
    if (best < 0) { return V(0); }
    return g_at(pixel_under(window_at(pixel), tap_of(best)) * p.channels + c);
}
