import { createHash } from "node:crypto";
import { ofDatabase, seesAll, ServiceError } from "@sallyport/storage";
import { administrationOf, setLimits, type StartInput, Applications, ProviderEntries } from "../../src/index.ts";
import { digests, random } from "../fixture.ts";
import {
  codeOf,
  openProviderFixture,
  type ProviderFixture,
  type ProviderFixtureOptions,
  linksIn,
} from "./provider-fixture.ts";

const address = "https://app.example/back";

/** A verifier and its challenge. */
function pair(verifier = random.secret()) {
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

describe("provider log-in that returns to an app", () => {
  let f: ProviderFixture;
  let offset: number;
  const open = async (options: ProviderFixtureOptions = {}) => {
    offset = 0;
    f = await openProviderFixture({ clockOffset: () => offset, ...options });
  };
  beforeEach(() => open());

  const links = () => linksIn(f.r);
  /** A complete flow up to the code. */
  async function returned(change: Partial<StartInput> = {}) {
    const { verifier, challenge } = pair();
    const { outcome } = await f.finish(await f.startLogIn({ returnTo: address, challenge, ...change }));
    if (!("location" in outcome)) throw new Error("The callback has answered itself.");
    const { searchParams } = new URL(outcome.location);
    return { ...outcome, code: searchParams.get("code") ?? "", error: searchParams.get("error"), verifier };
  }
  const exchange = async (trade: { code: string; verifier: string; token?: string; enrol?: boolean }) => {
    const { settingsGeneration } = await f.r.admission.admit(ofDatabase);
    return codeOf(f.trade(trade, { settingsGeneration }));
  };

  test.each<[string, Partial<StartInput>]>([
    ["no challenge", { challenge: null }],
    ["an empty challenge", { challenge: "" }],
    ["a challenge in hexadecimal digits", { challenge: "0".repeat(64) }],
    ["a challenge with padding", { challenge: `${pair().challenge}=` }],
    ["a challenge of another method than S256", { challenge: `${"A".repeat(42)}B` }],
    ["no address", { returnTo: null }],
    ["an empty address", { returnTo: "" }],
    ["an address that is not listed", { returnTo: "https://other.example/back" }],
    ["a path that is not listed", { returnTo: `${address}/more` }],
    ["a query that is not listed", { returnTo: `${address}?to=https://other.example` }],
    ["a fragment", { returnTo: `${address}#a` }],
    ["another port", { returnTo: "https://app.example:444/back" }],
    ["a scheme of scripts", { returnTo: "javascript:alert(1)//app.example" }],
  ])("does not begin with %s, and stores nothing", async (_what, change) => {
    await open({ quota: { perOwner: 1, total: 1 } });
    const right = { returnTo: address, challenge: pair().challenge };
    await expect(f.start({ ...right, ...change })).rejects.toMatchObject({ code: 307 });
    expect(f.google.begun).toEqual([]);
    expect([await codeOf(f.start(right)), await codeOf(f.start(right))]).toEqual([0, 706]);
  });

  test("accepts any port of the loopback address, and returns to it", async () => {
    const { outcome } = await f.finish(
      await f.startLogIn({ returnTo: "http://127.0.0.1:51000/back?from=provider", challenge: pair().challenge }),
    );
    expect(outcome).toMatchObject({
      location: expect.stringMatching(/^http:\/\/127\.0\.0\.1:51000\/back\?from=provider&code=[\w-]{43}$/),
      failure: null,
    });
  });

  test("opens no session and links no account until the code is exchanged", async () => {
    const userId = await f.user("guest");
    await f.register(f.google, { defaultUserId: userId });
    const before = await f.trail();
    const { code, verifier, location, failure } = await returned({ deviceId: "d" });
    expect([location, failure]).toEqual([`${address}?code=${code}`, null]);
    expect(code).toMatch(/^[\w-]{43}$/);
    const objects = await f.r.objects.find({ classes: ["xRestApiUserProvider"] }, seesAll, { offset: 0, limit: 10 });
    expect([await f.r.sessions.count(), await links(), objects.objects, await f.trail()]).toEqual([0, [], [], before]);

    const outcome = await f.trade({ code, verifier });
    expect(outcome).toEqual({
      sessionId: expect.any(String),
      databaseName: "test",
      user: expect.objectContaining({ "~ObjectID": userId }),
    });
    expect([await f.r.sessions.count(), (await links()).length]).toEqual([1, 1]);
    const { sessionId } = outcome as { sessionId: string };
    const { session } = await f.r.admission.admit({
      appKey: digests.sha256("key"),
      session: digests.sha256(sessionId),
      idleTimeout: 60_000,
    });
    expect(session).toMatchObject({ appNames: ["app"], deviceId: "d", authenticationMethod: { kind: "provider" } });
    expect(await exchange({ code, verifier })).toBe(324);
    expect(await f.r.sessions.count()).toBe(1);
  });

  test("gives an unlinked account a dfUuid that links it once", async () => {
    await f.user("ada");
    const { code, verifier } = await returned();
    const outcome = (await f.trade({ code, verifier })) as { dfUuid: string };
    expect(Object.keys(outcome)).toEqual(["dfUuid"]);
    expect(await exchange({ code, verifier })).toBe(324);
    expect(await codeOf(f.link(outcome.dfUuid))).toBe(0);
    const again = await returned();
    expect(await f.trade(again)).toMatchObject({ sessionId: expect.any(String), user: { Name: "ada" } });
  });

  test("stores nothing in clear text, and neither code nor verifier at all", async () => {
    const { code, verifier } = await returned({ secondFactor: { token: "123456", enrol: false } });
    const stored = JSON.stringify((await f.r.records.get("returnCode", [digests.sha256(code)]))[0]?.value);
    expect(stored).toMatch(/^\{"sealed":"[^"]+"\}$/);
    for (const secret of [code, verifier, "ada@example.com", "s-1", "Lovelace", "123456"])
      expect(stored).not.toContain(secret);
    expect(f.sealing.open("state", JSON.parse(stored).sealed)).toBeUndefined();
  });

  const wrong: readonly (readonly [string, (input: { code: string; verifier: string }) => Promise<unknown>])[] = [
    ["another verifier", ({ code }) => exchange({ code, verifier: random.secret() })],
    ["no verifier", ({ code }) => exchange({ code, verifier: "" })],
    ["the challenge for the verifier", ({ code, verifier }) => exchange({ code, verifier: pair(verifier).challenge })],
    ["the digest of the verifier", ({ code, verifier }) => exchange({ code, verifier: digests.sha256(verifier) })],
    ["a verifier with a suffix", ({ code, verifier }) => exchange({ code, verifier: `${verifier}=` })],
    ["another app key", (input) => codeOf(f.trade(input, { appKey: { ...f.context.appKey, id: "another" } }))],
    [
      "another alias",
      (input) => codeOf(f.trade(input, { database: Object.assign(Object.create(f.database), { alias: "second" }) })),
    ],
  ];
  test.each(wrong)("ends after %s", async (_what, attempt) => {
    await f.user("ada");
    await f.link(await f.dfUuid());
    const input = await returned();
    expect(await attempt(input)).toBe(324);
    expect(await exchange(input)).toBe(324);
    expect(await f.r.sessions.count()).toBe(1);
    expect(await f.trail()).toContain("provider.refused 324 google");
  });

  test("requires a verifier of at least 43 characters for any challenge", async () => {
    const { verifier, challenge } = pair("short");
    const { code } = await returned({ challenge });
    expect(await exchange({ code, verifier })).toBe(324);
  });

  test("ignores unknown codes, which the audit counts together", async () => {
    const input = await returned();
    for (const code of ["", "\0", random.secret(), input.code.slice(1), `${input.code} `, digests.sha256(input.code)])
      expect(await exchange({ ...input, code })).toBe(324);
    expect(await f.r.audit.settle(0, 10)).toBe(1);
    expect(await exchange(input)).toBe(0);
  });

  test("expires after a minute", async () => {
    const [early, late] = [await returned(), await returned()];
    offset = 59_000;
    expect(await exchange(early)).toBe(0);
    offset = 60_000;
    expect(await exchange(late)).toBe(324);
  });

  test("gives one of several simultaneous exchanges a session or a dfUuid", async () => {
    const unbound = await returned();
    const many = (input: { code: string; verifier: string }) =>
      Promise.all(Array.from({ length: 10 }, () => exchange(input)));
    const one = [0, ...Array.from({ length: 9 }, () => 324)];
    expect((await many(unbound)).toSorted()).toEqual(one);
    await f.register(f.google, { defaultUserId: await f.user("guest") });
    expect((await many(await returned())).toSorted()).toEqual(one);
    expect([await f.r.sessions.count(), (await links()).length]).toEqual([1, 1]);
    expect((await many(await returned())).toSorted()).toEqual(one);
    expect(await f.r.sessions.count()).toBe(2);
  });

  test("allows at most one of a right and a wrong verifier at once, and spends the code", async () => {
    await f.user("ada");
    await f.link(await f.dfUuid());
    for (let round = 0; round < 5; round += 1) {
      const input = await returned();
      const codes = await Promise.all([
        exchange({ ...input, verifier: random.secret() }),
        exchange(input),
        exchange(input),
      ]);
      expect(codes[0]).toBe(324);
      expect(codes.filter((code) => code === 0).length).toBeLessThanOrEqual(1);
      expect(await exchange(input)).toBe(324);
    }
  });

  test("tells the app why it failed once the state is known, and clears the cookie", async () => {
    const outcomeOf = async (change: () => unknown, undo: () => unknown = () => {}) => {
      const input = await f.startLogIn({ returnTo: address, challenge: pair().challenge });
      await change();
      const { outcome, cookie } = await f.finish(input);
      await undo();
      expect([cookie.value, cookie.maxAge]).toEqual(["", 0]);
      expect(await codeOf(f.finish(input))).toBe(324);
      const { location, failure } = outcome as { location: string; failure: ServiceError | null };
      expect(location).toBe(`${address}?error=${failure?.code}`);
      return failure;
    };
    const refusal = (error: unknown) => () => (f.google.refusal = error as ServiceError);
    const clearRefusal = () => (f.google.refusal = null);
    expect(await outcomeOf(refusal(new ServiceError(324, { detail: "cancelled" })), clearRefusal)).toMatchObject({
      code: 324,
      detail: "cancelled",
    });
    expect(await outcomeOf(refusal(new ServiceError(706)), clearRefusal)).toMatchObject({ code: 706 });
    expect(await outcomeOf(refusal(new ServiceError(608)), clearRefusal)).toMatchObject({ code: 608 });
    const bug = new TypeError("a bug");
    expect(await outcomeOf(refusal(bug), clearRefusal)).toMatchObject({ code: 799, cause: bug });
    expect(
      await outcomeOf(
        () => f.r.appKeys.setEnabled("key", false),
        () => f.r.appKeys.setEnabled("key", true),
      ),
    ).toMatchObject({ code: 101 });
    expect(
      await outcomeOf(
        () => new ProviderEntries(f.r.records).remove("google"),
        () => f.register(f.google),
      ),
    ).toMatchObject({ code: 698 });
    expect(await f.r.sessions.count()).toBe(0);
    expect((await f.trail()).filter((event) => !event.startsWith("provider.stored"))).toEqual([
      "provider.refused 324 google",
      "provider.refused 608 google",
      "provider.refused 698 google",
    ]);
  });

  test("does not redirect without a valid state and cookie", async () => {
    const startLogIn = () => f.startLogIn({ returnTo: address, challenge: pair().challenge });
    const [stolen, other, late] = [await startLogIn(), await startLogIn(), await startLogIn()];
    expect(await codeOf(f.finish({ ...stolen, cookie: () => null }))).toBe(324);
    expect(await codeOf(f.finish({ ...stolen, cookie: () => random.secret() }))).toBe(324);
    expect(await codeOf(f.finish({ ...other, cookie: stolen.cookie }))).toBe(324);
    expect(
      await codeOf(
        f.finish({
          ...late,
          parameters: new Map([
            ["state", random.secret()],
            ["code", "c"],
          ]),
        }),
      ),
    ).toBe(324);
    expect(await codeOf(f.finish({ ...late, providerName: "facebook" }))).toBe(324);
    await f.r.settings.setMaintenance(true);
    const waiting = await startLogIn();
    expect(await codeOf(f.finish(waiting))).toBe(706);
    await f.r.settings.setMaintenance(false);
    expect((await f.finish(waiting)).outcome).toHaveProperty("location");
    expect(f.google.finished).toHaveLength(1);
  });

  test("has the same limits for codes as for log-ins in progress, for a network and in all", async () => {
    await open({ quota: { perOwner: 2, total: 0 } });
    const [first] = [await returned(), await returned()];
    const refused = await returned();
    expect([refused.code, refused.error]).toEqual(["", "706"]);
    expect(await exchange(first)).toBe(0);
    expect((await returned()).error).toBeNull();
    offset = 60_000;
    expect((await returned()).error).toBeNull();
  });

  test("ends when the user is disabled, the provider is gone or no session is free", async () => {
    const userId = await f.user("ada");
    await f.link(await f.dfUuid());
    const refused = async (change: () => unknown, undo: () => unknown) => {
      const input = await returned();
      await change();
      const code = await exchange(input);
      await undo();
      expect(await exchange(input)).toBe(324);
      return code instanceof Error ? (code as ServiceError).code : code;
    };
    expect(
      await refused(
        () => f.r.accounts.change(userId, { disabled: true }),
        () => f.r.accounts.change(userId, { disabled: false }),
      ),
    ).toBe(302);
    expect(
      await refused(
        () => new ProviderEntries(f.r.records).remove("google"),
        () => f.register(f.google),
      ),
    ).toBe(698);
    const limit = (value: number) => setLimits(administrationOf(f.database), new Map([["sessions.limit", value]]));
    expect(
      await refused(
        () => limit(1),
        () => limit(0),
      ),
    ).toBe(315);
    expect(await f.trail()).toEqual(
      expect.arrayContaining(["login.refused 302 google", "provider.refused 698 google"]),
    );
  });

  test("stays open when a second factor is required, and is spent by an enrolment", async () => {
    await f.user("ada");
    await f.link(await f.dfUuid());
    await new Applications(f.r.records).setSecondFactor("app", "forced");
    const input = await returned();
    expect([await exchange(input), await exchange({ ...input, token: "123456" }), await exchange(input)]).toEqual([
      340, 340, 340,
    ]);
    const codes = await Promise.all(Array.from({ length: 5 }, () => exchange({ ...input, enrol: true })));
    expect(codes.toSorted()).toEqual([0, 324, 324, 324, 324]);
    expect(await exchange(input)).toBe(324);
    expect(await f.r.sessions.count()).toBe(2);
    offset = 1;
    const late = await returned();
    expect(await exchange(late)).toBe(340);
    offset = 60_001;
    expect(await exchange({ ...late, enrol: true })).toBe(324);
  });

  test("completes a log-in that an earlier version began without an address", async () => {
    const input = await f.startLogIn();
    const digest = digests.sha256(input.parameters.get("state") ?? "");
    const stored = (await f.r.records.take("providerState", digest)) as { sealed: string };
    const { returnTarget, ...secrets } = f.sealing.open("state", stored.sealed) as Record<string, never>;
    expect(returnTarget).toBeNull();
    const earlier = { ...stored, sealed: f.sealing.seal("state", secrets) };
    await f.r.records.put("providerState", digest, earlier, { lifetime: 1_000 });
    expect((await f.finish(input)).outcome).toHaveProperty("dfUuid");
  });
});
