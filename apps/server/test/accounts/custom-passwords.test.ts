import type { Account, Repositories } from "@sallyport/storage";
import { type Answer, call, checkSession } from "../client.ts";
import { newCustomUser, customUserMail, customUserEnvironment } from "../new-custom-user.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";

const first = "the first password";
const second = "quite another one";
const wrong = "ZZZZ-ZZZZ";

/**
 * How custom users change their password: requested with the old one, confirmed with a mailed code. On every engine.
 */
onEngines(
  "passwords of custom users",
  (server) => {
    const repositories = (): Repositories => repositoriesOf(server());
    const create = (hasAddress = true): Promise<Account> => newCustomUser(server(), { password: first, hasAddress });
    const logIn = (user: string, pass: string): Promise<Answer> =>
      call(server(), "/v1/auth/df", { method: "POST", body: { user, pass, appNames: "demo-app" } });
    const sessionOf = async ({ loginName }: Account, pass = first): Promise<string> =>
      (await logIn(loginName, pass)).body.data.sessionId;
    const change = (sessionId: string, oldPassword: unknown, newPassword: unknown, headers = {}): Promise<Answer> =>
      call(server(), "/v1/changePassword", { method: "POST", sessionId, headers, body: { oldPassword, newPassword } });
    const confirm = (sessionId: string, confirmationCode: unknown): Promise<Answer> =>
      call(server(), "/v1/auth/df/confirmChangePassword", { method: "POST", sessionId, body: { confirmationCode } });
    const codeTo = async ({ email }: Account): Promise<string> => {
      const text = (await customUserMail.next(email ?? "unknown")).bodies.get("text/plain") ?? "";
      return /\b[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}\b/.exec(text)?.[0] ?? `no code in: ${text}`;
    };

    test("a new password takes effect with the mailed code: other sessions end, and this one continues", async () => {
      const account = await create();
      const [own, other] = [await sessionOf(account), await sessionOf(account)];
      const bystander = await sessionOf(await create());
      const asked = await change(own, first, second);
      expect([asked.status, asked.body.data]).toEqual([200, { confirmationRequired: true }]);
      expect(JSON.stringify(asked.body)).not.toMatch(/mail\.example/);
      expect([(await logIn(account.loginName, first)).code, (await logIn(account.loginName, second)).code]).toEqual([
        "0",
        "302",
      ]);
      expect([await checkSession(server(), own), await checkSession(server(), other)]).toEqual(["0", "0"]);
      const code = await codeTo(account);
      expect(await confirm(own, ` ${code.toLowerCase().replace("-", " ")}`)).toMatchObject({
        status: 200,
        code: "0",
        body: { data: {} },
      });
      expect(await Promise.all([own, other, bystander].map((id) => checkSession(server(), id)))).toEqual([
        "0",
        "201",
        "0",
      ]);
      expect([(await logIn(account.loginName, first)).code, (await logIn(account.loginName, second)).code]).toEqual([
        "302",
        "0",
      ]);
      expect((await customUserMail.next(account.email ?? "")).bodies.get("text/plain")).not.toContain(code);
      expect(await confirm(own, code)).toMatchObject({ status: 400, code: "326" });
      const events = (await repositories().audit.read(0, 100_000)).filter(({ type }) =>
        type.startsWith("customPassword"),
      );
      expect(
        events.slice(-3).map(({ type, outcome, actorId, subjectId }) => [type, outcome, actorId, subjectId]),
      ).toEqual([
        ["customPassword.change.requested", 0, account.userId, account.userId],
        ["customPassword.changed", 0, account.userId, account.userId],
        ["customPassword.refused", 326, account.userId, account.userId],
      ]);
      expect(JSON.stringify(events)).not.toContain(code);
    });

    test("an invalid change is refused like that of any user, and nothing is left pending", async () => {
      const account = await create();
      const session = await sessionOf(account);
      const refused: readonly (readonly [unknown, unknown, string])[] = [
        [undefined, second, "319"],
        [first, "", "320"],
        [first, "short", "320"],
        [first, "password", "320"],
        [first, first, "321"],
        ["not the password", second, "339"],
      ];
      for (const [old, fresh, code] of refused)
        expect([code, (await change(session, old, fresh)).code]).toEqual([code, code]);
      expect(await confirm(session, wrong)).toMatchObject({ status: 400, code: "326" });
      expect(await logIn(account.loginName, first)).toMatchObject({ code: "0" });
    });

    test("a code is valid for its own account and is a text, with at most five tries", async () => {
      const [account, stranger] = [await create(), await create()];
      const [session, strange] = [await sessionOf(account), await sessionOf(stranger)];
      for (const input of [undefined, null, 5, "", " ", ["a"], { $ne: "" }, "x".repeat(101)])
        expect([input, (await confirm(session, input)).code]).toEqual([input, "326"]);
      expect(
        await call(server(), "/v1/auth/df/confirmChangePassword", { method: "POST", body: { confirmationCode: "A" } }),
      ).toMatchObject({ status: 400, code: "200" });
      await change(session, first, second);
      const code = await codeTo(account);
      expect(await confirm(strange, code)).toMatchObject({ code: "326" });
      const { body } = await call(server(), "/v1/login", {
        method: "POST",
        body: { user: "reader", pass: "reader", appNames: "demo-app" },
      });
      expect(await confirm(body.data.sessionId, code)).toMatchObject({ code: "326" });
      const tries = await Promise.all(Array.from({ length: 5 }, () => confirm(session, wrong)));
      expect(tries.map((answer) => answer.code)).toEqual(["326", "326", "326", "326", "326"]);
      expect(await confirm(session, code)).toMatchObject({ code: "326" });
      await change(session, first, second);
      const [fresh, outdated] = [await codeTo(account), code];
      expect(fresh).not.toBe(outdated);
      expect(await confirm(session, outdated)).toMatchObject({ code: "326" });
      expect(await confirm(session, fresh)).toMatchObject({ code: "0" });
    });

    test("one of several simultaneous confirmations in two sessions succeeds", async () => {
      const account = await create();
      const sessions = [await sessionOf(account), await sessionOf(account)];
      await change(sessions[0] as string, first, second);
      const code = await codeTo(account);
      const codes = (
        await Promise.all([0, 1, 0, 1, 0, 1].map((index) => confirm(sessions[index] as string, code)))
      ).map((answer) => answer.code);
      expect(codes.filter((each) => each === "0")).toHaveLength(1);
      expect(codes.filter((each) => !["0", "201", "326"].includes(each))).toEqual([]);
      const alive = await Promise.all(sessions.map((id) => checkSession(server(), id)));
      expect(alive.toSorted()).toEqual(["0", "201"]);
      expect(await logIn(account.loginName, second)).toMatchObject({ code: "0" });
    });

    test("wrong codes and wrong passwords count as failed log-ins, and a lockout covers all of them", async () => {
      const account = await create();
      const session = await sessionOf(account);
      for (let attempt = 0; attempt < 5; attempt += 1) {
        expect(await confirm(session, wrong)).toMatchObject({ code: "326" });
        expect(await change(session, "not the password", second)).toMatchObject({ code: "339" });
      }
      for (const answer of [
        await confirm(session, wrong),
        await change(session, first, second),
        await logIn(account.loginName, first),
      ]) {
        expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      }
      expect(await checkSession(server(), session)).toBe("0");
    });

    test("without an address, a change with the right password is refused with 712", async () => {
      const account = await create(false);
      const session = await sessionOf(account);
      expect(await change(session, "not the password", second)).toMatchObject({ code: "339" });
      expect(await change(session, first, second)).toMatchObject({ status: 500, code: "712" });
      expect(await confirm(session, wrong)).toMatchObject({ code: "326" });
    });

    test("refuses former passwords, and writes the mail in the client's language", async () => {
      const account = await create();
      const session = await sessionOf(account);
      await change(session, first, second, { "accept-language": "de-AT, en;q=0.5" });
      const mail = await customUserMail.next(account.email ?? "");
      expect(mail.headers.get("subject")?.[0]).toContain("Bestätigungscode");
      const code = /\b[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}\b/.exec(mail.bodies.get("text/plain") ?? "")?.[0];
      expect(await confirm(session, code)).toMatchObject({ code: "0" });
      expect(await change(session, second, first)).toMatchObject({ code: "320" });
      expect(await change(session, second, "a third password")).toMatchObject({ code: "0" });
    });

    test("the code is invalid once an administrator has set another password", async () => {
      const account = await create();
      const session = await sessionOf(account);
      await change(session, first, second);
      const code = await codeTo(account);
      const { accounts } = repositories();
      await accounts.setSecret(account.id, account.secret, account.secretVersion);
      expect(await checkSession(server(), session)).toBe("201");
      expect(await confirm(await sessionOf(account), code)).toMatchObject({ code: "326" });
      expect(await logIn(account.loginName, second)).toMatchObject({ code: "302" });
    });
  },
  { environment: customUserEnvironment },
);
