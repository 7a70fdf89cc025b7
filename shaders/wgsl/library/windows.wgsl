// Windows of volumes. An image is a volume of depth 1 with constant sizes, so that compilers remove loops over
// the depth. A pixel is an element of the volume with all its channels. Positions have the axes batch, depth,
// row, column.

fn input_size() -> vec3<i32> {
#if IMAGE
    return vec3<i32>(1, p.in_h, p.in_w);
#else
    return vec3<i32>(p.in_d, p.in_h, p.in_w);
#endif
}

fn output_size() -> vec3<i32> {
#if IMAGE
    return vec3<i32>(1, p.out_h, p.out_w);
#else
    return vec3<i32>(p.out_d, p.out_h, p.out_w);
#endif
}

fn filter_size() -> vec3<i32> {
#if IMAGE
    return vec3<i32>(1, p.filter_h, p.filter_w);
#else
    return vec3<i32>(p.filter_d, p.filter_h, p.filter_w);
#endif
}

fn window_strides() -> vec3<i32> {
#if IMAGE
    return vec3<i32>(1, p.stride_h, p.stride_w);
#else
    return vec3<i32>(p.stride_d, p.stride_h, p.stride_w);
#endif
}

fn window_dilations() -> vec3<i32> {
#if IMAGE
    return vec3<i32>(1, p.dilation_h, p.dilation_w);
#else
    return vec3<i32>(p.dilation_d, p.dilation_h, p.dilation_w);
#endif
}

fn window_padding() -> vec3<i32> {
#if IMAGE
    return vec3<i32>(0, p.pad_top, p.pad_left);
#else
    return vec3<i32>(p.pad_front, p.pad_top, p.pad_left);
#endif
}

// Number of taps of a filter.
fn tap_count() -> i32 {
    let size = filter_size();
    return size.x * size.y * size.z;
}

// Number of pixels of the output.
fn output_pixels() -> i32 {
    let size = output_size();
    return p.batch * size.x * size.y * size.z;
}

// A tap of a filter: its number and its position.
struct Tap {
    number: i32,
    at: vec3<i32>,
}

fn first_tap() -> Tap { return Tap(0, vec3<i32>(0)); }

// Returns the next tap in row-major order.
fn next_tap(tap: Tap) -> Tap {
    let size = filter_size();
    let at = tap.at;
    if (at.z + 1 < size.z) { return Tap(tap.number + 1, vec3<i32>(at.xy, at.z + 1)); }
    if (size.x == 1 || at.y + 1 < size.y) { return Tap(tap.number + 1, vec3<i32>(at.x, at.y + 1, 0)); }
    return Tap(tap.number + 1, vec3<i32>(at.x + 1, 0, 0));
}

fn tap_of(number: i32) -> Tap {
    let size = filter_size();
    let row = number / size.z;
    let plane = row / size.y;
    return Tap(number, vec3<i32>(plane, row - plane * size.y, number - row * size.z));
}

fn place_of(pixel: i32, size: vec3<i32>) -> vec4<i32> {
    let line = pixel / size.z;
    let plane = line / size.y;
    let volume = plane / size.x;
    return vec4<i32>(volume, plane - volume * size.x, line - plane * size.y, pixel - line * size.z);
}

fn pixel_of(volume: i32, at: vec3<i32>, size: vec3<i32>) -> i32 {
    return ((volume * size.x + at.x) * size.y + at.y) * size.z + at.z;
}

fn is_within(at: vec3<i32>, size: vec3<i32>) -> bool {
    return all(at >= vec3<i32>(0)) && all(at < size);
}

fn output_place(pixel: i32) -> vec4<i32> { return place_of(pixel, output_size()); }

fn output_pixel(volume: i32, at: vec3<i32>) -> i32 { return pixel_of(volume, at, output_size()); }

// Returns the position of the first tap of an output position, which may be outside.
fn window_of(place: vec4<i32>) -> vec4<i32> {
    return vec4<i32>(place.x, place.yzw * window_strides() - window_padding());
}

fn window_at(pixel: i32) -> vec4<i32> { return window_of(output_place(pixel)); }

// Returns the input pixel that a tap of a window reads, or -1 outside.
fn pixel_under(window: vec4<i32>, tap: Tap) -> i32 {
    let at = window.yzw + tap.at * window_dilations();
    return select(-1, pixel_of(window.x, at, input_size()), is_within(at, input_size()));
}

// Returns an input position in the windows' coordinates, which start at the first padded element.
fn padded_place(pixel: i32) -> vec4<i32> {
    return place_of(pixel, input_size()) + vec4<i32>(0, window_padding());
}

// Returns the output pixel that reads a padded position with a tap, or -1.
fn pixel_over(place: vec4<i32>, tap: Tap) -> i32 {
    let first = place.yzw - tap.at * window_dilations();
    let at = first / window_strides();
    let is_one = all(first >= vec3<i32>(0)) && all(at * window_strides() == first) && all(at < output_size());
    return select(-1, output_pixel(place.x, at), is_one);
}

// Returns the next output position in row-major order.
fn next_output(place: vec4<i32>) -> vec4<i32> {
    let size = output_size();
    if (place.w + 1 < size.z) { return place + vec4<i32>(0, 0, 0, 1); }
    if (place.z + 1 < size.y) { return vec4<i32>(place.xy, place.z + 1, 0); }
    if (place.y + 1 < size.x) { return vec4<i32>(place.x, place.y + 1, 0, 0); }
    return vec4<i32>(place.x + 1, 0, 0, 0);
}
