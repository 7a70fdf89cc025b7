// x, dy -> [chunks, h, w, in_c, multiplier]: each chunk sums over `chunk` output pixels. QUADS (only
// with multiplier 1): channels count texels.
V value(int i) {
    int out_c = in_c * multiplier;
    int block = i / out_c;
    int oc = i - block * out_c;
    int c = oc / multiplier;
    V sum = V(0);
    EACH_PIXEL_OF_BLOCK(block) {
        sum += x_value(under * in_c + c) * dy_value(pixel * out_c + oc);
    }
    return sum;
}
