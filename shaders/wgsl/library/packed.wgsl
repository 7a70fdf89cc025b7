// Products of packed bytes (see pack_bytes.wgsl): the conversion of their sums, for four channels, with the last
// texels of their parts.
struct Channels {
    scales: vec4<f32>,
    sums: vec4<i32>,
}

fn channels_at(column: i32, tap: i32) -> Channels {
    var scales: vec4<f32>;
    var sums: vec4<i32>;
    for (var j = 0; j < 4; j++) {
        let header = filter_texel(((column + j) * p.taps + tap + 1) * (p.texels + 1) - 1);
        scales[j] = bitcast<f32>(header.x);
        sums[j] = header.z;
    }
    return Channels(scales, sums);
}

// Returns the sums for a pixel with its scale and zero point, and four channels.
fn scaled_sum(sum: vec4<i32>, pixel: vec2<i32>, channel_sums: vec4<i32>) -> vec4<f32> {
    return vec4<f32>(sum - pixel.y * channel_sums) * bitcast<f32>(pixel.x);
}
