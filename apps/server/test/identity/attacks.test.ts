import { Applications, SecondFactors } from "@sallyport/core";
import { faults, Latch } from "@sallyport/testing/faults";
import type { RunningServer } from "../../src/index.ts";
import { call, checkSession, type Sent } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openFaultFixture } from "../faults/fault-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { Authenticator, logInWithFactor, factorRequests, secondFactorEnvironment } from "../second-factor-client.ts";
import { newUser } from "../new-user.ts";

describe("attacks on log-in endpoints", () => {
  /** Attempts of an attacker who knows several log-in endpoints. */

  const maxFailures = 4;

  let server: RunningServer;
  beforeEach(async () => {
    const throttle = {
      THROTTLE_IP_MAX_FAILURES: "1000",
      THROTTLE_USER_MAX_FAILURES: String(maxFailures),
      THROTTLE_FIRST_DELAY: "10m",
      THROTTLE_LONGEST_DELAY: "10m",
    };
    server = await startDemoServer("memory", throttle);
  }, 60_000);
  afterEach(() => server.close());

  const doors = { user: "/v1/login", custom: "/v1/auth/df" } as const;
  const logIn = async (door: keyof typeof doors, user: string, pass: string, headers: Sent["headers"] = {}) =>
    call(server, doors[door], { method: "POST", headers, body: { user, pass, appNames: "demo-app" } });
  const answerOf = ({ code, headers }: Awaited<ReturnType<typeof logIn>>) =>
    `${code}${headers["retry-after"] === undefined ? "" : " later"}`;
  const failures = async (door: keyof typeof doors, names: readonly string[]) => {
    const outcomes: string[] = [];
    for (const name of names) outcomes.push(answerOf(await logIn(door, name, "a wrong password")));
    return outcomes;
  };
  const many = (name: string) => Array.from({ length: maxFailures + 2 }, () => name);

  test("failures at one log-in endpoint do not lock out users of another, for any name", async () => {
    const key = (...parts: readonly string[]) => parts.join("\u0000");
    const { account } = await repositoriesOf(server).accounts.find({ realm: "custom", loginName: "partner" }, []);
    for (const name of [
      "partner",
      key("custom", "partner"),
      key("factor", `custom:${account?.id}`, "demo-app"),
      key("provider", "https://accounts.google.com", "1"),
    ])
      await failures("user", many(name));
    expect(answerOf(await logIn("custom", "partner", "partner"))).toBe("0");
    await failures("custom", many("demo"));
    expect(answerOf(await logIn("user", "demo", "demo"))).toBe("0");
  });

  test("spellings of a name share its number of guesses", async () => {
    const { name } = await newUser(server);
    const spellings = [
      name,
      name.toUpperCase(),
      ` ${name}`,
      `${name} `,
      `${name}\u200b`,
      `${name}\u0000`,
      name.replace("s", "\uff53"),
      name.normalize("NFKD"),
    ];
    for (const spelling of spellings.filter((each) => each !== name)) {
      const { code } = await logIn("user", spelling, "the first password");
      expect([spelling, code]).toEqual([spelling, "302"]);
    }
    // Spellings of one name count as the same.
    const repositories = repositoriesOf(server);
    const [user] = await repositories.objects.insert([{ className: "User", attributes: { Name: "M\u00fcller" } }]);
    const secret = (await repositories.accounts.find({ realm: "database", loginName: name }, [])).account
      ?.secret as string;
    await repositories.accounts.create(
      { userId: user?.id as string, loginName: "M\u00fcller", secret, administrator: false },
      "m\u00fcller",
    );
    const guesses = ["M\u00fcller", "Mu\u0308ller", "M\u00fcller", "Mu\u0308ller"];
    expect(await failures("user", guesses)).toEqual(["302", "302", "302", "302 later"]);
    expect([
      answerOf(await logIn("user", "M\u00fcller", "the first password")),
      answerOf(await logIn("user", "Mu\u0308ller", "the first password")),
    ]).toEqual(["302 later", "302 later"]);
    expect(await failures("custom", ["partner", "PARTNER", " partner", "p\uff41rtner"])).toEqual([
      "302",
      "302",
      "302",
      "302 later",
    ]);
    expect(answerOf(await logIn("custom", "partner", "partner"))).toBe("302 later");
  });

  test("a session of any log-in endpoint is valid with its app key, in its database and in its header only", async () => {
    const { body } = await logIn("custom", "partner", "partner");
    const { sessionId } = body.data;
    expect(await checkSession(server, sessionId)).toBe("0");
    const send = async (path: string, headers: Record<string, string>) => (await call(server, path, { headers })).code;
    expect(await send("/second/_CheckSession", { sessionid: sessionId })).toBe("201");
    expect(await send("/_CheckSession", { authorization: sessionId })).toBe("203");
    expect(await send("/_CheckSession", { "secure-token": sessionId })).toBe("203");
    expect(
      await send("/_CheckSession", {
        sessionid: sessionId,
        cookie: `sessionId=${sessionId}`,
        appkey: "another app key",
      }),
    ).toBe("101");
    expect(await send(`/_CheckSession?sessionId=${sessionId}`, { cookie: `sessionId=${sessionId}` })).toBe("200");
  });

  test("a refused log-in makes the same storage calls for an existing and an unknown user", async () => {
    const fixture = await openFaultFixture("memory");
    try {
      const callsOf = async (path: string, user: string) => {
        const calls = await fixture.script.record(async () => {
          const { code } = await fixture.send({
            method: "POST",
            path,
            body: { user, pass: "a wrong password", appNames: ["demo-app"] },
            sessionId: null,
          });
          expect(code).toBe(302);
        });
        return calls.map(({ name, within }) => `${within} ${name}`);
      };
      for (const [path, known] of [
        ["/v1/login", "demo"],
        ["/v2/login", "demo"],
        ["/v1/auth/df", "partner"],
      ] as const) {
        await callsOf(path, known);
        expect(await callsOf(path, "nobody of this name")).toEqual(await callsOf(path, known));
      }
    } finally {
      await fixture.close();
    }
  }, 60_000);
});

