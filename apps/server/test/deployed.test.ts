import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { demoSuite } from "./demo-suite.ts";
import { whyUntestable } from "./deployed-server.ts";

const envelope = (internalStatus: string) => JSON.stringify({ status: { internalStatus, statusMessage: "" } });

/** The verdict on a server that answers the session check with this text, and log-ins at an endpoint with that code. */
async function saidOf(text: string, codes: Readonly<Record<string, string>> = {}): Promise<string | null> {
  const server = createServer(({ url = "" }, response) =>
    response.end(url === "/_CheckSession" ? text : envelope(codes[url] ?? "0")),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return (await whyUntestable(url))?.replace(url, "URL") ?? null;
  } finally {
    server.close();
  }
}

test.each([
  ["the demo", envelope("200"), null],
  ["the demo with compatible codes", envelope("204"), null],
  [
    "a server without the demo",
    envelope("101"),
    "The server at URL does not have the demo: it does not know its app key.",
  ],
  ["a server in maintenance", envelope("706"), "The server at URL cannot be used: it answers 200/706."],
  ["a server that requires TLS", envelope("307"), "The server at URL takes credentials over TLS only."],
  ["another service", "<html>", "What answers at URL is not this service."],
  ["another service that speaks JSON", "{}", "What answers at URL is not this service."],
])("%s", async (_title, text, expected) => {
  await expect(saidOf(text)).resolves.toBe(expected);
});

test.each([
  ["/v1/login", "demo"],
  ["/v1/auth/df", "partner"],
])("a demo in which the password at %s was changed", async (door, name) => {
  const said = `The demo at URL has changed: ${name} cannot log in with the password of the demo. An empty DATA_DIR starts over.`;
  await expect(saidOf(envelope("200"), { [door]: "302" })).resolves.toBe(said);
});

test("an address without a server", async () => {
  await expect(whyUntestable("http://127.0.0.1:1")).resolves.toMatch(
    /^No server responds at http:\/\/127\.0\.0\.1:1 \(/,
  );
  await expect(whyUntestable("localhost:8080")).resolves.toMatch(/must be an http or https address/);
});

const url = process.env["BASE_URL"]?.replace(/\/$/, "") || undefined;

if (url === undefined) {
  test("without BASE_URL there is no deployed server to test", () => expect(url).toBeUndefined());
} else {
  // Checked once: three hundred failures would say no more than one.
  const reason = await whyUntestable(url);
  if (reason === null) {
    describe(`the server at ${url}`, () => {
      demoSuite(() => ({ url }));
    });
  } else test("the deployed server can be tested", () => expect(reason).toBeNull());
}
