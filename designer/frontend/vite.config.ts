// Builds into static/designer/, which is committed: names without hashes, so that a rebuild is comparable byte by byte.
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  publicDir: false,
  test: { testTimeout: 300_000 }, // a busy machine is no reason to fail
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"], // those that know light-dark(), as the other pages need it too
    outDir: process.env.DESIGNER_OUT ?? "../../static/designer",
    emptyOutDir: true,
    modulePreload: false,
    reportCompressedSize: true,
    rollupOptions: {
      input: { designer: "src/main.tsx", diagram: "src/diagram.tsx", compare: "src/compare.tsx" },
      preserveEntrySignatures: "allow-extension",
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js", // what the pages share
        assetFileNames: "canvas[extname]",
      },
    },
  },
});
