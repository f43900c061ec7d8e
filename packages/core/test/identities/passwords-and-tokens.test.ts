import { JwtTokenSigner, JwtTokenVerifier } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import type { Account } from "@sallyport/storage";
import {
  administrationOf,
  type Database,
  FormerPasswords,
  KeyRings,
  type PasswordHasher,
  PrepareResetMail,
  Tokens,
  rotateKey,
  preparePasswordProof,
  renewPassword,
} from "../../src/index.ts";
import { keyRingKind } from "../../src/keys/key-store.ts";
import { digests, type Fixture, openFixture, random, using } from "../fixture.ts";
import { hour, newPair, openKeyFixture, supplyOf } from "../keys/key-fixture.ts";
import {
  concurrently,
  hostileTexts,
  openStoreFixture,
  type StoreFixture,
  unstorableTexts,
} from "../stores/store-fixture.ts";

describe("tokens", () => {
  const minute = 60_000;
  const opened = { mode: "token", sessionId: random.secret() } as const;
  const session = { mode: "token", digest: digests.sha256(opened.sessionId) };

  type KeyFixture = Awaited<ReturnType<typeof openKeyFixture>>;
  let fixture: KeyFixture;
  let database: Database;
  beforeEach(async () => {
    fixture = await openKeyFixture(90 * 24 * hour);
    ({ database } = fixture);
  });

  /** The tokens of another process. */
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

  /** Replaces the current key, which expires at once. */
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

  test("stay valid after the rotation of their key, and tokens of the new key are valid everywhere at once", async () => {
    const [here, there] = [tokensOf(), tokensOf()];
    const before = await tokenOf(here);
    expect(await here.read(database, before)).toEqual(session);
    expect(await there.read(database, before)).toEqual(session);
    await rotateKey(using(administrationOf(database), { keySupply: supplyOf(1) }), { kind: "jwt" });
    const after = await tokenOf(here);
    for (const tokens of [here, there]) {
      expect(await tokens.read(database, after)).toEqual(session);
      expect(await tokens.read(database, before)).toEqual(session);
    }
  });

  test("of an expired key are refused even while the key is cached", async () => {
    const tokens = tokensOf();
    const token = await tokenOf(tokens);
    await rotate(30_000);
    expect(await tokens.read(database, token)).toEqual(session);
    fixture.advance(29_000);
    expect(await tokens.read(database, token)).toEqual(session);
    fixture.advance(1_001);
    expect(await tokens.read(database, token)).toBeNull();
  });

  test("of a key that was cached for long, expired and swept are refused", async () => {
    const tokens = tokensOf();
    const token = await tokenOf(tokens);
    expect(await tokens.read(database, token)).toEqual(session);
    await rotate(2 * hour);
    fixture.advance(2 * hour);
    expect(await tokens.read(database, token)).toBeNull();
    await fixture.keys.sweep(0);
    expect(await tokens.read(database, token)).toBeNull();
  });

  test("of a key removed from the database are refused within a minute, even if the clock is set back", async () => {
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

  test("look up keys once a minute, and once for concurrent requests with an unknown key", async () => {
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
    // The first look-up, and one for all requests that arrived during it.
    expect(fixture.lookUps()).toBe(before + 3);
  });

  test("are refused without a master key", async () => {
    const token = await tokenOf(tokensOf());
    expect(await new Tokens(partsOf(null)).read(database, token)).toBeNull();
  });

  test("expire early with a fast clock, and never late", async () => {
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
});

describe("password verification", () => {
  const asked: unknown[][] = [];
  const hasher: PasswordHasher = {
    hash: async (password) => `new:${password}`,
    verify: async (encoded, password, decoy) => {
      asked.push([encoded, decoy]);
      return encoded === `new:${password}` || encoded === `old:${password}`;
    },
    isOutdated: (encoded) => !encoded.startsWith("new:"),
  };

  describe("password proof", () => {
    let fixture: Fixture;
    const credentials = (user: string, pass: string) => ({ user, pass, clientHash: "none", links: [] }) as const;
    const prove = async (user: string, pass: string) =>
      (await preparePasswordProof(using(fixture.context, { hasher }), credentials(user, pass)))();
    const accountOf = async (loginName: string) =>
      (await fixture.r.accounts.find({ realm: "database", loginName }, [])).account;
    const create = async (loginName: string, secret: string): Promise<Account> => {
      const [userId] = await fixture.insert({ className: "User", attributes: { Name: loginName } });
      await fixture.r.accounts.create({ userId: userId as string, loginName, secret, administrator: false }, loginName);
      return (await accountOf(loginName)) as Account;
    };

    beforeEach(async () => {
      fixture = await openFixture();
      asked.length = 0;
    });

    test("returns the account for the right password", async () => {
      const account = await create("ada", "new:right");
      const person = await prove("ada", "right");
      expect(person?.account).toEqual(account);
      expect(person?.user).toMatchObject({ id: account.userId, attributes: { Name: "ada" } });
      expect(await prove("ada", "wrong")).toBeNull();
      expect(await prove("Ada", "right")).toBeNull();
    });

    test("checks the hash of a neighbouring name when the name is unknown", async () => {
      await create("ada", "new:right");
      await create("eve", "old:right");
      expect(await prove("bob", "right")).toBeNull();
      expect(asked).toEqual([[null, "old:right"]]);
    });

    test("checks the password of a disabled account, and refuses it in any case", async () => {
      const { userId } = await create("ada", "new:right");
      await fixture.r.accounts.change(userId, { disabled: true });
      expect(await prove("ada", "right")).toBeNull();
      expect(asked).toEqual([["new:right", "new:right"]]);
    });

    test("renews a hash with outdated parameters, without a change of its version", async () => {
      const account = await create("ada", "old:right");
      await renewPassword(using(fixture.context, { hasher }), account, credentials("ada", "right"));
      expect(await accountOf("ada")).toEqual({ ...account, secret: "new:right" });
    });

    test("keeps a hash with current parameters", async () => {
      const account = await create("ada", "new:right");
      await renewPassword(using(fixture.context, { hasher }), account, credentials("ada", "anything"));
      expect(await accountOf("ada")).toEqual(account);
    });

    test("does not overwrite a concurrent password change, nor fails when the renewal fails", async () => {
      const account = await create("ada", "old:right");
      await fixture.r.accounts.setSecret(account.userId, "new:changed", account.secretVersion);
      await renewPassword(using(fixture.context, { hasher }), account, credentials("ada", "right"));
      expect((await accountOf("ada"))?.secret).toBe("new:changed");
      await expect(
        renewPassword(
          using(fixture.context, { hasher: { ...hasher, hash: () => Promise.reject(new Error("full")) } }),
          account,
          credentials("ada", "right"),
        ),
      ).resolves.toBeUndefined();
    });
  });
});

describe("reset mail preparation", () => {
  const minute = 60_000;
  const resetMail = new PrepareResetMail(digests, random);

  /** Two users with an address, and a clock that can be moved forward. */
  async function opened() {
    let offset = 0;
    const storage = new MemoryStorage({ clockOffset: () => offset });
    await storage.migrate();
    const { accounts, objects, records } = storage.repositories;
    for (const loginName of ["anna", "ben"]) {
      const [user] = await objects.insert([{ className: "User", attributes: { Name: loginName } }]);
      await accounts.create(
        { userId: user?.id ?? "", loginName, secret: "none", administrator: false, email: `${loginName}@example.com` },
        loginName,
      );
    }
    return {
      advance: (milliseconds: number) => void (offset += milliseconds),
      ask: (user = "anna") => storage.transaction((r) => resetMail.prepare(r, { user })),
      isGood: async (token: string) => (await records.get("passwordReset", [digests.sha256(token)])).length === 1,
    };
  }

  test("sends a repeated request ever more rarely, and the user always has a valid token", async () => {
    const { advance, ask, isGood } = await opened();
    for (const pause of [1, 2, 4, 8, 15, 15, 15]) {
      const prepared = await ask();
      expect(prepared).toMatchObject({ to: "anna@example.com" });
      expect(await ask()).toBeNull();
      advance(pause * minute - 10_000);
      expect(await ask()).toBeNull();
      expect(await isGood(prepared?.token ?? "")).toBe(true);
      advance(10_000);
    }
  });

  test("pauses for each user separately, and resets without requests for a while", async () => {
    const { advance, ask } = await opened();
    for (const pause of [1, 2, 4]) {
      await ask();
      advance(pause * minute);
    }
    expect([await ask(), await ask("ben")]).toEqual([expect.anything(), expect.anything()]);
    advance(60 * minute);
    expect(await ask()).not.toBeNull();
    advance(minute);
    expect(await ask()).not.toBeNull();
  });
});

describe("former passwords", () => {
  let stage: StoreFixture;
  let former: FormerPasswords;

  beforeEach(async () => {
    stage = await openStoreFixture();
    former = new FormerPasswords(stage.r.records);
  });

  const add = (subject: string, secret: string, keep: number) =>
    stage.storage.transaction((r) => new FormerPasswords(r.records).add(subject, secret, keep));

  test("are empty at first", async () => {
    expect(await former.latest("user:1", 10)).toEqual([]);
  });

  test("are listed the latest first, up to a limit", async () => {
    for (const secret of ["one", "two", "three"]) await add("user:1", secret, 5);
    expect(await former.latest("user:1", 10)).toEqual(["three", "two", "one"]);
    expect(await former.latest("user:1", 2)).toEqual(["three", "two"]);
    expect(await former.latest("user:1", 0)).toEqual([]);
  });

  test("are kept up to the number of the last call", async () => {
    for (let index = 1; index <= 6; index += 1) await add("user:1", `secret ${index}`, 3);
    expect(await former.latest("user:1", 10)).toEqual(["secret 6", "secret 5", "secret 4"]);
    await add("user:1", "secret 7", 10);
    expect(await former.latest("user:1", 10)).toEqual(["secret 7", "secret 6", "secret 5", "secret 4"]);
    await add("user:1", "secret 8", 1);
    expect(await former.latest("user:1", 10)).toEqual(["secret 8"]);
    await add("user:1", "secret 9", 0);
    expect(await former.latest("user:1", 10)).toEqual([]);
  });

  test("belong to one subject each", async () => {
    const subjects = ["user:1", "user:11", "USER:1", "custom:1", "user:1 "];
    for (const subject of subjects) await add(subject, `of ${subject}`, 1);
    for (const subject of subjects) expect(await former.latest(subject, 10)).toEqual([`of ${subject}`]);
  });

  test("are kept as often as they were current", async () => {
    for (const secret of ["one", "two", "one"]) await add("user:1", secret, 5);
    expect(await former.latest("user:1", 10)).toEqual(["one", "two", "one"]);
  });

  test("lose no concurrent additions", async () => {
    await concurrently(8, (index) => add("user:1", `secret ${index}`, 20));
    const secrets = Array.from({ length: 8 }, (_, index) => `secret ${index}`);
    expect((await former.latest("user:1", 20)).toSorted()).toEqual(secrets);
  });

  test("keep hostile texts unchanged, and refuse invalid ones", async () => {
    for (const text of hostileTexts) {
      await add(text, text, 5);
      expect(await former.latest(text, 5)).toEqual([text]);
    }
    await add("user:1", "x".repeat(10_000), 5);
    expect(await former.latest("user:1", 5)).toEqual(["x".repeat(10_000)]);
    for (const text of unstorableTexts) {
      await expect(add("user:2", text, 5)).rejects.toMatchObject({ code: 307 });
      await expect(add(text, "secret", 5)).rejects.toMatchObject({ code: 307 });
      expect(await former.latest("user:2", 5)).toEqual([]);
      expect(await former.latest(text, 5)).toEqual([]);
    }
  });

  test("are rolled back with their transaction", async () => {
    await add("user:1", "one", 1);
    const undone = new RangeError("undone");
    const failing = stage.storage.transaction(async (r) => {
      const inside = new FormerPasswords(r.records);
      await inside.add("user:1", "two", 1);
      expect(await inside.latest("user:1", 5)).toEqual(["two"]);
      throw undone;
    });
    await expect(failing).rejects.toBe(undone);
    expect(await former.latest("user:1", 5)).toEqual(["one"]);
  });
});
