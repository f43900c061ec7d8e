import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { passwordAuthentication, type RecordValue } from "@sallyport/storage";
import { administrationOf, ChannelSecrets, type SealedPurpose, sealedTexts } from "@sallyport/core";
import { random, using } from "../fixture.ts";
import { hour, type KeyFixture, openKeyFixture } from "./key-fixture.ts";
import { resealSecrets } from "../../src/index.ts";

/** Stored secrets under a former master key, and the work that seals them again. */
const [former, current, lost] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const wrapping = new AesGcmKeyWrapping(current, [former]);
let fixture: KeyFixture;

beforeEach(async () => {
  fixture = await openKeyFixture();
});

const records = () => fixture.database.storage.repositories.records;
const reseal = (dryRun = false) =>
  resealSecrets(using(administrationOf(fixture.database), { keyWrapping: wrapping }), { dryRun });
const leftOf = async (dryRun = true) =>
  (await reseal(dryRun)).counts.flatMap(({ kind, former: left, unreadable, until }) =>
    left + unreadable === 0 ? [] : [{ kind, left, unreadable, until }],
  );

/** A record of each kind with a sealed text; `null`: none. */
const samples: Readonly<Record<string, (seal: (purpose: SealedPurpose) => string) => RecordValue>> = {
  keyRing: (seal) => [{ wrappedPrivateKey: seal("server key") }, { wrappedPrivateKey: "" }],
  secondFactor: (seal) => ({ sealedSecret: seal("second factor") }),
  identityProvider: (seal) => ({ sealedData: seal("provider data") }),
  upload: (seal) => ({ key: seal("file key"), expiresAt: fixture.now() + 3 * hour }),
  file: (seal) => ({ key: seal("file key"), size: 1 }),
  mail: (seal) => ({ sealed: seal("outbox|"), lifetime: 2 * hour, stuck: false }),
  providerState: (seal) => ({ sealed: seal("provider state") }),
  returnCode: (seal) => ({ sealed: seal("provider return code") }),
  requestResult: (seal) => ({
    contents: "",
    code: 0,
    detail: null,
    outcome: { sealedData: seal("request result") },
  }),
};
const put = (kind: string, id: string, masterKey = former, lifetime: number | null = null) => {
  const seal = (purpose: SealedPurpose) => new AesGcmKeyWrapping(masterKey).wrap(random.bytes(20), purpose);
  return records().put(kind, id, samples[kind]?.(seal) ?? "", { owner: `owner of ${kind}`, lifetime });
};
const stored = async (kind: string, id = "a") => (await records().get(kind, [id]))[0];
/** Whether a master key opens a text in the value. */
const opens = (masterKey: Uint8Array, value: unknown) =>
  Object.keys(sealedTexts)
    .flatMap((use) => [use, `${use}|`] as SealedPurpose[])
    .some((purpose) =>
      (JSON.stringify(value).match(/[\w-]{40,}/g) ?? []).some(
        (text) => new AesGcmKeyWrapping(masterKey).unwrap(text, purpose) !== undefined,
      ),
    );

test("seals every kind again that does not end soon, and tells until when the others need the former one", async () => {
  const kinds = Object.values(sealedTexts).flatMap((sealed) => (typeof sealed === "string" ? [] : sealed));
  expect(kinds.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(samples).toSorted());
  for (const kind of Object.keys(samples)) await put(kind, "a", former, kind === "upload" ? 3 * hour : null);
  const before = new Map(await Promise.all(kinds.map(async ({ kind }) => [kind, await stored(kind)] as const)));
  expect((await leftOf()).map(({ kind }) => kind)).toEqual(kinds.map(({ kind }) => kind));
  expect(await reseal()).toMatchObject({ resealed: 5 });
  const ends = { mail: 2 * hour, providerState: hour / 6, returnCode: hour / 60, requestResult: 24 * hour };
  expect(await leftOf()).toEqual(
    Object.entries(ends).map(([kind, lifetime]) => {
      const until = (before.get(kind)?.createdAt ?? 0) + lifetime;
      return { kind, left: 1, unreadable: 0, until };
    }),
  );
  for (const { kind, treatment } of kinds) {
    const [was, is] = [before.get(kind), await stored(kind)];
    expect([kind, opens(former, is?.value), opens(current, is?.value)]).toEqual(
      treatment === "expire" ? [kind, true, false] : [kind, false, true],
    );
    expect(is).toMatchObject({ owner: was?.owner, createdVersion: was?.createdVersion });
    expect(is?.version === was?.version).toBe(treatment !== "change");
  }
  fixture.advance(3 * hour);
  expect(await stored("upload")).toBeUndefined();
  expect(await reseal()).toMatchObject({ resealed: 0 });
});

