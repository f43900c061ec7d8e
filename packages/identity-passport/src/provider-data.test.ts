import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { jest } from "@jest/globals";
import fc from "fast-check";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { appleName } from "./apple-provider.ts";
import { type JsonObject, unanswered, GuardedClient } from "./guarded-client.ts";
import { KeySet } from "./id-token.ts";
import { emailOf } from "./provider-data.ts";
import { isLoopbackAddress, isPublicAddress, type Resolve } from "./public-address.ts";

describe("provider data", () => {
  const nobody = { name: "", surname: "" };

  test("the name is read from the form", () => {
    expect(appleName('{"name":{"firstName":"Anna","lastName":"Example"},"email":"x@example.com"}')).toEqual({
      name: "Anna",
      surname: "Example",
    });
    expect(appleName('{"name":{"lastName":"Example"}}')).toEqual({ name: "", surname: "Example" });
  });

  test.each([
    undefined,
    "",
    "{",
    "null",
    "[]",
    '"Anna"',
    "{}",
    '{"name":null}',
    '{"name":"Anna"}',
    '{"name":{"firstName":1,"lastName":{}}}',
    '{"name":{"firstName":"A","firstName":"B"}}',
    `{"name":{"firstName":"${"A".repeat(5_000)}"}}`,
  ])("a form %p has no name", (user) => {
    expect(appleName(user)).toEqual(nobody);
  });

  test("a name is one line of text for any input", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.json(),
          fc
            .string({ unit: "binary" })
            .map((firstName) => JSON.stringify({ name: { firstName, lastName: firstName } })),
        ),
        (user) => {
          for (const text of Object.values(appleName(user))) {
            expect([...text].length).toBeLessThanOrEqual(255);
            expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u);
          }
        },
      ),
    );
  });

  const email = "anna@example.com";

  test.each([[{ email }], [{ email, email_verified: true }], [{ email, email_verified: "true" }]])(
    "claims %j have an address",
    (claims) => {
      expect(emailOf(claims)).toBe(email);
    },
  );

  test.each<Record<string, unknown>>([
    { email, email_verified: false },
    { email, email_verified: "false" },
    { email, email_verified: null },
    { email, email_verified: 1 },
    { email, email_verified: ["true"] },
    { email, email_verified: "" },
    { email: [email] },
    { email_verified: true },
  ])("claims %j have no address", (claims) => {
    expect(emailOf(claims)).toBe("");
  });

  test.each([
    "0.0.0.0",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456:789a::1",
    "fec0::1",
    "ff02::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::1",
    "64:ff9b:1::808:808",
    "2606:4700::1%eth0",
    "example.com",
    "",
    "1.2.3",
    "0x7f.1",
    "2130706433",
  ])("%p is not a public address", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:801::200e",
    "64:ff9b::808:808",
  ])("%p is a public address", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test("loopback addresses are those of this machine only", () => {
    for (const address of ["127.0.0.1", "127.1.2.3", "::1"]) expect(isLoopbackAddress(address)).toBe(true);
    for (const address of ["128.0.0.1", "0.0.0.0", "10.0.0.1", "::", "::2", "fe80::1", "::1%lo", "localhost", ""])
      expect(isLoopbackAddress(address)).toBe(false);
  });

  describe("id token", () => {
    let jwk: JWK;

    beforeAll(async () => {
      const { publicKey } = await generateKeyPair("ES256");
      jwk = await exportJWK(publicKey);
    });

    const hour = 3_600_000;

    let now = 1_000_000;

    beforeEach(() => {
      jest.spyOn(Date, "now").mockImplementation(() => now);
    });

    afterEach(() => {
      jest.restoreAllMocks();
    });

    const keySet = (load: () => Promise<unknown>) => {
      const client = { get: async () => ({ status: 200, json: (await load()) as JsonObject }) };
      return new KeySet({ client, address: "https://provider.example/keys", timeout: 1_000, unknownKeyPause: 30_000 });
    };

    /** A provider whose keys and behaviour are set by the test. */
    function provider() {
      const state = { names: ["a"] as readonly string[], isDown: false, loads: 0 };
      const load = async () => {
        state.loads += 1;
        if (state.isDown) throw unanswered("down");
        return { keys: state.names.map((kid) => ({ ...jwk, kid, alg: "ES256", use: "sig" })) };
      };
      return { state, keys: keySet(load) };
    }

    const header = (kid: string) => ({ alg: "ES256", kid });

    test("keys are fetched once for concurrent requests", async () => {
      const { state, keys } = provider();
      await Promise.all(Array.from({ length: 50 }, () => keys.find(header("a"))));
      now += hour - 1;
      await keys.find(header("a"));
      expect(state.loads).toBe(1);
      now += 1;
      await keys.find(header("a"));
      expect(state.loads).toBe(2);
    });

    test("a new key is fetched when a token names it, at a limited rate", async () => {
      const { state, keys } = provider();
      await keys.find(header("a"));
      state.names = ["b"];
      await expect(keys.find(header("b"))).rejects.toMatchObject({ code: 324 });
      now += 30_000;
      await Promise.all(Array.from({ length: 20 }, () => keys.find(header("b"))));
      expect(state.loads).toBe(2);
      await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 324 });
      for (let i = 0; i < 100; i += 1) {
        now += 100;
        await expect(keys.find(header(`x${i}`))).rejects.toMatchObject({ code: 324 });
      }
      expect(state.loads).toBe(2);
    });

    test("cached keys are valid for a day while the provider is down", async () => {
      const { state, keys } = provider();
      await keys.find(header("a"));
      state.isDown = true;
      now += 24 * hour - 1;
      await keys.find(header("a"));
      expect(state.loads).toBe(2);
      // It is not asked again for a moment.
      await keys.find(header("a"));
      expect(state.loads).toBe(2);
      now += 1;
      await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 706 });
      now += 5_000;
      await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 706 });
      expect(state.loads).toBe(3);
      state.isDown = false;
      now += 5_000;
      await keys.find(header("a"));
    });

    test.each([{}, { keys: null }, { keys: [1] }, { keys: {} }, { keys: "a" }])(
      "refuses %j as a key set",
      async (set) => {
        const keys = keySet(async () => set);
        await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 324 });
      },
    );

    test.each([
      ["for another algorithm", { alg: "ES384" }],
      ["for encryption", { use: "enc" }],
      ["of another kind", { kty: "oct", k: "c2VjcmV0" }],
      ["broken", { x: "AA" }],
    ])("a key %s verifies nothing", async (_, change) => {
      const keys = keySet(async () => ({ keys: [{ ...jwk, kid: "a", ...change }] }));
      await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 324 });
    });

    test("two keys of the same name verify nothing", async () => {
      const keys = keySet(async () => ({
        keys: [
          { ...jwk, kid: "a" },
          { ...jwk, kid: "a" },
        ],
      }));
      await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 324 });
    });
  });
});

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
      const { resolveBySystem } = await import("./public-address.ts");
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
