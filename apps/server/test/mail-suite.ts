import { waitingMail } from "@sallyport/core";
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { receivedMail, type ReceivedMail } from "@sallyport/test-kit/mail/received-mail";
import type { RunningServer } from "../src/index.ts";
import { call, tryLogIn } from "./client.ts";
import { newUser } from "./password-suite.ts";
import { repositoriesOf } from "./repositories-of.ts";

/** A folder for mail, with a way to wait for it. */
export class MailFolder {
  readonly path = mkdtempSync(join(tmpdir(), "sallyport-mail-"));

  /** The settings of a server that writes into it. */
  get environment(): Readonly<Record<string, string>> {
    return {
      MAIL_DIR: this.path,
      MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
      PASSWORD_RESET_LINK: "https://app.example/{alias}/new#{token}",
      MAIL_POLL_INTERVAL: "100ms",
    };
  }

  all(): ReceivedMail[] {
    const names = readdirSync(this.path).filter((name) => name.endsWith(".eml") && !name.startsWith("."));
    return names.toSorted().map((name) => receivedMail(readFileSync(join(this.path, name), "utf8")));
  }

  /** The first mail to an address. */
  to(address: string): Promise<ReceivedMail> {
    return new Promise((resolve) => {
      const watcher = watch(this.path);
      const look = () => {
        const found = this.all().find(({ headers }) => headers.get("to")?.[0] === address);
        if (found === undefined) return;
        watcher.close();
        resolve(found);
      };
      watcher.on("change", look);
      look();
    });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Requested mail, over HTTP. The server must have the environment of the folder. */
export function mailSuite(server: () => RunningServer, folder: MailFolder): void {
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
    for (const user of ["nobody of this name", `${name}\r\nBcc: all@mail.example`, address, name])
      answers.push((await ask(user)).body);
    for (const body of answers) expect(body).toEqual(answers[0]);
    const r = repositoriesOf(server());
    // The relay works by itself; each look-up lets it proceed.
    while ((await waitingMail(r)).count > 0) await call(server(), "/_CheckService");
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
}
