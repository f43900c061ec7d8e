import { Applications, SecondFactors, waitingMail } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { authenticatorSuite } from "./authenticator-suite.ts";
import { call, callIn, checkSessionIn as checkSession, type Answer } from "./client.ts";
import { customPasswordEnvironment, customPasswordSuite } from "./custom-password-suite.ts";
import { customResetSuite } from "./custom-reset-suite.ts";
import { customUserEnvironment, customUserSuite } from "./custom-user-suite.ts";
import { startDemoServer } from "./demo-server.ts";
import { onEngines, type DemoOfSuite, withoutLockout } from "./engines.ts";
import { MailFolder } from "./mail-folder.ts";
import { Mailbox } from "./mailbox.ts";
import { openSession } from "./open-session.ts";
import { newUser, passwordSuite } from "./password-suite.ts";
import { repositoriesOf } from "./repositories-of.ts";
import { resetMailEnvironment, resetMailSuite } from "./reset-mail-suite.ts";
import { resetMail } from "./reset-mail.ts";
import { attempt, Authenticator, logInWithFactor, factorRequests } from "./second-factor-client.ts";
import { secondFactorEnvironment, secondFactorSuite } from "./second-factor-suite.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";

describe("custom users", () => {
  onEngines(
    "custom users",
    (server) => {
      describe("with an account", () => {
        customUserSuite(server);
      });
      describe("with a password", () => {
        customPasswordSuite(server);
      });
      describe("with an authentication hook", () => {
        authenticatorSuite(server);
      });
    },
    { environment: { ...customUserEnvironment, ...customPasswordEnvironment } },
  );
});

describe("passwords", () => {
  const environment = { ...storedServerKeys, ...withoutLockout };
  const password = "the first password";

  onEngines("passwords", passwordSuite, { environment });

  onEngines("passwords on two servers with one database", twoServerSuite, { environment, on: ["Postgres"], count: 2 });

  function twoServerSuite(_server: () => RunningServer, { servers, postgres }: DemoOfSuite): void {
    const at = (index: number) => servers()[index % 2] as RunningServer;

    test("one of several concurrent changes on both succeeds, and both end the same sessions at once", async () => {
      const { name } = await newUser(at(0));
      const [own, other] = [
        await openSession(at(0), "session", name, { password }),
        await openSession(at(1), "token", name, { password }),
      ];
      const codes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          callIn(at(index), own, "/v1/changePassword", {
            method: "POST",
            body: { oldPassword: password, newPassword: `password ${index}` },
          }).then(({ code }) => code),
        ),
      );
      expect(codes.toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "339")]);
      for (const index of [0, 1])
        expect([await checkSession(at(index), own), await checkSession(at(index), other)]).toEqual(["0", "203"]);
    });

    test("one of several concurrent uses of a token on both sets the password, and all sessions end on both", async () => {
      const { name } = await newUser(at(0));
      const session = await openSession(at(1), "session", name, { password });
      const prepared = await resetMail.prepare(repositoriesOf(at(0)), { user: name });
      const codes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          call(at(index), "/v1/confirmResetPassword", {
            method: "POST",
            body: { resetPasswordToken: prepared?.token, newPassword: `password ${index}` },
          }).then(({ code }) => code),
        ),
      );
      expect(codes.toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "328")]);
      expect([await checkSession(at(0), session), await checkSession(at(1), session)]).toEqual(["201", "201"]);
    });

    test("the storage contains neither token nor password", async () => {
      const { name } = await newUser(at(0));
      const prepared = await resetMail.prepare(repositoriesOf(at(0)), { user: name });
      const session = await openSession(at(0), "session", name, { password });
      await callIn(at(0), session, "/v1/changePassword", {
        method: "POST",
        body: { oldPassword: password, newPassword: "a password to look for" },
      });
      const tables = ["records", "accounts", "audit", "audit_tallies"];
      const rows = await Promise.all(
        tables.map((table) => postgres().sql.query(`select t::text as row from sallyport_demo.${table} t`)),
      );
      const stored = JSON.stringify(rows.map((result) => result.rows));
      expect(stored).toContain("$argon2id$");
      for (const secret of [prepared?.token ?? "?", "a password to look for", password])
        expect(stored).not.toContain(secret);
    });
  }
});

