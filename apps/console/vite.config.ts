import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Addresses are relative, and nothing is inline: the page runs below any path, under a policy that allows own files only. */
export default defineConfig({
  base: "./",
  plugins: [react()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
});
