import { waitingMail } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import { call, tryLogIn } from "../client.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { newUser } from "../new-user.ts";
import { MailFolder } from "./mail-folder.ts";
import { onEngines } from "../engines.ts";

const folder = new MailFolder();

/** Requested mail, over HTTP. */
onEngines(
  "requested mail",
  (server) => {
    const ask = (user: string, path = "/v1/resetPassword", headers: Record<string, string> = {}) =>
      call(server(), path, { method: "POST", body: { user }, headers });
    const addressOf = async (name: string, alias = "") => {
      const address = `${name.replaceAll(" ", "-")}@mail.example`;
      const { accounts } = repositoriesOf(server(), alias);
      const { account } = await accounts.find({ realm: "database", loginName: name }, []);
      await accounts.change(account?.userId ?? "", { email: address });
      return address;
    };

    test("a user with a forgotten password gets a mail and sets a new one with it", async () => {
      const { name } = await newUser(server());
      const address = await addressOf(name);
      expect((await ask(name)).body).toMatchObject({ status: { internalStatus: "0" }, data: {} });
      const { headers, bodies } = await folder.to(address);
      expect([headers.get("subject"), headers.get("from")]).toEqual([
        ["A new password for sallyport"],
        ["sallyport <sallyport@localhost>"],
      ]);
      const [, token = ""] = /https:\/\/app\.example\/\/new#([\w-]{43})\r\n/.exec(bodies.get("text/plain") ?? "") ?? [];
      expect(bodies.get("text/html")).toContain(`href="https://app.example//new#${token}"`);
      const confirmed = await call(server(), "/v1/confirmResetPassword", {
        method: "POST",
        body: { resetPasswordToken: token, newPassword: "another password" },
      });
      expect(confirmed.code).toBe("0");
      expect((await tryLogIn(server(), name, { pass: "another password" })).code).toBe("0");
    });

    test("a mail is in the language of the request, and its link leads to the database", async () => {
      const { name } = await newUser(server(), "second");
      const address = await addressOf(name, "second");
      expect((await ask(name, "/second/v1/resetPassword", { "accept-language": "fr, de;q=0.9, en;q=0.8" })).code).toBe(
        "0",
      );
      const { headers, bodies } = await folder.to(address);
      expect(headers.get("subject")).toEqual(["Ein neues Passwort für sallyport"]);
      expect(bodies.get("text/plain")).toContain("https://app.example/second/new#");
    });

    test("an unknown user gets no mail, and the answer is the same", async () => {
      const { name } = await newUser(server());
      const address = await addressOf(name);
      const before = folder.all().length;
      const answers = [];
      for (const user of ["an unknown name", `${name}\r\nBcc: all@mail.example`, address, name])
        answers.push((await ask(user)).body);
      for (const body of answers) expect(body).toEqual(answers[0]);
      const r = repositoriesOf(server());
      // The relay works by itself.
      await until(async () => (await waitingMail(r)).count === 0);
      expect(
        folder
          .all()
          .slice(before)
          .map(({ headers }) => headers.get("to")),
      ).toEqual([[address]]);
    });

    test("the metrics show waiting mail, and no address", async () => {
      const { text } = await fetch(`${server().url}/metrics`).then(async (answer) => ({ text: await answer.text() }));
      expect(text).toMatch(/^sallyport_mail_total\{outcome="sent"\} [1-9]/m);
      for (const name of ["waiting", "oldest_seconds", "stuck_seconds"])
        expect(text).toMatch(new RegExp(`^sallyport_mail_${name}\\{alias="(?:second)?"\\} \\d`, "m"));
      expect(text).not.toMatch(/mail\.example/);
    });
  },
  { environment: folder.environment },
);
