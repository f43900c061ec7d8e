import { jest } from "@jest/globals";
import fc from "fast-check";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { appleName } from "./apple-provider.ts";
import { type JsonObject, unanswered } from "./guarded-client.ts";
import { KeySet } from "./id-token.ts";
import { emailOf } from "./provider-data.ts";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

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
