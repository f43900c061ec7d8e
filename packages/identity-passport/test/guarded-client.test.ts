import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { GuardedClient } from "../src/guarded-client.ts";
import type { Resolve } from "../src/public-address.ts";

/** Requests to providers. */
describe("guarded client", () => {
  const seconds = (count: number) => AbortSignal.timeout(count * 1_000);

  /** A server on a loopback address that counts connections. */
  async function listening(answer: (path: string) => string | null) {
    const seen = { connections: 0, open: 0, most: 0 };
    const server: Server = createServer((request, response) => {
      const body = answer(request.url ?? "");
      if (body !== null) response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
    server.on("connection", (socket) => {
      seen.connections += 1;
      seen.open += 1;
      seen.most = Math.max(seen.most, seen.open);
      socket.on("close", () => (seen.open -= 1));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    return { port, url: `http://127.0.0.1:${port}`, seen, close };
  }

  const resolveTo =
    (...addresses: readonly string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

  const clientWith = (options: Partial<ConstructorParameters<typeof GuardedClient>[0]> = {}) =>
    new GuardedClient({
      fakeProviders: null,
      allowPrivateAddresses: false,
      resolve: resolveTo("127.0.0.1"),
      ...options,
    });

  const get = (client: GuardedClient, url: string, signal = seconds(5)) => client.get(url, signal);

  describe("private addresses", () => {
    test.each([
      "https://127.0.0.1",
      "https://127.1",
      "https://0x7f000001",
      "https://2130706433",
      "https://0177.0.0.1",
      "https://169.254.169.254",
      "https://10.0.0.1",
      "https://0.0.0.0",
      "https://[::1]",
      "https://[::ffff:127.0.0.1]",
      "https://[::ffff:7f00:1]",
      "https://[fe80::1]",
      "https://[fd00::1]",
      "https://[64:ff9b::7f00:1]",
    ])("are not connected to when written as %s", async (base) => {
      const server = await listening(() => "{}");
      await expect(get(clientWith(), `${base}:${server.port}/`)).rejects.toMatchObject({
        code: 706,
        detail: expect.stringContaining("is not public"),
      });
      expect(server.seen.connections).toBe(0);
      server.close();
    });

    test.each([
      [["127.0.0.1"]],
      [["1.1.1.1", "127.0.0.1"]],
      [["2606:4700::1", "::1"]],
      [["169.254.169.254"]],
      [["::ffff:127.0.0.1"]],
      [[]],
    ])("are not connected to behind a name: %j", async (addresses) => {
      const server = await listening(() => "{}");
      const client = clientWith({ resolve: resolveTo(...addresses) });
      await expect(get(client, `https://provider.example:${server.port}/`)).rejects.toMatchObject({
        code: 706,
        detail: expect.stringContaining("is not public"),
      });
      expect(server.seen.connections).toBe(0);
      server.close();
    });

    test("are not connected to by names in every system's hosts file", async () => {
      const server = await listening(() => "{}");
      const { resolveBySystem } = await import("../src/public-address.ts");
      await expect(
        get(clientWith({ resolve: resolveBySystem }), `https://localhost:${server.port}/`),
      ).rejects.toMatchObject({ code: 706 });
      expect(server.seen.connections).toBe(0);
      server.close();
    });

    test("are checked at the connection: a name is looked up once for it", async () => {
      const server = await listening(() => "{}");
      const answers = [["127.0.0.1"], ["1.1.1.1"]];
      let lookups = 0;
      const client = clientWith({
        fakeProviders: `http://provider.example:${server.port}`,
        resolve: async () => resolveTo(...(answers[lookups++] ?? []))(""),
      });
      expect(await get(client, `http://provider.example:${server.port}/`)).toMatchObject({ status: 200 });
      expect(lookups).toBe(1);
      server.close();
    });

    test("are connected to when the configuration allows it, and the certificate is still checked", async () => {
      const server = await listening(() => "{}");
      // The server speaks no TLS: the connection is made, and ends there.
      await expect(
        get(clientWith({ allowPrivateAddresses: true }), `https://provider.example:${server.port}/`),
      ).rejects.toMatchObject({ code: 706, detail: expect.stringContaining("cannot be reached") });
      expect(server.seen.connections).toBe(1);
      server.close();
    });
  });

  test("plain HTTP is allowed for the fake provider on a loopback address only", async () => {
    const fakeProviders = await listening(() => "{}");
    const other = await listening(() => "{}");
    const client = clientWith({ fakeProviders: `${fakeProviders.url}/base` });
    expect(await get(client, `${fakeProviders.url}/x`)).toMatchObject({ status: 200, json: {} });
    for (const url of [
      `${other.url}/x`,
      `http://provider.example:${fakeProviders.port}/`,
      `http://127.0.0.2:${fakeProviders.port}/`,
      "ftp://127.0.0.1/",
      "file:///etc/passwd",
    ]) {
      await expect(get(client, url)).rejects.toMatchObject({
        code: 324,
        detail: "The URL of the provider is not HTTPS.",
      });
    }
    const outside = clientWith({ fakeProviders: "http://provider.example", resolve: resolveTo("1.1.1.1") });
    await expect(get(outside, "http://provider.example/")).rejects.toMatchObject({ code: 706 });
    expect(other.seen.connections).toBe(0);
    fakeProviders.close();
    other.close();
  });

  test("connections are reused, and their number is limited", async () => {
    const server = await listening(() => '{"a":1}');
    const client = clientWith({ fakeProviders: server.url });
    for (let i = 0; i < 20; i += 1) await get(client, server.url);
    expect(server.seen.connections).toBe(1);
    await Promise.all(Array.from({ length: 150 }, () => get(client, server.url)));
    expect(server.seen.most).toBeLessThanOrEqual(32);
    server.close();
  });

  test("a hanging provider occupies 32 connections and 128 queued requests until their time limit, and recovers", async () => {
    let hangs = true;
    const server = await listening(() => (hangs ? null : "{}"));
    const client = clientWith({ fakeProviders: server.url });
    const signal = AbortSignal.timeout(1_000);
    const outcomes = await Promise.allSettled(Array.from({ length: 300 }, () => get(client, server.url, signal)));
    const details = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.detail : "answered"));
    const count = (detail: string) => details.filter((each) => each === detail).length;
    expect(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason.code === 706)).toBe(true);
    expect(count("Too many requests wait for the provider.")).toBe(140);
    expect(server.seen.most).toBeLessThanOrEqual(32);
    hangs = false;
    expect(await get(client, server.url)).toMatchObject({ status: 200 });
    server.close();
  });

  test("a closed port and an unknown name are 706 without addresses in the message", async () => {
    const server = await listening(() => "{}");
    server.close();
    const resolve = () =>
      Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND provider.example"), { code: "ENOTFOUND" }));
    const failures = {
      ECONNREFUSED: () => get(clientWith({ fakeProviders: server.url }), server.url),
      ENOTFOUND: () => get(clientWith({ resolve }), "https://provider.example/"),
    };
    for (const [code, failure] of Object.entries(failures)) {
      const error = await failure().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 706, detail: `The provider cannot be reached (${code}).` });
      expect(error).not.toHaveProperty("cause");
    }
  });
});
