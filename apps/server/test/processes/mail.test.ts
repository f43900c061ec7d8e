import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { type MailMessage, SealedMailJobs, waitingMail } from "@sallyport/core";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { receivedMail, type ReceivedMail } from "@sallyport/test-kit/mail/received-mail";
import { reply, type SmtpSink, startSmtpSink } from "@sallyport/test-kit/mail/smtp-sink";
import type { SMTPServerOptions } from "smtp-server";
import { until } from "@sallyport/test-kit/jest/until";
import { call } from "../client.ts";
import { startSeededServer } from "../demo-server.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { freePort } from "../providers/free-port.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { runCommand, runOperator } from "./run-command.ts";
import { type Ended, ServerProcess } from "./server-process.ts";
import { tuned } from "../test-environment.ts";

jest.setTimeout(90_000);

describe("mail commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
    runCommand(args, { DATA_DIR: join(folder, "data"), ...environment }, folder);

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

    test("delivers a message and reports it", async () => {
      const { code, stdout } = await run(["mail", "test", "somebody@mail.example"], await sink());
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^The SMTP server 127\.0\.0\.1:\d+ \(none\) accepted the message/),
      ]);
      expect(sinks[0]?.received.map(({ to, headers }) => [to, headers.get("subject")])).toEqual([
        [["somebody@mail.example"], ["Test mail from sallyport"]],
      ]);
    });

    test("writes into the folder of the demo", async () => {
      const { code, stdout } = await run(["mail", "test", "somebody@mail.example"]);
      expect([code, stdout]).toEqual([0, `The message was written to ${join(folder, "data", "mail")}.\n`]);
      expect(readdirSync(join(folder, "data", "mail"))).toEqual([expect.stringMatching(/\.eml$/)]);
    });

    test.each([
      [
        "an address that is refused",
        {
          onRcptTo: (_a: unknown, _s: unknown, callback: (error: Error) => void) =>
            callback(reply(550, "5.1.1 no such user here")),
        },
        /rejected the message \(550 5\.1\.1\)/,
      ],
      [
        "greylisting",
        {
          onRcptTo: (_a: unknown, _s: unknown, callback: (error: Error) => void) => callback(reply(450, "4.2.0 later")),
        },
        /deferred the message \(450 4\.2\.0\)/,
      ],
      [
        "an unknown sender",
        {
          onMailFrom: (_a: unknown, _s: unknown, callback: (error: Error) => void) =>
            callback(reply(550, "who are you")),
        },
        /does not accept the sender.*Check that the SMTP server accepts mail\.from/,
      ],
      [
        "a wrong password",
        {
          authOptional: false,
          allowInsecureAuth: true,
          onAuth: (_a: unknown, _s: unknown, callback: (error: Error) => void) => callback(reply(535, "no")),
        },
        /refused the authentication.*Check mail\.smtp\.user and mail\.smtp\.password/,
      ],
    ])("explains %s in plain words", async (_what, options, words) => {
      const environment = { ...(await sink(options)), SMTP_USER: "me", SMTP_PASSWORD: "wr0ng" };
      const credentials =
        "authOptional" in options
          ? environment
          : Object.fromEntries(Object.entries(environment).filter(([name]) => !/USER|PASSWORD/.test(name)));
      const { code, stderr } = await run(["mail", "test", "somebody@mail.example"], credentials);
      expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
      expect(stderr).not.toMatch(/ {4}at |wr0ng|no such user here/);
    });

    test("accepts one bare address, and configured mail only", async () => {
      expect(await run(["mail", "test", "A <a@mail.example>"])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("an e-mail address without a display name"),
      });
      const unconfigured = { NODE_ENV: "production", DATABASE_URL: "postgres://u@127.0.0.1:1/d" };
      expect(await run(["mail", "test", "a@mail.example"], unconfigured)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("Mail is not configured"),
      });
    });
  });
});

const masterKey = randomBytes(32);
const sealedJobs = new SealedMailJobs(new AesGcmKeyWrapping(masterKey));

