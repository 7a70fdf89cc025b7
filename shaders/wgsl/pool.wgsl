// Maximum or mean over windows; the mean counts only elements inside.
fn value(i: i32) -> V {
    let pixel = i / p.channels;
    let c = i - pixel * p.channels;
    let window = window_at(pixel);
#if KIND_MAX
    var result = V(T_lowest());
#else
    var result = V(0);
    var count = 0.0;
#endif
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let under = pixel_under(window, tap);
        if (under < 0) { continue; }
        let x = x_value(under * p.channels + c);
#if KIND_MAX
        result = maximum_v(result, x);
#else
        result += x;
        count += 1.0;
#endif
    }
#if KIND_MAX
    return result;
#else
    return result / count;
#endif
}
