// Convolution, channels last, with a filter [d, h, w, in_c / groups, out_c]. QUADS: a position is four
// output channels (out_c counts texels). IN_QUADS: input channels are read four at a time.
V value(int i) {
    int pixel = i / out_c;
    int oc = i - pixel * out_c;
    ivec4 window = window_at(pixel);
    int group_in = in_c / groups;
    int channel = oc / (out_c / groups) * group_in;
    V sum = V(0);
    EACH_INPUT(window) {
        int x = input_pixel(window.x, id, ih, iw) * in_c + channel;
        int f = TAP * group_in * out_c + oc;
#ifdef IN_QUADS
        int t = x >> 2;
        for (int ic = 0; ic < group_in; ic += 4) {
            vec4 four = x_texel(t++);
            sum += four.x * filter_value(f) + four.y * filter_value(f + out_c) +
                   four.z * filter_value(f + 2 * out_c) + four.w * filter_value(f + 3 * out_c);
            f += 4 * out_c;
        }
#else
        for (int ic = 0; ic < group_in; ic++) {
            sum += x_at(x + ic) * filter_value(f);
            f += out_c;
        }
#endif
    }
    return sum;
}
