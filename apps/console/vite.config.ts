import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const { resolve } = createRequire(import.meta.url);

/** The decoder of JPEG 2000 images in PDFs, which the library loads by its name. That in WebAssembly would need a wider policy. */
const pdfDecoder: Plugin = {
  name: "pdf-decoder",
  generateBundle() {
    const name = "openjpeg_nowasm_fallback.js";
    const source = readFileSync(resolve(`pdfjs-dist/wasm/${name}`));
    this.emitFile({ type: "asset", fileName: `assets/pdf/${name}`, source });
  },
};

/** Addresses are relative, and nothing is inline: the page runs below any path, under a policy that allows own files only. */
export default defineConfig({
  base: "./",
  plugins: [react(), pdfDecoder],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
});
