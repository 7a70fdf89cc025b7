// Channel c produces output channels c * multiplier + 0, 1, ... QUADS (only with multiplier 1): channels
// count texels.
V value(int i) {
    int out_c = in_c * multiplier;
    int pixel = i / out_c;
    int oc = i - pixel * out_c;
    int c = oc / multiplier;
    ivec4 window = window_at(pixel);
    V sum = V(0);
    EACH_INPUT(window) {
        sum += x_value(input_pixel(window.x, id, ih, iw) * in_c + c) * filter_value(TAP * out_c + oc);
    }
    return sum;
}
