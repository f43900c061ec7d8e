import { waitingMail, FormerPasswords, MacroStore } from "@sallyport/core";
import type { Account } from "@sallyport/storage";
import { until } from "@sallyport/test-kit/jest/until";
import { type Answer, call, checkSession, type Sent, tryLogIn } from "../client.ts";
import { Mailbox } from "../mail/mailbox.ts";
import { newCustomUser } from "../new-custom-user.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { resetMail, resetMailEnvironment } from "./reset-mail.ts";
import { newUser } from "../new-user.ts";
import { onEngines } from "../engines.ts";

const first = "the first password";
const second = "quite another one";

/** How custom users reset a forgotten password by mail. On every engine. */
describe("reset by mail of a custom user", () => {
  const mailbox = new Mailbox();
  beforeAll(() => mailbox.open());
  afterAll(() => mailbox.close());

  onEngines(
    "reset by mail of a custom user",
    (server) => {
      const repositories = () => repositoriesOf(server());
      const create = (hasAddress = true): Promise<Account> => newCustomUser(server(), { password: first, hasAddress });
      const ask = (user: unknown, headers: Sent["headers"] = {}, more: object = { custom: true }): Promise<Answer> =>
        call(server(), "/v1/resetPassword", { method: "POST", headers, body: { user, ...more } });
      const confirm = (resetPasswordToken: unknown, newPassword: unknown): Promise<string> =>
        call(server(), "/v1/confirmResetPassword", { method: "POST", body: { resetPasswordToken, newPassword } }).then(
          ({ code }) => code,
        );
      const logIn = ({ loginName }: Account, pass: string): Promise<Answer> =>
        call(server(), "/v1/auth/df", { method: "POST", body: { user: loginName, pass, appNames: "demo-app" } });
      const opens = (account: Account, pass: string) => logIn(account, pass).then(({ code }) => code);
      const sessionOf = async (account: Account): Promise<string> => (await logIn(account, first)).body.data.sessionId;

      /** A token as the mail would contain it. */
      const token = async ({ loginName }: Account): Promise<string> =>
        (await resetMail.prepare(repositories(), { user: loginName, custom: true }))?.token ?? "no recipient";

      /** Returns when no mail is waiting. */
      const sent = async () => {
        await until(async () => (await waitingMail(repositories())).count === 0);
      };

      test("a reset by mail sets a new password, ends only the sessions of the custom user, and notifies the user", async () => {
        const [account, neighbour] = [await create(), await create()];
        const sessions = [await sessionOf(account), await sessionOf(account), await sessionOf(neighbour)];
        const mapped = (await tryLogIn(server(), "reader")).body.data.sessionId;
        expect(await ask(account.loginName, { host: "evil.example", "accept-language": "de" })).toMatchObject({
          status: 200,
          code: "0",
          body: { data: {} },
        });
        const mail = await mailbox.next();
        expect([mail.to, mail.headers.get("subject")?.[0]]).toEqual([
          [account.email],
          expect.stringContaining("Ein neues Passwort"),
        ]);
        expect(mail.raw).not.toContain("evil");
        const [, token] =
          /https:\/\/app\.example\/new-password\?of=#([\w-]{43})\s/.exec(mail.bodies.get("text/plain") ?? "") ?? [];
        expect(await confirm(token, second)).toBe("0");
        expect(await Promise.all([...sessions, mapped].map((id) => checkSession(server(), id)))).toEqual([
          "201",
          "201",
          "0",
          "0",
        ]);
        expect([await opens(account, first), await opens(account, second), await opens(neighbour, first)]).toEqual([
          "302",
          "0",
          "0",
        ]);
        expect(await confirm(token, "another one by mail")).toBe("328");
        const notice = await mailbox.next();
        expect([notice.to, notice.bodies.get("text/plain")?.includes(token ?? "?")]).toEqual([[account.email], false]);
        const events = (await repositories().audit.read(0, 100_000)).filter(
          ({ type }) => type === "customPassword.reset.completed",
        );
        expect(events.at(-1)).toMatchObject({ outcome: 0, actorId: account.userId, subjectId: account.userId });
      });

      test("a reset finds a name among the requested kind of user only", async () => {
        const [account, user] = [await create(), await newUser(server())];
        const asked = [
          await ask(account.loginName, {}, {}),
          await ask(account.loginName, {}, { custom: false }),
          await ask(user.name),
        ];
        expect(asked.map(({ code }) => code)).toEqual(["0", "0", "0"]);
        await sent();
        expect(mailbox.left).toBe(0);
        for (const custom of ["true", 1, null, {}])
          expect([custom, (await ask("partner", {}, { custom })).code]).toEqual([custom, "307"]);
        expect((await ask(undefined)).code).toBe("325");
      });

      test("a reset request has one answer for all names, and sends mail only to active users with an address, once a minute", async () => {
        const [account, disabled, without, orphan] = [
          await create(),
          await create(),
          await create(false),
          await create(),
        ];
        const { accounts } = repositories();
        await accounts.change(disabled.id, { disabled: true });
        const { userId } = await newUser(server());
        await accounts.change(orphan.id, { userId });
        await accounts.change(userId, { disabled: true });
        const names = [
          account.loginName,
          "an unknown name",
          disabled.loginName,
          without.loginName,
          orphan.loginName,
          "partner\r\nBcc: all@mail.example",
          "\0",
          account.loginName,
        ];
        const answers = [];
        for (const name of names) answers.push(await ask(name));
        for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
        await sent();
        expect((await mailbox.next()).to).toEqual([account.email]);
        expect(mailbox.left).toBe(0);
      });

      test("a refused password does not spend the token, and a former password is refused", async () => {
        const account = await create();
        const good = await token(account);
        for (const refused of ["short", "Password123", first, undefined])
          expect([refused, await confirm(good, refused)]).toEqual([refused, "320"]);
        expect(await confirm(good, second)).toBe("0");
        await mailbox.next();
        expect(await new FormerPasswords(repositories().records).latest(`custom:${account.id}`, 10)).toEqual([
          account.secret,
        ]);
      });

      test("one of 20 concurrent uses of a token sets the password", async () => {
        const account = await create();
        const good = await token(account);
        const codes = await Promise.all(
          Array.from({ length: 20 }, (_, index) => confirm(good, `password of reset ${index}`)),
        );
        expect(codes.toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "328")]);
        expect(await opens(account, `password of reset ${codes.indexOf("0")}`)).toBe("0");
        await mailbox.next();
      });

      test("a reset cancels a pending change, and a change invalidates an earlier reset token", async () => {
        const account = await create();
        const session = await sessionOf(account);
        const change = {
          method: "POST" as const,
          sessionId: session,
          body: { oldPassword: first, newPassword: second },
        };
        expect((await call(server(), "/v1/changePassword", change)).body.data).toEqual({ confirmationRequired: true });
        const code = /\b[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}\b/.exec(
          (await mailbox.next()).bodies.get("text/plain") ?? "",
        )?.[0];
        const good = await token(account);
        expect(await confirm(good, "a password by mail")).toBe("0");
        await mailbox.next();
        const fresh = (await logIn(account, "a password by mail")).body.data.sessionId;
        expect(
          (
            await call(server(), "/v1/auth/df/confirmChangePassword", {
              method: "POST",
              sessionId: fresh,
              body: { confirmationCode: code },
            })
          ).code,
        ).toBe("326");
        const other = await create();
        const outdated = await token(other);
        await repositories().accounts.setSecret(other.id, other.secret, other.secretVersion);
        expect(await confirm(outdated, second)).toBe("328");
      });

      test("a token is invalid while the custom user or the mapped user is disabled, and after a removal or another mapping", async () => {
        const { accounts } = repositories();
        const { userId } = await newUser(server());
        const [disabled, orphan, moved, gone] = [await create(), await create(), await create(), await create()];
        await accounts.change(orphan.id, { userId });
        const tokens = [await token(disabled), await token(orphan), await token(moved), await token(gone)];
        await accounts.change(disabled.id, { disabled: true });
        await accounts.change(userId, { disabled: true });
        await accounts.change(moved.id, { userId });
        await accounts.remove([gone.id]);
        expect(await Promise.all(tokens.map((each) => confirm(each, second)))).toEqual(["328", "328", "328", "328"]);
        await accounts.change(disabled.id, { disabled: false });
        expect(await confirm(tokens[0], second)).toBe("0");
        await mailbox.next();
      });

      test("with an authentication hook, every reset is refused", async () => {
        const account = await create();
        const good = await token(account);
        const name = "xRestApi_Authenticate";
        const text = `import { defineHook } from "@sallyport/macros";\nexport default defineHook({ on: "${name}", run: () => null });\n`;
        await new MacroStore(repositories()).put({ name, text, language: "js", changedBy: "test" }, null);
        const answers = [await ask(account.loginName), await ask("an unknown name")];
        expect(answers.map(({ status, code }) => [status, code])).toEqual([
          [500, "712"],
          [500, "712"],
        ]);
        expect(await confirm(good, second)).toBe("328");
        expect((await ask((await newUser(server())).name, {}, {})).code).toBe("0");
        await mailbox.next();
        await new MacroStore(repositories()).remove(name, { changedBy: "test", expectedVersion: null });
        expect(await confirm(good, second)).toBe("0");
        await mailbox.next();
      });
    },
    { environment: () => ({ ...resetMailEnvironment, ...mailbox.environment }) },
  );
});
