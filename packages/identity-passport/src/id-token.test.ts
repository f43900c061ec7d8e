import { jest } from "@jest/globals";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { type JsonObject, unanswered } from "./guarded-client.ts";
import { KeySet } from "./id-token.ts";

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
  return new KeySet({ client, address: "https://provider.example/keys", timeout: 1_000 });
};

/** A provider whose keys and mood are set by the test. */
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

test("keys are fetched once, however many ask at once", async () => {
  const { state, keys } = provider();
  await Promise.all(Array.from({ length: 50 }, () => keys.find(header("a"))));
  now += hour - 1;
  await keys.find(header("a"));
  expect(state.loads).toBe(1);
  now += 1;
  await keys.find(header("a"));
  expect(state.loads).toBe(2);
});

test("a key that is new is fetched when a token names it, once in a while", async () => {
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

test("keys from before are good for a day while the provider is down", async () => {
  const { state, keys } = provider();
  await keys.find(header("a"));
  state.isDown = true;
  now += 24 * hour - 1;
  await keys.find(header("a"));
  expect(state.loads).toBe(2);
  // It is left alone for a moment.
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

test.each([{}, { keys: null }, { keys: [1] }, { keys: {} }, { keys: "a" }])("%j is no key set", async (set) => {
  const keys = keySet(async () => set);
  await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 324 });
});

test.each([
  ["for another algorithm", { alg: "ES384" }],
  ["for encryption", { use: "enc" }],
  ["of another kind", { kty: "oct", k: "c2VjcmV0" }],
  ["broken", { x: "AA" }],
])("a key %s verifies nothing", async (_, change) => {
  const keys = keySet(async () => ({ keys: [{ ...jwk, kid: "a", ...change }] }));
  await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 324 });
});

test("two keys of one name verify nothing", async () => {
  const keys = keySet(async () => ({
    keys: [
      { ...jwk, kid: "a" },
      { ...jwk, kid: "a" },
    ],
  }));
  await expect(keys.find(header("a"))).rejects.toMatchObject({ code: 324 });
});
