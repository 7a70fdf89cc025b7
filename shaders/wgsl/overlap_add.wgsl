// Adds windows [batch, out_h, out_w, filter_h, filter_w, channels] at their positions in the image.
fn value(i: i32) -> V {
    let pixel = i / p.channels;
    let c = i - pixel * p.channels;
    let place = padded_place(pixel);
    var sum = V(0);
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let over = pixel_over(place, tap);
        if (over < 0) { continue; }
        sum += x_value((over * tap_count() + tap.number) * p.channels + c);
    }
    return sum;
}
