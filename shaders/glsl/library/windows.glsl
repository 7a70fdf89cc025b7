// Windows of volumes. An image is a volume of depth 1 with constant sizes, so that compilers remove its loop
// over the depth. A pixel is an element of the volume with all its channels.

#ifdef IMAGE
#define in_d 1
#define out_d 1
#define filter_d 1
#define stride_d 1
#define dilation_d 1
#define pad_front 0
#endif

// The number of the loops' current tap, and the number of taps.
#define TAP ((fd * filter_h + fh) * filter_w + fw)

#define TAPS (filter_d * filter_h * filter_w)

// Number of pixels of the output.
#define PIXELS (batch * out_d * out_h * out_w)

ivec3 tap_of(int tap) {
    int row = tap / filter_w, plane = row / filter_h;
    return ivec3(plane, row - plane * filter_h, tap - row * filter_w);
}

// Returns the volume's number in the batch, and the position in the volume.
ivec4 output_place(int pixel) {
    int line = pixel / out_w, plane = line / out_h, volume = plane / out_d;
    return ivec4(volume, plane - volume * out_d, line - plane * out_h, pixel - line * out_w);
}

ivec4 input_place(int pixel) {
    int line = pixel / in_w, plane = line / in_h, volume = plane / in_d;
    return ivec4(volume, plane - volume * in_d, line - plane * in_h, pixel - line * in_w);
}

int output_pixel(int volume, int od, int oh, int ow) {
    return ((volume * out_d + od) * out_h + oh) * out_w + ow;
}

int input_pixel(int volume, int id, int ih, int iw) {
    return ((volume * in_d + id) * in_h + ih) * in_w + iw;
}

// Returns the position of the first tap of an output position, which may be outside.
ivec4 window_of(ivec4 place) {
    return place * ivec4(1, stride_d, stride_h, stride_w) - ivec4(0, pad_front, pad_top, pad_left);
}

ivec4 window_at(int pixel) { return window_of(output_place(pixel)); }

int within(int place, int limit) { return place >= 0 && place < limit ? place : -1; }

// Returns the input pixel that a tap of a window reads, or -1 outside.
int pixel_under(ivec4 window, int fd, int fh, int fw) {
    int id = within(window.y + fd * dilation_d, in_d);
    int ih = within(window.z + fh * dilation_h, in_h), iw = within(window.w + fw * dilation_w, in_w);
    return min(min(id, ih), iw) < 0 ? -1 : input_pixel(window.x, id, ih, iw);
}

#define EACH_TAP \
    for (int fd = 0; fd < filter_d; fd++) \
        for (int fh = 0; fh < filter_h; fh++) \
            for (int fw = 0; fw < filter_w; fw++)

// Loops over the taps of a window that are inside, at id, ih, iw.
#define EACH_INPUT(window) \
    for (int fd = 0, id; fd < filter_d; fd++) \
        if ((id = within(window.y + fd * dilation_d, in_d)) >= 0) \
            for (int fh = 0, ih; fh < filter_h; fh++) \
                if ((ih = within(window.z + fh * dilation_h, in_h)) >= 0) \
                    for (int fw = 0, iw; fw < filter_w; fw++) \
                        if ((iw = within(window.w + fw * dilation_w, in_w)) >= 0)

// Returns an input position in the windows' coordinates, which start at the first padded element.
ivec4 padded_place(int pixel) { return input_place(pixel) + ivec4(0, pad_front, pad_top, pad_left); }

// Returns for one axis the output that reads a padded position with a tap, or -1.
int output_over(int place, int tap, int dilation, int stride, int limit) {
    int first = place - tap * dilation, result = first / stride;
    return first >= 0 && result * stride == first && result < limit ? result : -1;
}

// Returns the output pixel that reads a padded position with a tap, or -1.
int pixel_over(ivec4 place, int fd, int fh, int fw) {
    int od = output_over(place.y, fd, dilation_d, stride_d, out_d);
    int oh = output_over(place.z, fh, dilation_h, stride_h, out_h);
    int ow = output_over(place.w, fw, dilation_w, stride_w, out_w);
    return min(min(od, oh), ow) < 0 ? -1 : output_pixel(place.x, od, oh, ow);
}

// Loops over the taps that read a padded position, and their outputs od, oh, ow.
#define EACH_OUTPUT(place) \
    for (int fd = 0, od; fd < filter_d; fd++) \
        if ((od = output_over(place.y, fd, dilation_d, stride_d, out_d)) >= 0) \
            for (int fh = 0, oh; fh < filter_h; fh++) \
                if ((oh = output_over(place.z, fh, dilation_h, stride_h, out_h)) >= 0) \
                    for (int fw = 0, ow; fw < filter_w; fw++) \
                        if ((ow = output_over(place.w, fw, dilation_w, stride_w, out_w)) >= 0)

// Returns the next output position in row-major order.
ivec4 next_output(ivec4 place) {
    if (++place.w < out_w) return place;
    if (++place.z < out_h) return ivec4(place.xyz, 0);
    return ++place.y < out_d ? ivec4(place.xy, 0, 0) : ivec4(place.x + 1, 0, 0, 0);
}

// Loops over the chunk of output pixels for which a block's tap is inside; the tap reads the input pixel
// `under`. Blocks count the taps, then the chunks.
#define EACH_PIXEL_OF_BLOCK(block) \
    ivec3 tap = tap_of(block % TAPS); \
    int pixel = block / TAPS * chunk, end = min(pixel + chunk, PIXELS), under; \
    for (ivec4 place = output_place(pixel); pixel < end; pixel++, place = next_output(place)) \
        if ((under = pixel_under(window_of(place), tap.x, tap.y, tap.z)) >= 0)
