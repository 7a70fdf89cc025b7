// x, dy -> [chunks, d, h, w, in_c / groups, out_c]: each chunk sums over `chunk` output pixels. QUADS:
// a position is four output channels (out_c counts texels).
V value(int i) {
    int row = i / out_c;
    int oc = i - row * out_c;
    int group_in = in_c / groups;
    int block = row / group_in;
    int ic = row - block * group_in + oc / (out_c / groups) * group_in;
    V sum = V(0);
    EACH_PIXEL_OF_BLOCK(block) {
        sum += x_at(under * in_c + ic) * dy_value(pixel * out_c + oc);
    }
    return sum;
}