describe("second factors", () => {
  onEngines("second factors", secondFactorSuite, { environment: secondFactorEnvironment });

  onEngines("second factors of two servers", twoServerSuite, {
    environment: secondFactorEnvironment,
    on: ["Postgres"],
    count: 2,
  });

  function twoServerSuite(_server: () => RunningServer, { servers }: DemoOfSuite): void {
    test("a token accepted by one is refused by the other, and one of several concurrent uses is accepted", async () => {
      const [one, other] = servers() as [RunningServer, RunningServer];
      const { records } = repositoriesOf(one);
      await new Applications(records).create({ name: "may", seats: null, secondFactor: "optional" });
      const factor = factorRequests(one, await logInWithFactor(one, "session", "demo", ["may"]), "may");
      const { secret, recoveryCodes } = await factor.enrol();
      const authenticator = await Authenticator.of(one, secret);
      const [begun] = (await new SecondFactors(records).list(null, 1)) ?? [];
      expect(begun !== undefined && (await new SecondFactors(records).accept(begun, 0))).toBe(true);
      const logIn = (server: RunningServer, token: string | undefined) =>
        attempt(server, "session", { user: "demo", appNames: ["may"], "2faToken": token });
      expect([await logIn(one, authenticator.token()), await logIn(other, authenticator.token())]).toEqual([
        "0",
        "342",
      ]);
      for (const token of [authenticator.token(1), recoveryCodes[0]]) {
        const codes = await Promise.all(
          Array.from({ length: 40 }, (_, index) => logIn(index % 2 === 0 ? one : other, token)),
        );
        expect([codes.filter((code) => code === "0").length, codes.filter((code) => code === "342").length]).toEqual([
          1, 39,
        ]);
      }
    });
  }
});

describe("reset by mail", () => {
  const mailbox = new Mailbox();
  beforeAll(() => mailbox.open());
  afterAll(() => mailbox.close());

  onEngines(
    "reset by mail",
    (server) => {
      resetMailSuite(server, () => mailbox);

      describe("of a custom user", () => {
        customResetSuite(server, () => mailbox);
      });
    },
    { environment: () => ({ ...resetMailEnvironment, ...mailbox.environment }) },
  );

  const mails = new MailFolder();

  onEngines("requests for resets", requestSuite, {
    environment: {
      ...resetMailEnvironment,
      MAIL_DIR: mails.path,
      MAIL_POLL_INTERVAL: "10m",
      PASSWORD_RESETS_PER_IP: "5",
      TRUSTED_PROXIES: "127.0.0.1",
    },
  });

  function requestSuite(server: () => RunningServer): void {
    const ask = (user: string, address: string): Promise<Answer> =>
      call(server(), "/v1/resetPassword", {
        method: "POST",
        body: { user },
        headers: { "x-forwarded-for": address, "x-forwarded-proto": "https" },
      });
    const waiting = async () => (await waitingMail(repositoriesOf(server()))).count;

    test("of one network are limited, also in parallel, without effect on other networks", async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(`user ${n}`, "192.0.2.1")));
      const codes = answers.map(({ code }) => code).toSorted();
      expect(codes).toEqual([...Array<string>(5).fill("0"), ...Array<string>(25).fill("706")]);
      expect(answers.find(({ code }) => code === "706")).toMatchObject({
        status: 503,
        headers: { "retry-after": expect.stringMatching(/^\d+$/) },
      });
      expect(await waiting()).toBe(5);
      expect((await ask("demo", "192.0.2.2")).code).toBe("0");
      expect(await waiting()).toBe(6);
    });

    test("for one name are limited to three, with the same answer", async () => {
      const before = await waiting();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask("reader", `198.51.100.${n}`)));
      for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
      expect(await waiting()).toBe(before + 3);
    });
  }

  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("memory");
  }, 60_000);
  afterAll(() => server.close());

  const ask = (user: string): Promise<Answer> => call(server, "/v1/resetPassword", { method: "POST", body: { user } });

  test("is refused for all users without configured mail", async () => {
    const answers = [await ask("demo"), await ask("nobody of this name"), await ask("demo\r\nBcc: all@mail.example")];
    for (const { status, body } of answers) expect([status, body]).toEqual([500, answers[0]?.body]);
    expect(answers[0]?.code).toBe("712");
    expect(await waitingMail(repositoriesOf(server))).toMatchObject({ count: 0 });
  });
});
