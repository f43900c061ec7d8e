import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";
import { LicenceMessages, ProviderEntries } from "../../src/index.ts";
import { digests, random } from "../fixture.ts";
import { codeOf, openProviderFixture, type ProviderFixture, linksIn } from "./provider-fixture.ts";

describe("provider log-in", () => {
  let f: ProviderFixture;
  beforeEach(async () => {
    f = await openProviderFixture();
  });
  const links = () => linksIn(f.r);
  const secrets = () => f.google.begun.flatMap(({ state, nonce, codeVerifier }) => [state, nonce, codeVerifier]);

  test("begins with single-use secrets, a cookie, and the configured address", async () => {
    const started = await f.start();
    await f.start();
    expect(new Set(secrets()).size).toBe(6);
    for (const secret of secrets()) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(f.google.begun[0]).toMatchObject({
      redirectUri: "https://service.example/api/v1/google/callback",
      data: { clientId: "c" },
    });
    expect(started.cookie).toMatchObject({
      path: "/",
      secure: true,
      maxAge: 600,
      name: `__Host-sallyport_login_${digests.sha256(secrets()[0] as string).slice(0, 8)}`,
    });
    expect(started.location).not.toContain(started.cookie.value);
  });

  test.each([
    [{ providerName: "Google" }, 0],
    [{ providerName: "apple" }, 698],
    [{ providerName: "constructor" }, 698],
    [{ appNames: ["app"] }, 0],
    [{ appNames: ["other"] }, 208],
    [{ appNames: ["app", "app"] }, 210],
  ])("begins with %j: %d", async (change, code) => expect(await codeOf(f.start(change))).toBe(code));

  test("requires an entry, app names and data", async () => {
    await f.register(f.google, { appNames: [] });
    expect(await codeOf(f.start())).toBe(209);
    const withoutId = { accept: (data: unknown) => data, type: "google" };
    await f.register(Object.assign(Object.create(f.google), withoutId), { data: {} });
    expect(await codeOf(f.start())).toBe(608);
    await new ProviderEntries(f.r.records).remove("google");
    expect(await codeOf(f.start())).toBe(698);
  });

  test("is refused while too many are in progress, which the audit counts by app key and network", async () => {
    let offset = 0;
    const crowded = await openProviderFixture({ quota: { perOwner: 2, total: 3 }, clockOffset: () => offset });
    const from = (network: string) => crowded.start({}, { address: network, network });
    for (let round = 0; round < 2; round += 1) await from("192.0.2.1");
    for (const whose of ["from this network", "from this network"]) {
      await expect(from("192.0.2.1")).rejects.toMatchObject({
        code: 706,
        retryAfter: 10,
        detail: `Too many provider log-ins ${whose} are pending.`,
      });
    }
    await from("192.0.2.2");
    await expect(from("192.0.2.2")).rejects.toMatchObject({
      code: 706,
      retryAfter: 10,
      detail: "Too many provider log-ins of this database are pending.",
    });
    expect(await crowded.r.audit.settle(0, 10)).toBe(2);
    const refusals = (await crowded.r.audit.read(0, 100)).filter(({ type }) => type === "provider.refused");
    expect(refusals.map(({ outcome, address, attempts }) => [outcome, address, attempts])).toEqual([
      [706, "192.0.2.1", 2],
      [706, "192.0.2.2", 1],
    ]);
    offset = 600_000;
    await from("192.0.2.1");
  });

  test("unseals the data of a provider once, until they are sealed again", async () => {
    const opened = jest.spyOn(f.sealing, "openData");
    const clientIds = () => f.google.begun.map(({ data }) => data["clientId"]);
    await f.start();
    await f.start();
    await f.finish(await f.startLogIn());
    expect(opened).toHaveBeenCalledTimes(1);
    await f.register(f.google, { data: { clientId: "d" } });
    await f.start();
    expect(clientIds()).toEqual(["c", "c", "c", "d"]);
    await f.start({ providerName: "facebook" });
    expect(f.facebook.begun[0]).toMatchObject({ data: { clientId: "c" } });
    expect(opened).toHaveBeenCalledTimes(3);
  });

  test("gives an unlinked account a dfUuid that links it once", async () => {
    const userId = await f.user("ada");
    const dfUuid = await f.dfUuid();
    expect(dfUuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await links()).toEqual([]);
    const bound = await f.link(dfUuid);
    expect(bound).toMatchObject({ databaseName: "test", user: { Name: "ada" } });
    expect(await links()).toEqual([
      expect.objectContaining({
        provider: "google",
        issuer: "https://provider.example",
        subject: "s-1",
        userId,
        shared: false,
        email: "ada@example.com",
        displayName: "Ada Lovelace",
      }),
    ]);
    const { outcome } = await f.finish(await f.startLogIn());
    expect(outcome).toMatchObject({
      sessionId: expect.any(String),
      databaseName: "test",
      user: { "~ObjectID": userId },
    });
    expect(await codeOf(f.link(dfUuid))).toBe(324);
  });

  test("is identified by issuer and subject alone", async () => {
    await f.user("ada");
    await f.link(await f.dfUuid());
    for (const change of [
      { subject: "s-2" },
      { subject: "S-1" },
      { issuer: "https://PROVIDER.example" },
      { issuer: "https://other.example" },
    ]) {
      const known = f.google.profile;
      f.google.profile = { ...known, ...change };
      await f.dfUuid();
      f.google.profile = known;
    }
    f.google.profile = { ...f.google.profile, email: "eve@example.com", name: "Eve" };
    expect((await f.finish(await f.startLogIn())).outcome).toHaveProperty("sessionId");
    expect(await links()).toHaveLength(1);
  });

  test("checks credentials before the dfUuid, which only a success spends", async () => {
    await f.user("ada");
    const dfUuid = await f.dfUuid();
    expect(await codeOf(f.link("nothing", { pass: "wrong" }))).toBe(302);
    expect(await codeOf(f.link(dfUuid, { pass: "wrong" }))).toBe(302);
    for (const bad of [
      undefined,
      null,
      "",
      7,
      {},
      [dfUuid],
      "nothing",
      dfUuid.replace(/^./, "g"),
      "00000000-0000-4000-8000-000000000000",
    ]) {
      expect(await codeOf(f.link(bad))).toBe(324);
    }
    expect(await codeOf(f.link(dfUuid, { key: "another" }))).toBe(324);
    expect(await f.r.sessions.count()).toBe(0);
    expect(await codeOf(f.link(dfUuid.toUpperCase()))).toBe(0);
    expect(await f.r.sessions.count()).toBe(1);
  });

  test("notifies a user with an address once about a new link, and sends nothing otherwise", async () => {
    const known = await openProviderFixture({ mail: "taken" });
    await known.user("ada", "secret", "ada@mail.example");
    await known.user("ben");
    const dfUuid = await known.dfUuid();
    expect([await codeOf(known.link(dfUuid, { pass: "wrong" })), await codeOf(known.link("none"))]).toEqual([302, 324]);
    expect(known.sentMails).toEqual([]);
    await known.link(dfUuid);
    expect(await codeOf(known.link(dfUuid))).toBe(324);
    const linked = { kind: "accountLinked", to: "ada@mail.example", name: "ada", provider: "google" };
    expect(known.sentMails).toEqual([["", { ...linked, language: "de" }]]);
    known.google.profile = { ...known.google.profile, subject: "s-2" };
    await known.link(await known.dfUuid(), { language: "en" });
    known.google.profile = { ...known.google.profile, subject: "s-3" };
    await known.link(await known.dfUuid(), { user: "ben" });
    expect(known.sentMails.slice(1)).toEqual([["", { ...linked, language: "en" }]]);
  });

  test("notifies a user of a link that stays although the licence server refuses the session", async () => {
    const settings = { required: true, lifetime: 60_000, queueLimit: 10, lease: 1_000 };
    const send = async () => Promise.reject(new Error("away"));
    const licences = new LicenceMessages({ settings, digests, random, send, notify: () => {} });
    const known = await openProviderFixture({ mail: "taken", licences });
    await known.user("ada", "secret", "ada@mail.example");
    expect(await codeOf(known.link(await known.dfUuid()))).toBe(711);
    expect([await known.r.sessions.count(), (await linksIn(known.r)).length]).toEqual([0, 1]);
    expect(known.sentMails).toMatchObject([["", { kind: "accountLinked", to: "ada@mail.example" }]]);
  });

  test.each([
    ["none", 0],
    ["refused", 1],
  ] as const)("links whether or not a notification can be sent: mail %s", async (mail, orders) => {
    const known = await openProviderFixture({ mail });
    await known.user("ada", "secret", "ada@mail.example");
    expect([
      await codeOf(known.link(await known.dfUuid())),
      known.sentMails.length,
      (await linksIn(known.r)).length,
    ]).toEqual([0, orders, 1]);
  });

  test("links an account once when several requests compete with any dfUuid", async () => {
    await f.user("ada");
    await f.user("eve");
    const [first, second] = [await f.dfUuid(), await f.dfUuid()];
    const codes = await Promise.all(
      [first, first, second, second].map((dfUuid, index) =>
        codeOf(f.link(dfUuid, { user: index % 2 === 0 ? "ada" : "eve" })),
      ),
    );
    expect(codes.toSorted()).toEqual([0, 324, 324, 324]);
    expect(await links()).toHaveLength(1);
    expect(await f.r.sessions.count()).toBe(1);
  });

  test("spends its state first, and is refused when any part does not match", async () => {
    const provided = (parameters: Record<string, string>) => new Map(Object.entries(parameters));
    const bad = [
      (input: Awaited<ReturnType<typeof f.startLogIn>>) => ({ ...input, providerName: "facebook" }),
      (input: Awaited<ReturnType<typeof f.startLogIn>>) => ({ ...input, cookie: () => null }),
      (input: Awaited<ReturnType<typeof f.startLogIn>>) => ({ ...input, cookie: () => random.secret() }),
    ];
    for (const change of bad) {
      const input = await f.startLogIn();
      expect(await codeOf(f.finish(change(input)))).toBe(324);
      expect(await codeOf(f.finish(input))).toBe(324);
    }
    const input = await f.startLogIn();
    expect(await codeOf(f.finish({ ...input, parameters: provided({ code: "c" }) }))).toBe(324);
    expect(await codeOf(f.finish({ ...input, parameters: provided({ code: "c", state: random.secret() }) }))).toBe(324);
    expect(await codeOf(f.finish({ ...input, providerName: "nobody" }))).toBe(698);
    expect(f.google.finished).toEqual([]);
    expect(await codeOf(f.finish(input))).toBe(0);
    expect(await codeOf(f.finish(input))).toBe(324);
    expect(f.google.finished).toEqual([
      expect.objectContaining({ ...f.google.begun.at(-1), parameters: input.parameters }),
    ]);
  });

  test.each([
    ["https://service.example/api/", "__Host-sallyport_login_", "/", "sallyport_login_"],
    ["HTTPS://service.example", "__Host-sallyport_login_", "/", "sallyport_login_"],
    ["http://127.0.0.1:8080/api", "sallyport_login_", "/api/v1/google/callback", "__Host-sallyport_login_"],
  ])(
    "with a callback at %s has a cookie named %s for %s, and refuses one named %s",
    async (publicUrl, prefix, path, otherPrefix) => {
      const known = await openProviderFixture({ publicUrl });
      for (const isOwn of [true, false]) {
        const { location, cookie } = await known.start();
        expect(cookie).toMatchObject({
          name: expect.stringMatching(new RegExp(`^${prefix}[0-9a-f]{8}$`)),
          path,
          secure: path === "/",
        });
        const shown = isOwn ? cookie.name : cookie.name.replace(prefix, otherPrefix);
        const parameters = new Map([
          ["state", new URL(location).searchParams.get("state") ?? ""],
          ["code", "c-1"],
        ]);
        const finished = known.finish({
          providerName: "google",
          parameters,
          cookie: (name) => (name === shown ? cookie.value : null),
        });
        if (isOwn) expect((await finished).cookie).toEqual({ ...cookie, value: "", maxAge: 0 });
        else await expect(finished).rejects.toMatchObject({ code: 324 });
      }
    },
  );

  test("accepts one of several callbacks with the same state", async () => {
    const input = await f.startLogIn();
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(f.finish(input))));
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
    expect(f.google.finished).toHaveLength(1);
  });

  test("fails when the app key, the app name, the entry or the user is gone", async () => {
    const userId = await f.user("ada");
    await f.link(await f.dfUuid());
    const refused = async (change: () => Promise<unknown>) => {
      const input = await f.startLogIn();
      await change();
      return codeOf(f.finish(input));
    };
    expect(await refused(() => f.r.appKeys.setEnabled("key", false))).toBe(101);
    await f.r.appKeys.setEnabled("key", true);
    expect(await refused(() => new ProviderEntries(f.r.records).remove("google"))).toBe(698);
    await f.register(f.google);
    expect(await refused(() => f.r.accounts.change(userId, { disabled: true }))).toBe(302);
    await f.r.accounts.change(userId, { disabled: false });
    expect(await refused(async () => (f.google.refusal = new ServiceError(324, { detail: "cancelled" })))).toBe(324);
    expect(await refused(async () => (f.google.refusal = new ServiceError(706)))).toBe(706);
    expect(await f.trail()).toEqual(
      expect.arrayContaining([
        "link.created 0 google",
        "login.refused 302 google",
        "provider.refused 324 google",
        "provider.refused 698 google",
      ]),
    );
  });

  test("calls the provider for a bounded number of log-ins of a network at once", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    f.google.finish = async () => {
      await answered;
      throw new ServiceError(324);
    };
    const inputs = await Promise.all(Array.from({ length: 17 }, () => f.startLogIn()));
    const codes = inputs.map((input) => codeOf(f.finish(input)));
    expect(await Promise.race(codes)).toBe(706);
    answer();
    expect((await Promise.all(codes)).toSorted()).toEqual([...Array.from({ length: 16 }, () => 324), 706]);
  });

  test("stores no link secret in clear text", async () => {
    const { cookie } = await f.start({ secondFactor: { token: "123456", enrol: false } });
    const { state } = f.google.begun[0] ?? { state: "" };
    const stored = JSON.stringify(await f.r.records.get("providerState", [digests.sha256(state)]));
    for (const secret of [...secrets(), cookie.value, "123456"]) expect(stored).not.toContain(secret);
    expect(JSON.stringify(await new ProviderEntries(f.r.records).list())).not.toContain("clientSecret");
  });
});
