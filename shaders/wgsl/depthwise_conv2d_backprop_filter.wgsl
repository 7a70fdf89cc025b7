// x, dy -> [chunks, h, w, in_c, multiplier]: each chunk sums over `chunk` output pixels. QUADS (only
// with multiplier 1): channels count texels.
fn value(i: i32) -> V {
    let out_c = p.in_c * p.multiplier;
    let block = i / out_c;
    let oc = i - block * out_c;
    let c = oc / p.multiplier;
    let chunk = block / tap_count();
    let tap = tap_of(block - chunk * tap_count());
    let end = min((chunk + 1) * p.chunk, output_pixels());
    var place = output_place(chunk * p.chunk);
    var sum = V(0);
    for (var pixel = chunk * p.chunk; pixel < end; pixel++) {
        let under = pixel_under(window_of(place), tap);
        if (under >= 0) { sum += x_value(under * p.in_c + c) * dy_value(pixel * out_c + oc); }
        place = next_output(place);
    }
    return sum;
}
