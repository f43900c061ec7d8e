import { AesGcmKeyWrapping } from "@sallyport/crypto";
import {
  ChannelSecrets,
  administrationOf,
  KeyRings,
  KeyStore,
  type ServerKeyKind,
  type StoredKey,
  type WrappedKeyPair,
  rotateKey,
} from "../../src/index.ts";
import { random, using } from "../fixture.ts";
import { hour, type KeyFixture, newPair, openKeyFixture, supplyOf } from "./key-fixture.ts";
import {
  concurrently,
  hostileTexts,
  minute,
  openStoreFixture,
  type StoreFixture,
  tally,
} from "../stores/store-fixture.ts";

describe("channel secrets", () => {
  const secretsOf = (masterKey: number) =>
    new ChannelSecrets(new AesGcmKeyWrapping(new Uint8Array(32).fill(masterKey)));
  const secrets = secretsOf(1);
  const symmetricKey = random.bytes(32);
  const ivPrefix = random.bytes(3);
  const wrong = expect.objectContaining({ code: 314 });

  const thrownBy = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  test("the key of a channel is valid in its own database only, however often it is unwrapped", () => {
    const channel = { wrappedKey: secrets.wrapKey("one", symmetricKey), ivPrefix };
    for (let round = 0; round < 2; round += 1) {
      expect(secrets.unwrapKey("one", channel)).toEqual(symmetricKey);
      expect(thrownBy(() => secrets.unwrapKey("other", channel))).toEqual(wrong);
      expect(thrownBy(() => secretsOf(2).unwrapKey("one", channel))).toEqual(wrong);
      expect(thrownBy(() => new ChannelSecrets(null).unwrapKey("one", channel))).toEqual(wrong);
    }
  });

  test("a sealed session id is valid in its own database only", () => {
    const sealed = secrets.sealSessionId("one", "id");
    expect(secrets.openSessionId("one", sealed)).toBe("id");
    expect([
      secrets.openSessionId("other", sealed),
      secretsOf(2).openSessionId("one", sealed),
      new ChannelSecrets(null).openSessionId("one", sealed),
    ]).toEqual([null, null, null]);
  });
});

