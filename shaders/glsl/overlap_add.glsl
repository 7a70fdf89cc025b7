// Adds windows [batch, out_h, out_w, filter_h, filter_w, channels] at their positions in the image.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    ivec4 place = padded_place(pixel);
    V sum = V(0);
    EACH_OUTPUT(place) {
        sum += x_value((output_pixel(place.x, od, oh, ow) * TAPS + TAP) * channels + c);
    }
    return sum;
}
