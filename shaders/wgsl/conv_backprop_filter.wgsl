// x, dy -> [chunks, d, h, w, in_c / groups, out_c]: each chunk sums over `chunk` output pixels. QUADS:
// a position is four output channels (out_c counts texels).
fn value(i: i32) -> V {
    let row = i / p.out_c;
    let oc = i - row * p.out_c;
    let group_in = p.in_c / p.groups;
    let block = row / group_in;
    let ic = row - block * group_in + oc / (p.out_c / p.groups) * group_in;
    let chunk = block / tap_count();
    let tap = tap_of(block - chunk * tap_count());
    let end = min((chunk + 1) * p.chunk, output_pixels());
    var place = output_place(chunk * p.chunk);
    var sum = V(0);
    for (var pixel = chunk * p.chunk; pixel < end; pixel++) {
        let under = pixel_under(window_of(place), tap);
        if (under >= 0) { sum += x_at(under * p.in_c + ic) * dy_value(pixel * p.out_c + oc); }
        place = next_output(place);
    }
    return sum;
}
