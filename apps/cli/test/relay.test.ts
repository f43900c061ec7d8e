import { jest } from "@jest/globals";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { password, json, url, sallyport, output, startAndLogIn, stopServer } from "./served-command-line.ts";

jest.setTimeout(60_000);

beforeAll(startAndLogIn);
afterAll(stopServer);

/** Commands whose requests pass a relay, which can answer instead. */
describe("behind a relay", () => {
  let relay: Server;
  /** Runs before a request is passed on; its result is the answer instead. */
  let before: (request: IncomingMessage) => Promise<object | void>;
  const relayed = (line: string) => sallyport(`${line} --profile relayed`);

  beforeAll(async () => {
    before = async () => {};
    relay = createServer(
      (request, response) =>
        void pass(request).then(({ body, etag }) => {
          if (etag !== null) response.setHeader("etag", etag);
          response.end(body);
        }),
    );
    const pass = async (request: IncomingMessage) => {
      const { method = "GET", headers } = request;
      const body = await text(request);
      const instead = await before(request);
      if (instead !== undefined) return { body: JSON.stringify(instead), etag: null };
      const kept = ["appkey", "sessionid", "content-type", "if-match"].flatMap((name) =>
        headers[name] === undefined ? [] : [[name, String(headers[name])] as const],
      );
      const init = { method, headers: Object.fromEntries(kept), ...(body === "" ? {} : { body }) };
      const answer = await fetch(url + request.url, init);
      return { body: await answer.text(), etag: answer.headers.get("etag") };
    };
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
  });
  afterAll(() => relay.close());

  test("a change that someone else makes at the same time is not overwritten", async () => {
    const address = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    await output(`log-in ${address} --user admin --app-key-file key --profile relayed`, `${password}\n`);
    before = async ({ method }) => {
      // Another process, because one command at a time runs in this one.
      if (method === "PATCH")
        expect(await sallyport("app seats demo-seats 9", "", { asProgram: true })).toMatchObject({ code: 0 });
    };
    const { code, stderr } = await relayed("app seats demo-seats 8");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("713 Unable to update") });
    expect(stderr).toContain("Someone else has changed it. Run the command again.");
    expect(await json("app list")).toContainEqual(expect.objectContaining({ name: "demo-seats", seats: 9 }));
  });

  test("without a terminal, a missing proof is a failure that says what to do", async () => {
    before = async ({ method }) =>
      method === "POST" ? { status: { internalStatus: "802", statusMessage: "Recent proof is required" } } : undefined;
    const { code, stderr } = await relayed("key rotate rsa");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^error: 802 [^]*sallyport log-in/) });
  });

  test("what is not the service is unreachable", async () => {
    before = async () => ["something", "else"];
    expect((await relayed("user list")).code).toBe(4);
  });
});