test.each(["secondFactor", "upload"])("keeps a concurrent change of a record: %s", async (kind) => {
  await put(kind, "a");
  const list = records().list.bind(records());
  records().list = async (...asked) => {
    const page = await list(...asked);
    if (asked[0] === kind && page[0] !== undefined && !opens(lost, page[0].value)) await put(kind, "a", lost);
    return page;
  };
  expect(await reseal()).toMatchObject({ resealed: 0 });
  expect(opens(lost, await stored(kind))).toBe(true);
});

test("goes on after a failure, over several pages", async () => {
  for (let number = 0; number < 450; number += 1) await put("file", `${number}`);
  const { storage } = fixture.database;
  const begin = storage.transaction.bind(storage);
  let pages = 0;
  storage.transaction = (work) => ((pages += 1) > 1 ? Promise.reject(new Error("lost")) : begin(work));
  await expect(reseal()).rejects.toThrow("lost");
  storage.transaction = begin;
  expect(await leftOf()).toEqual([{ kind: "file", left: 250, unreadable: 0, until: null }]);
  expect(await reseal()).toMatchObject({ resealed: 250 });
  expect(await leftOf()).toEqual([]);
});

test("counts what no key opens, and changes nothing without a master key or in a dry run", async () => {
  await put("secondFactor", "a");
  await put("file", "a", lost);
  const expected = [
    { kind: "secondFactor", left: 1, unreadable: 0, until: null },
    { kind: "file", left: 0, unreadable: 1, until: null },
  ];
  expect([await leftOf(), await leftOf()]).toEqual([expected, expected]);
  expect(await leftOf(false)).toEqual(expected.slice(1));
  const without = resealSecrets(using(administrationOf(fixture.database), { keyWrapping: null }));
  await expect(without).rejects.toMatchObject({ code: 705 });
});

test("leaves the sessions of the former one, and tells when the last of them ends", async () => {
  const open = (masterKey: AesGcmKeyWrapping, absoluteLifetime: number, number: number) =>
    fixture.database.storage.repositories.sessions.open(
      {
        digest: `${number}`.padStart(64, "0"),
        mode: "secure",
        appKeyId: "1",
        userId: "1",
        secretVersion: 1,
        appNames: [],
        deviceId: null,
        authenticationMethod: passwordAuthentication,
        channel: {
          wrappedKey: new ChannelSecrets(masterKey).wrapKey("", random.bytes(32)),
          ivPrefix: random.bytes(3),
        },
      },
      { idleTimeout: hour, absoluteLifetime, limit: 0, perUserLimit: 0, perDevice: 1 },
    );
  const before = fixture.now();
  for (const number of [1, 2]) await open(new AesGcmKeyWrapping(former), number * hour, number);
  for (let number = 3; number < 250; number += 1) await open(wrapping, 5 * hour, number);
  await open(new AesGcmKeyWrapping(lost), 9 * hour, 300);
  const [sessions] = await leftOf();
  expect(sessions).toMatchObject({ kind: "secureSession", left: 2, unreadable: 1 });
  expect((sessions?.until ?? 0) - before - 2 * hour).toBeLessThan(hour / 60);
  expect(sessions?.until).toBeGreaterThanOrEqual(before + 2 * hour);
});
