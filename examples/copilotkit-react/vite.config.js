import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The page talks to its own origin; what goes to the copilot is passed on with the token, which so
// never reaches a browser.
const token = process.env.SEXTANT_TOKEN;
const copilot = {
  target: process.env.SEXTANT_URL ?? "http://127.0.0.1:8787",
  changeOrigin: true,
  headers: token ? { authorization: `Bearer ${token}` } : {},
  configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")),
};

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/copilotkit": copilot } },
  preview: { proxy: { "/copilotkit": copilot } },
  build: { chunkSizeWarningLimit: 4000 },
});
