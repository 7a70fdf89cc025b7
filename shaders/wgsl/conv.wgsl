// Convolution, channels last, with a filter [d, h, w, in_c / groups, out_c]. QUADS: a position is four
// output channels (out_c counts texels). IN_QUADS: input channels are read four at a time.
fn value(i: i32) -> V {
    let pixel = i / p.out_c;
    let oc = i - pixel * p.out_c;
    let window = window_at(pixel);
    let group_in = p.in_c / p.groups;
    let channel = oc / (p.out_c / p.groups) * group_in;
    var sum = V(0);
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let under = pixel_under(window, tap);
        if (under < 0) { continue; }
        let x = under * p.in_c + channel;
        var f = tap.number * group_in * p.out_c + oc;
#if IN_QUADS
        for (var ic = 0; ic < group_in; ic += 4) {
            let four = x_texel((x + ic) >> 2u);
            sum += four.x * filter_value(f) + four.y * filter_value(f + p.out_c) +
                four.z * filter_value(f + 2 * p.out_c) + four.w * filter_value(f + 3 * p.out_c);
            f += 4 * p.out_c;
        }
#else
        for (var ic = 0; ic < group_in; ic++) {
            sum += x_at(x + ic) * filter_value(f);
            f += p.out_c;
        }
#endif
    }
    return sum;
}
