import { waitingMail } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import { type Answer, call, callIn, checkSessionIn as checkSession, type Sent, tryLogIn } from "../client.ts";
import { Mailbox } from "../mail/mailbox.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { newUser } from "../new-user.ts";
import { onEngines } from "../engines.ts";
import { resetMailEnvironment } from "./reset-mail.ts";

const password = "the first password";

/** From the request for a new password, through the mail, to the log-in with it. */
describe("reset by mail", () => {
  const mailbox = new Mailbox();
  beforeAll(() => mailbox.open());
  afterAll(() => mailbox.close());

  onEngines(
    "reset by mail",
    (server) => {
      const ask = (user: string, headers: Sent["headers"] = {}, path = "/v1/resetPassword"): Promise<Answer> =>
        call(server(), path, { method: "POST", headers, body: { user } });
      const confirm = (resetPasswordToken: unknown, newPassword: string) =>
        call(server(), "/v1/confirmResetPassword", { method: "POST", body: { resetPasswordToken, newPassword } }).then(
          ({ code }) => code,
        );

      /** Returns when no mail is waiting. */
      const sent = async () => {
        await until(async () => (await waitingMail(repositoriesOf(server()))).count === 0);
      };

      test("sets a new password by mail, and notifies the user", async () => {
        const { name, userId } = await newUser(server());
        const { account } = await repositoriesOf(server()).accounts.find({ id: userId }, []);
        const session = await openSession(server(), "session", name, { password });
        expect(
          await ask(name, { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" }),
        ).toMatchObject({ status: 200, code: "0", body: { data: {} } });
        const mail = await mailbox.next();
        expect([mail.from, mail.to]).toEqual(["no-reply@example.org", [account?.email]]);
        expect(mail.raw).not.toContain("evil");
        const [, token] =
          /https:\/\/app\.example\/new-password\?of=#([\w-]{43})\s/.exec(mail.bodies.get("text/plain") ?? "") ?? [];
        expect(mail.bodies.get("text/html")).toContain(token);
        expect(await checkSession(server(), session)).toBe("0");
        expect(await confirm(token, "a password by mail")).toBe("0");
        expect(await checkSession(server(), session)).toBe("201");
        expect((await tryLogIn(server(), name, { pass: "a password by mail" })).code).toBe("0");
        expect(await confirm(token, "another one by mail")).toBe("328");
        const notice = await mailbox.next();
        expect([notice.to, notice.bodies.get("text/plain")?.includes(token ?? "?")]).toEqual([[account?.email], false]);
      });

      test("writes in the requested language, or in the configured one", async () => {
        const subjects: unknown[] = [];
        for (const header of ["de-AT, en;q=0.5", "fr", "en"]) {
          await ask((await newUser(server())).name, { "accept-language": header });
          subjects.push((await mailbox.next()).headers.get("subject")?.[0]);
        }
        expect(subjects[1]).toBe(subjects[2]);
        expect(subjects[0]).not.toBe(subjects[1]);
      });

      test("answers alike for all names, and sends mail only to active users with an address, once a minute", async () => {
        const [testUser, disabled, without] = [
          await newUser(server()),
          await newUser(server()),
          await newUser(server()),
        ];
        await repositoriesOf(server()).accounts.change(disabled.userId, { disabled: true });
        await repositoriesOf(server()).accounts.change(without.userId, { email: null });
        const names = [
          testUser.name,
          "an unknown name",
          disabled.name,
          without.name,
          testUser.name.toUpperCase(),
          "demo\r\nBcc: all@mail.example",
          "\0",
          testUser.name,
        ];
        const answers = [];
        for (const name of names) answers.push(await ask(name));
        for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
        await sent();
        expect((await mailbox.next()).bodies.get("text/plain")).toContain(testUser.name);
        expect(mailbox.left).toBe(0);
      });

      test("sends to one address, for any user name", async () => {
        const name = `Eve\r\nBcc: all@mail.example\r\n\r\n<script>${process.pid}`;
        const { accounts } = repositoriesOf(server());
        const { userId } = await newUser(server());
        await accounts.change(userId, { name: { loginName: name, confusableKey: `eve ${userId}` } });
        const { account } = await accounts.find({ id: userId }, []);
        await ask(name);
        const { to, headers, bodies } = await mailbox.next();
        expect([to, headers.get("bcc"), headers.get("to")]).toEqual([[account?.email], undefined, [account?.email]]);
        expect(bodies.get("text/html")).not.toContain("<script>");
      });

      test("notifies a user by mail about a changed password", async () => {
        const { name, userId } = await newUser(server());
        const { account } = await repositoriesOf(server()).accounts.find({ id: userId }, []);
        const session = await openSession(server(), "secure", name, { password });
        const body = { oldPassword: password, newPassword: "another password" };
        expect((await callIn(server(), session, "/v1/changePassword", { method: "POST", body })).code).toBe("0");
        const { to, bodies } = await mailbox.next();
        expect(to).toEqual([account?.email]);
        expect(bodies.get("text/plain")).not.toContain("another password");
      });

      test("names the database in the link, whose token is valid there only", async () => {
        const { name } = await newUser(server(), "second");
        await ask(name, {}, "/second/v1/resetPassword");
        const [, token] = /\?of=second#([\w-]{43})\s/.exec((await mailbox.next()).bodies.get("text/plain") ?? "") ?? [];
        expect(token).toBeDefined();
        expect(await confirm(token, "another password")).toBe("328");
        const answer = await call(server(), "/second/v1/confirmResetPassword", {
          method: "POST",
          body: { resetPasswordToken: token, newPassword: "another password" },
        });
        expect(answer.code).toBe("0");
        await mailbox.next();
      });
    },
    { environment: () => ({ ...resetMailEnvironment, ...mailbox.environment }) },
  );
});
