import { KeyStore, type ServerKeyKind, type StoredKey, type WrappedKeyPair } from "../../src/index.ts";
import {
  concurrently,
  hostileTexts,
  hour,
  minute,
  openStoreFixture,
  type StoreFixture,
  tally,
} from "./store-fixture.ts";

/** A key pair of this id, with texts in place of keys. */
function newKey(kind: ServerKeyKind, keyId: string): WrappedKeyPair {
  return { kind, keyId, publicKey: `public ${keyId}`, wrappedPrivateKey: `wrapped ${keyId}` };
}

describe("key pairs", () => {
  let fixture: StoreFixture;
  let keys: KeyStore;

  beforeEach(async () => {
    fixture = await openStoreFixture();
    keys = new KeyStore(fixture.r.records);
  });

  const addFirst = async (key: WrappedKeyPair) => keys.addFirst(key, await fixture.storage.now());
  const accepted = async (kind: ServerKeyKind) => (await keys.accepted(kind)).map(({ keyId }) => keyId);
  const kept = async (kind: ServerKeyKind) => (await keys.kept(kind)).map(({ keyId }) => keyId);

  test("are none at first", async () => {
    for (const kind of ["rsa", "jwt"] as const) {
      expect(await keys.current(kind)).toBeNull();
      expect(await keys.accepted(kind)).toEqual([]);
      expect(await keys.kept(kind)).toEqual([]);
    }
  });

  test("are kept as they were added", async () => {
    const added = await keys.addFirst(newKey("rsa", "one"), 1_234);
    expect(added).toEqual({ ...newKey("rsa", "one"), createdAt: 1_234, acceptedUntil: null });
    expect(await keys.current("rsa")).toEqual(added);
    expect(await keys.accepted("rsa")).toEqual([added]);
  });

  test("are dated by the storage's clock when they are rotated", async () => {
    await addFirst(newKey("rsa", "one"));
    fixture.advance(50 * hour);
    const before = await fixture.storage.now();
    await keys.rotate("one", newKey("rsa", "two"), hour);
    const { createdAt = 0 } = (await keys.current("rsa")) ?? {};
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(await fixture.storage.now());
  });

  test("keep hostile texts unchanged", async () => {
    let last = await addFirst(newKey("jwt", "one"));
    for (const text of hostileTexts) {
      const key: WrappedKeyPair = { kind: "jwt", keyId: text, publicKey: text, wrappedPrivateKey: text };
      expect(await keys.rotate(last.keyId, key, hour)).toBe("ok");
      last = (await keys.current("jwt")) as StoredKey;
      expect(last).toMatchObject(key);
    }
  });

  test("have one first, which later additions return", async () => {
    const first = await addFirst(newKey("rsa", "one"));
    expect(await addFirst(newKey("rsa", "two"))).toEqual(first);
    await keys.rotate("one", newKey("rsa", "three"), hour);
    expect((await addFirst(newKey("rsa", "four"))).keyId).toBe("three");
    expect(await accepted("rsa")).toEqual(["three", "one"]);
  });

  test("have one first key when several are added at once, and all calls return it", async () => {
    const answers = await concurrently(10, (index) => keys.addFirst(newKey("jwt", `key ${index}`), index));
    expect(answers).toEqual(Array.from({ length: 10 }, () => answers[0]));
    expect(await keys.accepted("jwt")).toEqual([answers[0]]);
  });

  test("are rotated, and the previous one is accepted for a while", async () => {
    const first = await addFirst(newKey("rsa", "one"));
    const before = await fixture.storage.now();
    expect(await keys.rotate("one", newKey("rsa", "two"), 24 * hour)).toBe("ok");
    const after = await fixture.storage.now();
    const [latest, earlier] = await keys.accepted("rsa");
    expect(latest).toEqual(await keys.current("rsa"));
    expect(await accepted("rsa")).toEqual(["two", "one"]);
    const until = earlier?.acceptedUntil ?? 0;
    expect(until).toBeGreaterThanOrEqual(before + 24 * hour);
    expect(until).toBeLessThanOrEqual(after + 24 * hour);
    expect(earlier).toEqual({ ...first, acceptedUntil: until });
    fixture.advance(24 * hour - minute);
    expect(await accepted("rsa")).toEqual(["two", "one"]);
    fixture.advance(2 * minute);
    expect(await accepted("rsa")).toEqual(["two"]);
  });

  test("are accepted each for its own time, the latest first", async () => {
    await addFirst(newKey("rsa", "c"));
    await keys.rotate("c", newKey("rsa", "a"), 10 * hour);
    fixture.advance(hour);
    await keys.rotate("a", newKey("rsa", "d"), 2 * hour);
    await keys.rotate("d", newKey("rsa", "b"), 24 * hour);
    expect(await accepted("rsa")).toEqual(["b", "d", "a", "c"]);
    fixture.advance(3 * hour);
    expect(await accepted("rsa")).toEqual(["b", "d", "c"]);
  });

  test("expire at once without a time", async () => {
    await addFirst(newKey("rsa", "one"));
    await keys.rotate("one", newKey("rsa", "two"), 0);
    expect(await accepted("rsa")).toEqual(["two"]);
  });

  test("are rotated only by callers that know the current one", async () => {
    expect(await keys.rotate("one", newKey("rsa", "two"), hour)).toBe("stale");
    expect(await keys.current("rsa")).toBeNull();
    await addFirst(newKey("rsa", "one"));
    expect(await keys.rotate("zero", newKey("rsa", "two"), hour)).toBe("stale");
    await keys.rotate("one", newKey("rsa", "two"), hour);
    const before = await keys.accepted("rsa");
    expect(await keys.rotate("one", newKey("rsa", "three"), 9 * hour)).toBe("stale");
    expect(await keys.accepted("rsa")).toEqual(before);
  });

  test("are rotated once by concurrent rotations", async () => {
    await addFirst(newKey("jwt", "one"));
    const outcomes = await concurrently(10, (index) => keys.rotate("one", newKey("jwt", `key ${index}`), hour));
    expect(tally(outcomes)).toEqual({ ok: 1, stale: 9 });
    expect(await accepted("jwt")).toEqual([`key ${outcomes.indexOf("ok")}`, "one"]);
  });

  test("never return after their expiry", async () => {
    const first = await addFirst(newKey("rsa", "one"));
    expect(await keys.rotate("one", newKey("rsa", "one"), hour)).toBe("known");
    expect(await keys.accepted("rsa")).toEqual([first]);
    await keys.rotate("one", newKey("rsa", "two"), hour);
    expect(await keys.rotate("two", newKey("rsa", "one"), hour)).toBe("known");
    expect(await keys.rotate("one", newKey("rsa", "one"), hour)).toBe("stale");
    fixture.advance(2 * hour);
    expect(await keys.rotate("two", newKey("rsa", "one"), hour)).toBe("known");
    expect(await keys.sweep(0)).toBe(1);
    expect(await keys.rotate("two", newKey("rsa", "one"), hour)).toBe("known");
    expect(await accepted("rsa")).toEqual(["two"]);
  });

  test("are kept until they are swept, the accepted ones first", async () => {
    await addFirst(newKey("rsa", "one"));
    await keys.rotate("one", newKey("rsa", "two"), 10 * hour);
    await keys.rotate("two", newKey("rsa", "three"), hour);
    expect(await keys.kept("rsa")).toEqual(await keys.accepted("rsa"));
    fixture.advance(2 * hour);
    expect(await kept("rsa")).toEqual(["three", "one", "two"]);
    expect((await keys.kept("rsa"))[2]?.wrappedPrivateKey).toBe("wrapped two");
    await keys.sweep(0);
    expect(await kept("rsa")).toEqual(["three", "one"]);
    expect(await keys.kept("rsa")).toEqual(await keys.accepted("rsa"));
    expect(await keys.kept("jwt")).toEqual([]);
  });

  test("of different kinds are independent", async () => {
    await addFirst(newKey("rsa", "one"));
    expect(await keys.current("jwt")).toBeNull();
    expect(await keys.accepted("jwt")).toEqual([]);
    await addFirst(newKey("jwt", "one"));
    await keys.rotate("one", newKey("jwt", "two"), hour);
    expect(await accepted("rsa")).toEqual(["one"]);
    expect(await accepted("jwt")).toEqual(["two", "one"]);
  });

  test("lose their private halves long after their expiry", async () => {
    for (const kind of ["rsa", "jwt"] as const) {
      await addFirst(newKey(kind, "one"));
      await keys.rotate("one", newKey(kind, "two"), hour);
      await keys.rotate("two", newKey(kind, "three"), 50 * hour);
    }
    expect(await keys.sweep(0)).toBe(0);
    fixture.advance(2 * hour);
    expect(await keys.sweep(2 * hour)).toBe(0);
    expect(await kept("rsa")).toEqual(["three", "two", "one"]);
    expect(await keys.sweep(hour)).toBe(2);
    expect(await keys.sweep(hour)).toBe(0);
    for (const kind of ["rsa", "jwt"] as const) expect(await kept(kind)).toEqual(["three", "two"]);
    fixture.advance(1_000 * hour);
    expect(await keys.sweep(hour)).toBe(2);
    for (const kind of ["rsa", "jwt"] as const) {
      expect(await kept(kind)).toEqual(["three"]);
      expect(await accepted(kind)).toEqual(["three"]);
    }
  });

  test("are all known when one is swept and another rotated at once", async () => {
    await addFirst(newKey("rsa", "one"));
    await keys.rotate("one", newKey("rsa", "two"), 0);
    fixture.advance(hour);
    const [, outcome] = await Promise.all([keys.sweep(0), keys.rotate("two", newKey("rsa", "three"), hour)]);
    expect(outcome).toBe("ok");
    expect(await accepted("rsa")).toEqual(["three", "two"]);
    expect(await keys.rotate("three", newKey("rsa", "one"), hour)).toBe("known");
    await keys.sweep(0);
    expect(await kept("rsa")).toEqual(["three", "two"]);
  });
});
