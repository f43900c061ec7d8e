import { spawn } from "node:child_process";
import { once } from "node:events";
import { startTestService } from "@sallyport/testing";

// A service with the content of the demo on the adapter.
const service = await startTestService({
  storage: { module: new URL("adapter.js", import.meta.url).pathname },
  databases: { "": "demo", second: "demo" },
  listen: true,
});
const options = process.argv.length > 2 ? process.argv.slice(2) : ["--mode", "session"];
const command = spawn("npx", ["sallyport-acceptance", service.url, ...options], { stdio: "inherit" });
const [code] = await once(command, "exit");
await service.close();
// A signal that ends the command leaves no code.
process.exitCode = code ?? 1;
