// dy -> dx: each window distributes its gradient evenly over its elements inside.
fn count_inside(window: vec4<i32>) -> i32 {
    var count = 0;
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        count += select(0, 1, pixel_under(window, tap) >= 0);
    }
    return count;
}

fn value(i: i32) -> V {
    let pixel = i / p.channels;
    let c = i - pixel * p.channels;
    let place = padded_place(pixel);
    var sum = V(0);
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let over = pixel_over(place, tap);
        if (over < 0) { continue; }
        sum += dy_value(over * p.channels + c) / f32(count_inside(window_at(over)));
    }
    return sum;
}
