import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { whyUntestable } from "./deployed-server.ts";

/** What is said of a server that answers everything with this text. */
async function saidOf(text: string): Promise<string | null> {
  const server = createServer((_request, response) => response.end(text)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return (await whyUntestable(url))?.replace(url, "URL") ?? null;
  } finally {
    server.close();
  }
}

const envelope = (internalStatus: string) => JSON.stringify({ status: { internalStatus, statusMessage: "" } });

test.each([
  ["the demo", envelope("200"), null],
  ["the demo, told to be compatible", envelope("204"), null],
  ["a server without the demo", envelope("101"), "The server at URL does not hold the demo: it does not know its app key."],
  ["a server in maintenance", envelope("706"), "The server at URL cannot be used: it answers 200/706."],
  ["a server that wants TLS", envelope("307"), "The server at URL takes credentials over TLS only."],
  ["another service", "<html>", "What answers at URL is not this service."],
  ["another service that speaks JSON", "{}", "What answers at URL is not this service."],
])("%s", async (_title, text, expected) => {
  await expect(saidOf(text)).resolves.toBe(expected);
});

test("nobody", async () => {
  await expect(whyUntestable("http://127.0.0.1:1")).resolves.toMatch(/^No server answers at http:\/\/127\.0\.0\.1:1 \(/);
  await expect(whyUntestable("localhost:8080")).resolves.toMatch(/must be an http or https address/);
});
