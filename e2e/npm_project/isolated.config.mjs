import tfpy from "tfpy-web/vite";

export default { plugins: [tfpy({ isolated: true })] };
