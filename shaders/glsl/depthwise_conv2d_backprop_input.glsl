// dy, filter -> dx. QUADS (only with multiplier 1): channels count texels.
V value(int i) {
    int out_c = in_c * multiplier;
    int pixel = i / in_c;
    int oc = (i - pixel * in_c) * multiplier;
    ivec4 place = padded_place(pixel);
    V sum = V(0);
    EACH_OUTPUT(place) {
        int d = output_pixel(place.x, od, oh, ow) * out_c + oc;
        int f = TAP * out_c + oc;
        for (int j = 0; j < multiplier; j++) sum += dy_value(d + j) * filter_value(f + j);
    }
    return sum;
}
