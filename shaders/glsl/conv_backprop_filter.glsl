// x, dy -> [chunks, d, h, w, in_c / groups, out_c]: each chunk sums over `chunk` output pixels. QUADS:
// a position is four output channels (out_c counts texels).
V value(int i) {
    int row = i / out_c;
    int oc = i - row * out_c;
    int group_in = in_c / groups;
    int block = row / group_in;
    int ic = row - block * group_in + oc / (out_c / groups) * group_in;
    ivec3 tap = tap_of(block % TAPS);
    int pixel = block / TAPS * chunk;
    int end = min(pixel + chunk, PIXELS);
    ivec4 place = output_place(pixel);
    V sum = V(0);
    for (; pixel < end; pixel++) {
        int p = pixel_under(window_of(place), tap.x, tap.y, tap.z);
        if (p >= 0) sum += x_at(p * in_c + ic) * dy_value(pixel * out_c + oc);
        place = next_output(place);
    }
    return sum;
}
