// x, dy -> [chunks, filter_d, filter_h, filter_w, in_c, out_c]: each chunk sums over `chunk` output
// pixels. QUADS: a position is four output channels (out_c counts texels).
V value(int i) {
    int block = i / out_c;
    int oc = i - block * out_c;
    int ic = block % in_c;
    block /= in_c;
    int fw = block % filter_w;
    block /= filter_w;
    int fh = block % filter_h;
    block /= filter_h;
    int fd = block % filter_d;
    int pixel = block / filter_d * chunk;
    int end = min(pixel + chunk, batch * out_d * out_h * out_w);
    V sum = V(0);
    for (; pixel < end; pixel++) {
        int line = pixel / out_w;
        int plane = line / out_h;
        int image = plane / out_d;
        int id = (plane - image * out_d) * stride_d - pad_front + fd * dilation_d;
        int ih = (line - plane * out_h) * stride_h - pad_top + fh * dilation_h;
        int iw = (pixel - line * out_w) * stride_w - pad_left + fw * dilation_w;
        if (id < 0 || id >= in_d || ih < 0 || ih >= in_h || iw < 0 || iw >= in_w) continue;
        int at = (((image * in_d + id) * in_h + ih) * in_w + iw) * in_c + ic;
        sum += x_at(at) * dy_value(pixel * out_c + oc);
    }
    return sum;
}