describe("attacks on second factors", () => {
  /** Attempts of an attacker who knows a password, but not the second factor. */

  let server: RunningServer;
  let authenticator: Authenticator;
  let recoveryCodes: readonly string[];

  beforeEach(async () => {
    server = await startDemoServer("memory", {
      ...secondFactorEnvironment,
      THROTTLE_USER_MAX_FAILURES: "5",
      THROTTLE_FIRST_DELAY: "10m",
      THROTTLE_LONGEST_DELAY: "10m",
    });
    const { records } = repositoriesOf(server);
    const [applications, secondFactors] = [new Applications(records), new SecondFactors(records)];
    for (const name of ["guarded", "guarded too"])
      await applications.create({ name, seats: null, secondFactor: "optional" });
    const factor = factorRequests(server, await logInWithFactor(server, "session", "demo", ["guarded"]), "guarded");
    const enrolled = await factor.enrol();
    recoveryCodes = enrolled.recoveryCodes;
    authenticator = await Authenticator.of(server, enrolled.secret);
    const [begun] = await secondFactors.list(null, 1);
    expect(begun !== undefined && (await secondFactors.accept(begun, 0))).toBe(true);
  }, 60_000);
  afterEach(() => server.close());

  const logIn = async (appNames: readonly string[], token?: string) => {
    const { code, headers } = await call(server, "/v1/login", {
      method: "POST",
      body: { user: "demo", pass: "demo", appNames, ...(token === undefined ? {} : { "2faToken": token }) },
    });
    return `${code}${headers["retry-after"] === undefined ? "" : " later"}`;
  };

  test("wrong tokens are counted, despite log-ins for other app names between them", async () => {
    const codes: string[] = [];
    for (let round = 0; round < 7; round += 1)
      codes.push(await logIn(["guarded"], authenticator.wrong()), await logIn(["demo-app"]));
    expect(codes.filter((_code, index) => index % 2 === 0)).toEqual([
      "342",
      "342",
      "342",
      "342",
      "342 later",
      "342 later",
      "342 later",
    ]);
    // The user is locked out only of what the tokens guard; there the right token has to wait, too.
    expect(codes.filter((_code, index) => index % 2 === 1)).toEqual(Array.from({ length: 7 }, () => "0"));
    expect([
      await logIn(["guarded"], authenticator.token()),
      await logIn(["guarded"], recoveryCodes[0]),
      await logIn(["guarded"]),
    ]).toEqual(["342 later", "342 later", "341"]);
  });

  test("a right token clears the wrong ones before it", async () => {
    for (const token of [authenticator.token(), authenticator.token(1)]) {
      for (let round = 0; round < 4; round += 1) expect(await logIn(["guarded"], authenticator.wrong())).toBe("342");
      expect(await logIn(["guarded"], token)).toBe("0");
    }
  });

  test("one log-in is one guess, with any number of tokens", async () => {
    const wrong = authenticator.wrong();
    expect(await logIn(["guarded"], `${wrong},${authenticator.token()}`)).toBe("342");
    expect(await logIn(["guarded", "guarded too"], `${wrong},${authenticator.token()}`)).toBe("342");
    expect(await logIn(["guarded"], `,${authenticator.token()}`)).toBe("342");
    expect(await logIn(["guarded"], authenticator.token())).toBe("0");
  });

  test("many concurrent guesses lock out the client", async () => {
    const codes = await Promise.all(Array.from({ length: 30 }, () => logIn(["guarded"], authenticator.wrong())));
    // Some arrive when the user is locked out completely.
    expect(codes.filter((code) => !/^342|^302 later$/.test(code))).toEqual([]);
    expect(await logIn(["guarded"], authenticator.token())).toMatch(/ later$/);
  });

  test("disabling a factor while it is confirmed requires a token", async () => {
    const fixture = await openFaultFixture("memory", {}, secondFactorEnvironment);
    try {
      const { records } = fixture.storage.repositories;
      const [applications, secondFactors] = [new Applications(records), new SecondFactors(records)];
      await applications.create({ name: "guarded", seats: null, secondFactor: "optional" });
      const { sessionId } = (
        await fixture.send({
          method: "POST",
          path: "/v1/login",
          body: { user: "demo", pass: "demo", appNames: ["guarded"] },
          sessionId: null,
        })
      ).data;
      const send = (method: "POST" | "DELETE") =>
        fixture.send({ method, path: "/v1/2fa/secret?app=guarded", sessionId });
      await send("POST");
      const latch = new Latch();
      fixture.script.add({ call: "transaction", fault: faults.slow(latch) });
      const switchedOff = send("DELETE");
      await latch.reached;
      const [begun] = await secondFactors.list(null, 1);
      expect(begun !== undefined && (await secondFactors.accept(begun, 0))).toBe(true);
      latch.open();
      expect(await switchedOff).toMatchObject({ status: 401, code: 341 });
      expect(await secondFactors.list(null, 10)).toEqual([
        { ...begun, confirmed: true, lastStep: 0, version: expect.any(Number) },
      ]);
      expect(await send("DELETE")).toMatchObject({ code: 341 });
    } finally {
      await fixture.close();
    }
  }, 60_000);
});
