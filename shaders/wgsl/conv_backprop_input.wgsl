// dy, filter -> dx. OUT_QUADS: output channels are read four at a time; QUADS (only with OUT_QUADS):
// a position is four input channels.
fn value(i: i32) -> V {
#if QUADS
    let element = 4 * i;
#else
    let element = i;
#endif
    let pixel = element / p.in_c;
    let ic = element - pixel * p.in_c;
    let place = padded_place(pixel);
    let group_in = p.in_c / p.groups;
    let group_out = p.out_c / p.groups;
    let group = ic / group_in;
    var sum = V(0);
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let over = pixel_over(place, tap);
        if (over < 0) { continue; }
        var d = over * p.out_c + group * group_out;
        var f = (tap.number * group_in + ic - group * group_in) * p.out_c + group * group_out;
#if OUT_QUADS
        d >>= 2u;
        f >>= 2u;
        for (var oc = 0; oc < group_out; oc += 4) {
            let y = dy_texel(d);
#if QUADS
            let next = p.out_c >> 2u;
            sum += V(dot(y, filter_texel(f)), dot(y, filter_texel(f + next)),
                     dot(y, filter_texel(f + 2 * next)), dot(y, filter_texel(f + 3 * next)));
#else
            sum += dot(y, filter_texel(f));
#endif
            d += 1;
            f += 1;
        }
#else
        for (var oc = 0; oc < group_out; oc++) { sum += dy_at(d + oc) * filter_at(f + oc); }
#endif
    }
    return sum;
}
