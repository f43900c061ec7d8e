import { jest } from "@jest/globals";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reply, type SmtpSink, startSmtpSink } from "../../../../packages/mail-smtp/test/smtp-sink.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
  new ServerProcess(args, { DATA_DIR: join(folder, "data"), ...environment }, folder).ended;

describe("mail test", () => {
  const sinks: SmtpSink[] = [];
  afterEach(async () => {
    for (const sink of sinks.splice(0)) await sink.close();
  });

  const sink = async (...options: Parameters<typeof startSmtpSink>): Promise<Record<string, string>> => {
    const started = await startSmtpSink({ hideSTARTTLS: true, ...options[0] });
    sinks.push(started);
    return { SMTP_HOST: "127.0.0.1", SMTP_PORT: String(started.port), MAIL_FROM: "no-reply@mail.example" };
  };

  test("hands a mail over and says so", async () => {
    const { code, stdout } = await run(["mail", "test", "somebody@mail.example"], await sink());
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^The relay 127\.0\.0\.1:\d+ \(none\) has taken the mail/),
    ]);
    expect(sinks[0]?.received.map(({ to, headers }) => [to, headers.get("subject")])).toEqual([
      [["somebody@mail.example"], ["Test mail from sallyport"]],
    ]);
  });

  test("writes into the folder of the demo", async () => {
    const { code, stdout } = await run(["mail", "test", "somebody@mail.example"]);
    expect([code, stdout]).toEqual([0, `The mail lies in ${join(folder, "data", "mail")}.\n`]);
    expect(readdirSync(join(folder, "data", "mail"))).toEqual([expect.stringMatching(/\.eml$/)]);
  });

  test.each([
    [
      "an address that is refused",
      {
        onRcptTo: (_a: unknown, _s: unknown, callback: (error: Error) => void) =>
          callback(reply(550, "5.1.1 no such user here")),
      },
      /refuses this mail for good, with 550 5\.1\.1/,
    ],
    [
      "greylisting",
      { onRcptTo: (_a: unknown, _s: unknown, callback: (error: Error) => void) => callback(reply(450, "4.2.0 later")) },
      /again later, with 450 4\.2\.0/,
    ],
    [
      "an unknown sender",
      {
        onMailFrom: (_a: unknown, _s: unknown, callback: (error: Error) => void) => callback(reply(550, "who are you")),
      },
      /does not take mail from this sender.*is mail\.from one of them/,
    ],
    [
      "a wrong password",
      {
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: (_a: unknown, _s: unknown, callback: (error: Error) => void) => callback(reply(535, "no")),
      },
      /does not let this server in.*Are mail\.smtp\.user and mail\.smtp\.password right/,
    ],
  ])("says in plain words what is wrong with %s", async (_what, options, words) => {
    const environment = { ...(await sink(options)), SMTP_USER: "me", SMTP_PASSWORD: "wr0ng" };
    const credentials =
      "authOptional" in options
        ? environment
        : Object.fromEntries(Object.entries(environment).filter(([name]) => !/USER|PASSWORD/.test(name)));
    const { code, stderr } = await run(["mail", "test", "somebody@mail.example"], credentials);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(stderr).not.toMatch(/ {4}at |wr0ng|no such user here/);
  });

  test("takes one bare address, and mail that is configured", async () => {
    expect(await run(["mail", "test", "A <a@mail.example>"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not one bare e-mail address"),
    });
    const unconfigured = { NODE_ENV: "production", DATABASE_URL: "postgres://u@127.0.0.1:1/d" };
    expect(await run(["mail", "test", "a@mail.example"], unconfigured)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Mail is not configured"),
    });
  });
});
