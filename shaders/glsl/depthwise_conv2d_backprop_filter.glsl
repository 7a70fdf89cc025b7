// x, dy -> [chunks, h, w, in_c, multiplier]: each chunk sums over `chunk` output pixels. QUADS (only
// with multiplier 1): channels count texels.
V value(int i) {
    int out_c = in_c * multiplier;
    int block = i / out_c;
    int oc = i - block * out_c;
    int c = oc / multiplier;
    ivec3 tap = tap_of(block % TAPS);
    int pixel = block / TAPS * chunk;
    int end = min(pixel + chunk, PIXELS);
    ivec4 place = output_place(pixel);
    V sum = V(0);
    for (; pixel < end; pixel++) {
        int p = pixel_under(window_of(place), tap.x, tap.y, tap.z);
        if (p >= 0) sum += x_value(p * in_c + c) * dy_value(pixel * out_c + oc);
        place = next_output(place);
    }
    return sum;
}
