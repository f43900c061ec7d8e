import { keyRingKind } from "../src/keys/key-store.ts";
import { JwtTokenSigner, JwtTokenVerifier } from "@sallyport/crypto";
import { administrationOf, type Database, KeyRings, RotateKey, Tokens } from "../src/index.ts";
import { digests, random } from "./fixture.ts";
import { hour, newPair, openKeyFixture, supplyOf } from "./key-fixture.ts";

const minute = 60_000;
const opened = { mode: "token", sessionId: random.secret() } as const;
const session = { mode: "token", digest: digests.sha256(opened.sessionId) };

type Fixture = Awaited<ReturnType<typeof openKeyFixture>>;
let fixture: Fixture;
let database: Database;
beforeEach(async () => {
  fixture = await openKeyFixture(90 * 24 * hour);
  ({ database } = fixture);
});

/** The tokens of a process of its own. */
const tokensOf = (now = fixture.now) =>
  new Tokens({
    keyRings: new KeyRings(supplyOf(1)),
    signer: new JwtTokenSigner(),
    verifier: new JwtTokenVerifier(),
    random,
    digests,
    issuer: "test",
    now,
  });

const tokenOf = async (tokens: Tokens) => (await tokens.issuer(database))("1", opened);

/** Puts another key into the place of the current one, whose time is over then. */
async function rotate(overlap: number): Promise<void> {
  const { keyId } = await new KeyRings(supplyOf(1)).current("jwt", database);
  const next = new KeyRings(supplyOf(1, await newPair()));
  await next.current("jwt", database);
  const { records } = database.storage.repositories;
  const [current, before] = (await records.get(keyRingKind, ["jwt"]))[0]?.value ?? [];
  if (current === undefined || before === undefined) throw new Error("No key was rotated.");
  const acceptedUntil = (await database.storage.now()) + overlap;
  await records.put(keyRingKind, "jwt", [current, { ...before, acceptedUntil }]);
  expect((await fixture.keys.current("jwt"))?.keyId).not.toBe(keyId);
}

test("a token goes on after the rotation of its key, and those of the new key are good everywhere at once", async () => {
  const [here, there] = [tokensOf(), tokensOf()];
  const before = await tokenOf(here);
  expect(await here.read(database, before)).toEqual(session);
  expect(await there.read(database, before)).toEqual(session);
  await new RotateKey(supplyOf(1)).run(administrationOf(database), { kind: "jwt" });
  const after = await tokenOf(here);
  for (const tokens of [here, there]) {
    expect(await tokens.read(database, after)).toEqual(session);
    expect(await tokens.read(database, before)).toEqual(session);
  }
});

test("a key whose time ends while it is remembered is refused from then on", async () => {
  const tokens = tokensOf();
  const token = await tokenOf(tokens);
  await rotate(30_000);
  expect(await tokens.read(database, token)).toEqual(session);
  fixture.advance(29_000);
  expect(await tokens.read(database, token)).toEqual(session);
  fixture.advance(1_001);
  expect(await tokens.read(database, token)).toBeNull();
});

test("a key that was remembered for long, over and swept meanwhile, is refused", async () => {
  const tokens = tokensOf();
  const token = await tokenOf(tokens);
  expect(await tokens.read(database, token)).toEqual(session);
  await rotate(2 * hour);
  fixture.advance(2 * hour);
  expect(await tokens.read(database, token)).toBeNull();
  await fixture.keys.sweep(0);
  expect(await tokens.read(database, token)).toBeNull();
});

test("a key that is taken out of the database is refused within a minute, even if the clock is set back", async () => {
  let setBack = 0;
  const tokens = tokensOf(() => fixture.now() - setBack);
  const token = await tokenOf(tokens);
  expect(await tokens.read(database, token)).toEqual(session);
  await rotate(0);
  setBack = 2 * hour;
  expect(await tokens.read(database, token)).toBeNull();
  setBack = 0;
  fixture.advance(minute);
  expect(await tokens.read(database, token)).toBeNull();
});

test("keys are looked up once a minute, and once for all who ask at once for an unknown one", async () => {
  const tokens = tokensOf();
  const token = await tokenOf(tokens);
  await tokens.read(database, token);
  const before = fixture.lookUps();
  for (let round = 0; round < 10; round += 1) await tokens.read(database, token);
  expect(fixture.lookUps()).toBe(before);
  fixture.advance(minute);
  await tokens.read(database, token);
  expect(fixture.lookUps()).toBe(before + 1);

  const strange = new Tokens({ ...partsOf(2) });
  const other = (await strange.issuer((await openKeyFixture()).database))("1", opened);
  const answers = await Promise.all(Array.from({ length: 50 }, () => tokens.read(database, other)));
  expect(new Set(answers)).toEqual(new Set([null]));
  // The first one, and one for all who came while that ran.
  expect(fixture.lookUps()).toBe(before + 3);
});

test("nothing is good without a master key", async () => {
  const token = await tokenOf(tokensOf());
  expect(await new Tokens(partsOf(null)).read(database, token)).toBeNull();
});

test("a fast clock ends a token early, and none prolongs it", async () => {
  let ahead = 0;
  const tokens = tokensOf(() => fixture.now() + ahead);
  const token = await tokenOf(tokens);
  ahead = 90 * 24 * hour - minute;
  expect(await tokens.read(database, token)).toEqual(session);
  ahead += 2 * minute;
  expect(await tokens.read(database, token)).toBeNull();
});

function partsOf(masterKey: number | null): ConstructorParameters<typeof Tokens>[0] {
  return {
    keyRings: new KeyRings(supplyOf(masterKey)),
    signer: new JwtTokenSigner(),
    verifier: new JwtTokenVerifier(),
    random,
    digests,
    issuer: "test",
    now: fixture.now,
  };
}
