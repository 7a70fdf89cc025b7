// x -> for each window the number of the tap of its first maximum, in row-major order.
#if QUADS
fn greatest(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> { return maximum4(x, y); }
#else
fn greatest(x: f32, y: f32) -> f32 { return maximum(x, y); }
#endif

fn value(i: i32) -> V {
    let pixel = i / p.channels;
    let c = i - pixel * p.channels;
    let window = window_at(pixel);
    var best = x_value(0);
    var found = V(-1);
    var is_first = true;
    for (var tap = first_tap(); tap.number < tap_count(); tap = next_tap(tap)) {
        let under = pixel_under(window, tap);
        if (under < 0) { continue; }
        let x = x_value(under * p.channels + c);
        if (is_first) {
            best = x;
            found = V(tap.number);
            is_first = false;
        } else {
            found = select(found, V(tap.number), best < x);
            best = greatest(best, x);
        }
    }
    return found;
}
