// x, dy and each window's maximum (TIES_ALL) or its first position -> dx.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    ivec4 place = padded_place(pixel);
    V x = x_value(i);
    V sum = V(0);
    EACH_OUTPUT(place) {
        int at = output_pixel(place.x, od, oh, ow) * channels + c;
#ifdef TIES_ALL
        V hit = not_less(x, best_value(at));
#else
        V hit = V(1) - min(V(abs(best_value(at) - TAP)), V(1));
#endif
        sum += hit * dy_value(at);
    }
    return sum;
}