describe("key rings", () => {
  const idsOf = (all: readonly { readonly keyId: string }[]) => all.map(({ keyId }) => keyId);

  let fixture: KeyFixture;
  beforeEach(async () => {
    fixture = await openKeyFixture();
  });

  /** The ids that a process with these keys accepts, the current one first. */
  const acceptedBy = async (rings: KeyRings) => idsOf(await rings.accepted("jwt", fixture.database));

  describe("key ring", () => {
    test("creates the first key once for concurrent requests", async () => {
      const rings = new KeyRings(supplyOf(1));
      const { database } = fixture;
      const asked = await Promise.all([
        rings.current("jwt", database),
        rings.current("jwt", database),
        new KeyRings(supplyOf(1)).current("jwt", database),
      ]);
      expect(new Set(idsOf(asked)).size).toBe(1);
      expect(await acceptedBy(rings)).toEqual([asked[0]?.keyId]);
    });

    test("sees the rotation of another process at once, and the expiry of the previous key", async () => {
      const rings = new KeyRings(supplyOf(1));
      const { database, advance, keys } = fixture;
      const first = await rings.current("jwt", database);
      const rotated = await rotateKey(using(administrationOf(database), { keySupply: supplyOf(1) }), { kind: "jwt" });
      expect(rotated).toEqual({ keyId: (await rings.current("jwt", database)).keyId, before: first.keyId });
      expect(await acceptedBy(rings)).toEqual([(await rings.current("jwt", database)).keyId, first.keyId]);
      expect(
        (await rings.acceptedWithExpiry("jwt", database)).map(({ expiresIn }) =>
          expiresIn === null ? null : Math.ceil(expiresIn / hour),
        ),
      ).toEqual([null, 24]);
      advance(24 * hour + 1);
      expect(await acceptedBy(rings)).toEqual([(await rings.current("jwt", database)).keyId]);
      expect(await keys.sweep(0)).toBe(1);
      expect(await acceptedBy(rings)).toHaveLength(1);
    });

    test("refuses a key that was added to the database without the master key", async () => {
      const rings = new KeyRings(supplyOf(1));
      const { keyId } = await rings.current("jwt", fixture.database);
      const theirs = await newPair();
      const [mine] = await fixture.keys.accepted("jwt");
      // The private half of a good key under the name and with the public half of another one.
      const forged = { ...theirs, wrappedPrivateKey: mine?.wrappedPrivateKey ?? "" };
      await fixture.keys.rotate(keyId, forged, hour);
      await expect(rings.current("jwt", fixture.database)).rejects.toMatchObject({ code: 705 });
      await expect(rings.published(fixture.database)).rejects.toMatchObject({ code: 705 });
    });

    test.each([
      ["another", 2],
      ["no", null],
    ] as const)("refuses with 705 under %s master key", async (_title, masterKey) => {
      await new KeyRings(supplyOf(1)).current("jwt", fixture.database);
      const rings = new KeyRings(supplyOf(masterKey));
      await expect(rings.current("jwt", fixture.database)).rejects.toMatchObject({ code: 705 });
      await expect(rings.accepted("jwt", fixture.database)).rejects.toMatchObject({ code: 705 });
    });

    test("publishes what checks tokens, and no private part", async () => {
      const published = await new KeyRings(supplyOf(1)).published(fixture.database);
      const [{ keyId } = { keyId: "" }] = await fixture.keys.accepted("jwt");
      expect(published).toEqual([
        { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String), kid: keyId, use: "sig", alg: "ES256" },
      ]);
    });
  });

  describe("supplied keys", () => {
    test("replace the current key once each: servers with different keys do not alternate", async () => {
      const [a, b] = [await newPair(), await newPair()];
      const start = async (...supplied: Parameters<typeof supplyOf>) =>
        (await new KeyRings(supplyOf(...supplied)).current("jwt", fixture.database)).keyId;
      const made = await start(1);
      expect(await start(1, a)).toBe(a.keyId);
      expect(await start(1, b)).toBe(b.keyId);
      expect(idsOf(await fixture.keys.accepted("jwt"))).toEqual([b.keyId, a.keyId, made]);
      for (const time of [0, 25 * hour, 25 * hour]) {
        fixture.advance(time);
        await fixture.keys.sweep(24 * hour);
        expect(await start(1, a)).toBe(b.keyId);
        expect(await start(1, b)).toBe(b.keyId);
        expect(await start(1)).toBe(b.keyId);
      }
    });

    test("do not disturb a process that runs with another key", async () => {
      const [a, b] = [await newPair(), await newPair()];
      const first = new KeyRings(supplyOf(1, a));
      const second = new KeyRings(supplyOf(1, b));
      for (const rings of [first, second, first, second]) await rings.current("jwt", fixture.database);
      expect(await acceptedBy(first)).toEqual([b.keyId, a.keyId]);
      expect(await acceptedBy(second)).toEqual([b.keyId, a.keyId]);
    });
  });

  describe("key rotation", () => {
    const rotate = (supply: Parameters<typeof supplyOf>, lost = false) =>
      rotateKey(using(administrationOf(fixture.database), { keySupply: supplyOf(...supply) }), { kind: "jwt", lost });

    test("creates the first key of a database without one", async () => {
      const rotated = await rotate([1]);
      expect(rotated).toEqual({ keyId: (await fixture.keys.current("jwt"))?.keyId, before: null });
    });

    test("takes the supplied key once", async () => {
      const [a, b] = [await newPair(), await newPair()];
      const made = await rotate([1]);
      expect(made).toMatchObject({ before: null });
      expect(await rotate([1, a])).toMatchObject({ keyId: a.keyId });
      expect(await rotate([1, a])).toBe("suppliedAlready");
      expect(await rotate([1, b])).toEqual({ keyId: b.keyId, before: a.keyId });
      expect(await rotate([1, a])).toBe("suppliedBefore");
    });

    test("keeps a key until its last token expires", async () => {
      fixture = await openKeyFixture(30 * 24 * hour);
      await rotate([1]);
      await rotate([1]);
      const [current, before] = await new KeyRings(supplyOf(1)).acceptedWithExpiry("jwt", fixture.database);
      expect(current?.expiresIn).toBeNull();
      expect(Math.ceil((before?.expiresIn ?? 0) / hour)).toBe(30 * 24);
    });

    test("replaces a key of another master key only if it is declared lost, and refuses that key from then on", async () => {
      const rings = new KeyRings(supplyOf(2));
      await rotate([1]);
      await rotate([1]);
      expect(await rotate([2])).toBe("sealedByAnother");
      await expect(rotate([null])).rejects.toMatchObject({ code: 705 });
      expect(await rotate([1], true)).toBe("notLost");
      expect(await rotate([2], true)).toMatchObject({ keyId: expect.any(String) });
      // The key before the lost one is accepted until it expires, but no one can unseal it.
      expect(await fixture.keys.accepted("jwt")).toHaveLength(2);
      expect(await acceptedBy(rings)).toEqual([(await fixture.keys.current("jwt"))?.keyId]);
    });
  });
});

