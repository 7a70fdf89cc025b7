// Windows [batch, out_h, out_w, filter_h, filter_w, channels] added up where they lie in the image.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int line = pixel / in_w;
    int left = pixel - line * in_w + pad_left;
    int batch = line / in_h;
    int top = line - batch * in_h + pad_top;
    V sum = V(0);
    for (int fh = 0; fh < filter_h; fh++) {
        int y = top - fh * dilation_h;
        int oh = y / stride_h;
        if (y < 0 || oh * stride_h != y || oh >= out_h) continue;
        for (int fw = 0; fw < filter_w; fw++) {
            int x = left - fw * dilation_w;
            int ow = x / stride_w;
            if (x < 0 || ow * stride_w != x || ow >= out_w) continue;
            int window = (batch * out_h + oh) * out_w + ow;
            sum += x_value(((window * filter_h + fh) * filter_w + fw) * channels + c);
        }
    }
    return sum;
}
