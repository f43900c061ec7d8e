import { administrationOf, KeyRings, RotateKey } from "../src/index.ts";
import { hour, type KeyFixture, newPair, openKeyFixture, supplyOf } from "./key-fixture.ts";

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
    const rotated = await new RotateKey(supplyOf(1)).rotateKey(administrationOf(database), { kind: "jwt" });
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
    new RotateKey(supplyOf(...supply)).rotateKey(administrationOf(fixture.database), { kind: "jwt", lost });

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
