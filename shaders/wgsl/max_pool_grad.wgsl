// x, dy and each window's maximum (TIES_ALL) or its first position -> dx.
fn value(i: i32) -> V {
    let pixel = i / p.channels;
    let c = i - pixel * p.channels;
    let place = padded_place(pixel);
#if TIES_ALL
    let x = x_value(i);
#endif
    var sum = V(0);
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let over = pixel_over(place, tap);
        if (over < 0) { continue; }
        let at = over * p.channels + c;
#if TIES_ALL
        sum += select(V(0), dy_value(at), x >= best_value(at));
#else
        sum += select(V(0), dy_value(at), V(best_value(at) - tap.number) == V(0));
#endif
    }
    return sum;
}