describe("key pairs", () => {
  /** A key pair of this id, with texts in place of keys. */
  function newKey(kind: ServerKeyKind, keyId: string): WrappedKeyPair {
    return { kind, keyId, publicKey: `public ${keyId}`, wrappedPrivateKey: `wrapped ${keyId}` };
  }

  let fixture: StoreFixture;
  let keys: KeyStore;

  beforeEach(async () => {
    fixture = await openStoreFixture();
    keys = new KeyStore(fixture.r.records);
  });

  const addFirst = async (key: WrappedKeyPair) => keys.addFirst(key, await fixture.storage.now());
  const accepted = async (kind: ServerKeyKind) => (await keys.accepted(kind)).map(({ keyId }) => keyId);
  const privateKeyIds = async (kind: ServerKeyKind) => (await keys.withPrivateKey(kind)).map(({ keyId }) => keyId);

  test("are none at first", async () => {
    for (const kind of ["rsa", "jwt"] as const) {
      expect(await keys.current(kind)).toBeNull();
      expect(await keys.accepted(kind)).toEqual([]);
      expect(await keys.withPrivateKey(kind)).toEqual([]);
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
    expect(await keys.withPrivateKey("rsa")).toEqual(await keys.accepted("rsa"));
    fixture.advance(2 * hour);
    expect(await privateKeyIds("rsa")).toEqual(["three", "one", "two"]);
    expect((await keys.withPrivateKey("rsa"))[2]?.wrappedPrivateKey).toBe("wrapped two");
    await keys.sweep(0);
    expect(await privateKeyIds("rsa")).toEqual(["three", "one"]);
    expect(await keys.withPrivateKey("rsa")).toEqual(await keys.accepted("rsa"));
    expect(await keys.withPrivateKey("jwt")).toEqual([]);
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
    expect(await privateKeyIds("rsa")).toEqual(["three", "two", "one"]);
    expect(await keys.sweep(hour)).toBe(2);
    expect(await keys.sweep(hour)).toBe(0);
    for (const kind of ["rsa", "jwt"] as const) expect(await privateKeyIds(kind)).toEqual(["three", "two"]);
    fixture.advance(1_000 * hour);
    expect(await keys.sweep(hour)).toBe(2);
    for (const kind of ["rsa", "jwt"] as const) {
      expect(await privateKeyIds(kind)).toEqual(["three"]);
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
    expect(await privateKeyIds("rsa")).toEqual(["three", "two"]);
  });
});