/** A relay that delays its answers until they are released. */
class BlockingSink {
  readonly received: ReceivedMail[] = [];
  private sink: SmtpSink | undefined;
  private opened = false;
  private readonly delayed: (() => void)[] = [];
  private readonly watching = new Set<() => void>();

  async start(): Promise<this> {
    const onData: SMTPServerOptions["onData"] = (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const take = () => {
          this.received.push(
            receivedMail(
              Buffer.concat(chunks).toString("utf8"),
              "",
              envelope.rcptTo.map(({ address }) => address),
            ),
          );
          callback(null);
          this.look();
        };
        if (this.opened) take();
        else this.delayed.push(take);
        this.look();
      });
    };
    this.sink = await startSmtpSink({ hideSTARTTLS: true, onData });
    return this;
  }

  get port(): number {
    return this.sink?.port ?? 0;
  }

  /** Messages with a delayed answer. */
  get waiting(): number {
    return this.delayed.length;
  }

  open(): void {
    this.opened = true;
    for (const take of this.delayed.splice(0)) take();
  }

  /** Resolves when the condition is met. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        this.watching.delete(look);
        resolve();
      };
      this.watching.add(look);
      look();
    });
  }

  close(): Promise<void> {
    return this.sink?.close() ?? Promise.resolve();
  }

  private look(): void {
    for (const look of this.watching) look();
  }
}

describe("mail of server processes on one Postgres", () => {
  let postgres: PostgresFixture;
  let sink: BlockingSink;
  const processes: ServerProcess[] = [];

  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const migrated = start(1);
    await migrated.url();
    await migrated.kill();
    await postgres.sql.query("update sallyport_demo.accounts set email = login_name || '@example.com'");
  });

  beforeEach(async () => {
    await postgres.sql.query("delete from sallyport_demo.records");
    sink = await new BlockingSink().start();
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill()));
    await sink.close();
  });

  afterAll(() => postgres.close());

  function start(port: number): ServerProcess {
    const mail = {
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(port),
      MAIL_FROM: "no-reply@example.com",
      PASSWORD_RESET_LINK: "https://app.example/new#{token}",
    };
    const environment = {
      DATABASE_URL: postgres.url,
      PORT: "0",
      LOG_LEVEL: "info",
      MASTER_KEY: masterKey.toString("base64"),
      ...mail,
    };
    const process = new ServerProcess(["serve"], environment, tmpdir());
    processes.push(process);
    return process;
  }

  const waiting = async (): Promise<number> =>
    Number((await postgres.sql.query("select count(*) from sallyport_demo.records where kind = 'mail'")).rows[0].count);

  async function put(letters: readonly MailMessage[]): Promise<void> {
    const sealed = letters.map((message) => sealedJobs.seal("", { message }));
    await postgres.sql.query(
      `insert into sallyport_demo.records (kind, id, value, version, born, created_at, expires_at)
      select 'mail', encode(sha256(o::bytea), 'hex'), json_build_object('sealed', o, 'lifetime', 3600000, 'stuck', false), v, v, now(), now() + interval '1 hour'
      from unnest($1::text[]) o, lateral (select nextval('sallyport_demo.record_versions') as v where o is not null) version`,
      [sealed],
    );
  }

  const notices = (count: number): MailMessage[] =>
    Array.from({ length: count }, (_, index) => ({
      kind: "passwordChanged",
      to: `user-${index}@example.com`,
      name: "Somebody",
      language: "en",
    }));

  test("the next process sends accepted mail of a killed one", async () => {
    const first = start(1);
    const url = await first.url();
    const answers = await Promise.all(
      ["demo", "nobody"].map((user) => call({ url }, "/v1/resetPassword", { method: "POST", body: { user } })),
    );
    expect(answers.map(({ code }) => code)).toEqual(["0", "0"]);
    await first.kill();
    sink.open();
    const second = start(sink.port);
    await second.url();
    await sink.until(() => sink.received.length > 0);
    const [received] = sink.received;
    expect([received?.to, received?.bodies.get("text/plain")]).toEqual([
      ["demo@example.com"],
      expect.stringMatching(/https:\/\/app\.example\/new#[\w-]{43}\r\n/),
    ]);
    await second.logged("Mail sent");
    second.signal("SIGTERM");
    const { stdout } = await second.ended;
    expect(stdout).not.toMatch(/demo@example|app\.example\/new#/);
    expect([sink.received.length, await waiting()]).toEqual([1, 0]);
  });

  test("two processes share it, and each message is sent once", async () => {
    const both = [start(sink.port), start(sink.port)];
    await Promise.all(both.map((process) => process.url()));
    await put(notices(40));
    // One process has at most three connections to a relay.
    await sink.until(() => sink.waiting > 3);
    sink.open();
    await sink.until(() => sink.received.length >= 40);
    for (const process of both) process.signal("SIGTERM");
    await Promise.all(both.map(({ ended }) => ended));
    const recipients = sink.received.flatMap(({ to }) => to);
    expect(recipients.toSorted()).toEqual(
      notices(40)
        .map(({ to }) => to)
        .toSorted(),
    );
    const sent = both.map((process) => process.lines().filter(({ msg }) => msg === "Mail sent").length);
    expect([Math.min(...sent) > 0, sent.reduce((sum, each) => sum + each, 0), await waiting()]).toEqual([true, 40, 0]);
  });

  test("stopping finishes messages in progress", async () => {
    const process = start(sink.port);
    await process.url();
    await put(notices(2));
    await sink.until(() => sink.waiting === 2);
    process.signal("SIGTERM");
    await process.logged("Shutting down");
    sink.open();
    expect((await process.ended).code).toBe(0);
    expect([sink.received.length, await waiting()]).toEqual([2, 0]);
  });

  test("a command reports the waiting mail", async () => {
    const run = async (...args: string[]): Promise<string> =>
      (await runOperator(["mail", "queue", ...args], { DATABASE_URL: postgres.url }, tmpdir())).stdout;
    expect(await run()).toMatch(/^messages +0$/m);
    await put(notices(2));
    await postgres.sql.query(
      `with oldest as (
        update sallyport_demo.records set created_at = now() - interval '10 minutes'
        where id = (select min(id) from sallyport_demo.records) returning *
      )
      insert into sallyport_demo.records (kind, id, value, version, born, created_at, expires_at)
      select 'stuckMail', id, 'true', version + 1, born + 1, now() - interval '2 hours', expires_at from oldest`,
    );
    expect(await run()).toMatch(/^messages +2\noldest +6\d\d s\noutage +7[23]\d\d s\n$/);
    expect(JSON.parse(await run("--json"))).toMatchObject({
      count: 2,
      oldestSeconds: expect.any(Number),
      stuckSeconds: expect.any(Number),
    });
  });
});

test("while no mail can be sent, all requests are refused with 712, and the server is ready", async () => {
  const mail = {
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: `${await freePort()}`,
    MAIL_FROM: "a@mail.example",
    ...tuned({ mail: { unavailableAfter: 0, pollInterval: 100 } }),
    MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
  };
  const server = await startSeededServer([{ engine: "memory" }, { engine: "memory" }], mail);
  try {
    const r = repositoriesOf(server);
    const { accounts } = r;
    const { account } = await accounts.find({ realm: "database", loginName: "demo" }, []);
    await accounts.change(account?.userId ?? "", { email: "demo@mail.example" });
    const ask = (user: string) => call(server, "/v1/resetPassword", { method: "POST", body: { user } });
    expect((await ask("demo")).code).toBe("0");
    // The relay notices by itself.
    await until(async () => (await waitingMail(r)).stuck > 0);
    const answers = await Promise.all(["demo", "nobody"].map(ask));
    for (const { status, body } of answers) expect([status, body]).toEqual([500, answers[0]?.body]);
    expect(answers[0]?.code).toBe("712");
    expect((await waitingMail(r)).count).toBe(1);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  } finally {
    await server.close();
  }
});
