import { jest } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identityLinkKind, isUuid, linkOwner, type RecordedAuditEvent, type Repositories } from "@sallyport/storage";
import { SecondFactors } from "@sallyport/core";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import type { Command } from "commander";
import { until } from "@sallyport/test-kit/jest/until";
import { wholeCommand } from "../../src/commands/main-command.ts";
import type { RunningServer } from "../../src/index.ts";
import { changingCommands, linkId, linkWithFactor } from "./changing-commands.ts";
import { tryLogIn } from "../client.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { runCommand, runOperator } from "../processes/run-command.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { resetMail } from "../accounts/reset-mail.ts";
import { testEnvironment } from "../test-environment.ts";

jest.setTimeout(120_000);

const formerKey = Buffer.alloc(32, 8);

/** The other commands: they show something, or create a database. */
const others = [
  "help",
  "serve",
  "migrate",
  // Needs two servers: the drill of moves tries it.
  "move",
  // Needs the loss of a master key: the test of keys tries it.
  "key rotate",
  "check-config",
  "doctor",
  "seed",
  "restore",
  "dump",
  "verify",
  "reference",
  "second-factor list",
  "class list",
  "file list",
  "file check",
  "macro new",
  "macro run",
  "macro test",
  "macro show",
  "mail test",
  "provider test",
];

/** The leaf commands, by their words. */
function commandsOf(command: Command, words: readonly string[] = []): string[] {
  // Without the hidden ones, which have moved.
  const visible = command.createHelp().visibleCommands(command);
  return command.commands
    .filter((each) => visible.includes(each))
    .flatMap((each) =>
      each.commands.length === 0 ? [[...words, each.name()].join(" ")] : commandsOf(each, [...words, each.name()]),
    );
}

describe("audit of commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-audited-commands-"));
  let postgres: PostgresFixture;
  let server: RunningServer;
  let r: Repositories;

  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo({ EXPLANATIONS_RETENTION: "7d" });
    r = repositoriesOf(server);
    delete process.env["DATABASE_URL"];
    Object.assign(process.env, testEnvironment, {
      MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      FORMER_MASTER_KEYS: formerKey.toString("base64"),
      FILES_DIRECTORY: join(folder, "files"),
    });
    const files: Record<string, string> = {
      "sallyport.config.json": JSON.stringify({
        databases: [{ storage: { url: postgres.url, schema: "sallyport_demo" } }],
        oAuthProviders: [{ name: "google" }],
        server: { publicUrl: "https://service.example" },
      }),
      "password.txt": "a word of my own",
      "other.txt": "quite another word",
      "key.txt": "key-of-another-system",
      "Greet.js":
        'import { defineMacro } from "@sallyport/macros";\nexport default defineMacro({ run: () => "hello" });\n',
      "provider.json": JSON.stringify({ clientId: "sallyport.apps", clientSecret: "hush" }),
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    // Bytes of an interrupted upload.
    const file = "a".repeat(32);
    mkdirSync(join(folder, "files", "_default", "aa", file), { recursive: true });
    await r.records.put("detachedFile", file, "kept");
    // Otherwise no previous key exists.
    for (const kind of ["jwt", "rsa"]) await run(`--local key rotate ${kind}`);
    const userId = await idOf("reader");
    const identity = { provider: "google", issuer: "https://accounts.example", subject: "1" } as const;
    const link = { ...identity, id: linkId, userId, shared: false, email: null, displayName: null };
    await r.records.put(identityLinkKind, "link", link, { owner: linkOwner(userId) });
    const sealedSecret = new AesGcmKeyWrapping(formerKey).wrap(Buffer.of(1), "second factor");
    for (const appName of ["office", "field"])
      await new SecondFactors(r.records).enrol({ subject: `user:${userId}`, appName, sealedSecret, recoveryCodes: [] });
    const subject = `link:${linkWithFactor}` as const;
    await new SecondFactors(r.records).enrol({ subject, appName: "office", sealedSecret, recoveryCodes: [] });
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  const idOf = async (name: string) =>
    (await r.accounts.find({ realm: "database", loginName: name }, [])).account?.userId ?? "";
  const events = async (after: number): Promise<RecordedAuditEvent[]> => r.audit.read(after, 1_000);
  const last = async () => (await events(0)).at(-1)?.sequence ?? 0;

  /** Runs a command in this process and returns its output; files are named relative to the folder. */
  async function run(command: string): Promise<string> {
    const [first, ...words] = command.split(" ");
    const environment = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
    const file = join(folder, "sallyport.config.json");
    const { code, stdout, stderr } = await (first === "--local"
      ? runOperator(["--config", file, ...words], environment, folder)
      : runCommand([...command.split(" "), "--config", file], environment, folder));
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  test("covers every command", async () => {
    const all = commandsOf(await wholeCommand());
    const known = new Set([
      ...others,
      ...changingCommands.map(({ command }) =>
        all.find((words) => command === words || command.startsWith(`${words} `)),
      ),
    ]);
    expect([...known].toSorted()).toEqual(all.toSorted());
  });

  test.each(changingCommands.map((row) => [row.command, row] as const))(
    "records %s",
    async (command, { events: expected }) => {
      const first = await last();
      await run(command);
      const appKeys = await r.appKeys.list(null, 100);
      const wanted = [];
      for (const [
        type,
        { user, appKey, appNames = [], macroName = null, providerName = null, changes = [] },
      ] of expected) {
        const subjectId = user === undefined ? null : await idOf(user);
        const appKeyId = appKey === undefined ? "" : appKeys.find(({ name }) => name === appKey)?.id;
        wanted.push({
          type,
          requestId: "",
          outcome: 0,
          appKeyId,
          actorId: null,
          subjectId,
          address: "",
          appNames,
          className: null,
          macroName,
          providerName,
          changes: changes.map(([name, before, after]) => ({ name, before, after })),
        });
      }
      const recorded = await events(first);
      expect(recorded).toEqual(wanted.map((each) => expect.objectContaining(each)));
      expect(JSON.stringify(recorded)).not.toMatch(/hush|of my own|another word/);
    },
  );

  test("records nothing for a command without a change", async () => {
    const before = await last();
    for (const command of [
      "--local app second-factor nowhere off",
      "--local app create demo-app",
      "--local app-key disable nobody",
      "--local user disable nobody",
      "--local ban remove --user reader",
      "--local device forget phone-1",
      "--local app clear-rule office --user reader",
      "--local app forbid office --user nobody --dry-run",
      "--local custom-user disable nobody",
      "--local provider remove google",
      "macro remove Greet",
      "recover --force --nothing-lost",
    ]) {
      await expect(run(command)).rejects.toThrow(/There is|not|already|no such/);
    }
    expect(await run("recover")).toBe("There is nothing to recover.\n");
    expect(await events(before)).toEqual([]);
  });

  test("explains a refused request, as text and as JSON", async () => {
    const { headers } = await tryLogIn(server, "reader", { pass: "wrong" });
    const requestId = headers["x-request-id"] as string;
    await until(async () => (await r.records.get("refusal", [requestId])).length > 0);
    const text = await run(`--local why ${requestId}`);
    expect(text).toContain("POST /v1/login was refused with 403/302 (User and password are invalid)");
    expect(text).toMatch(/user +reader$/m);
    expect(text).toMatch(/Is the password, code or token right\? +No\.$/m);
    expect(text).toContain("Next steps:");
    expect(JSON.parse(await run(`--local why ${requestId} --json`))).toMatchObject({
      requestId,
      user: "reader",
      network: expect.any(String),
      failure: {
        code: 302,
        status: 403,
        steps: expect.arrayContaining([{ asked: "Does the user exist?", found: "Yes." }]),
      },
      items: [],
    });
    await expect(run("--local why unknown")).rejects.toThrow(/304/);
  });

  test("a new address invalidates tokens sent to the previous one", async () => {
    const { accounts, records } = r;
    await accounts.change(await idOf("reader"), { email: "reader@example.com" });
    const tokens = [
      await resetMail.prepare(r, { user: "reader" }),
      await resetMail.prepare(r, { user: "partner", custom: true }),
    ];
    const { account } = await accounts.find({ realm: "custom", loginName: "partner" }, []);
    expect([tokens.every((token) => token !== null), isUuid(account?.id ?? "")]).toEqual([true, true]);
    await run("--local user set-email reader other@example.com");
    expect(await records.remove("passwordReset", { owner: `user:${await idOf("reader")}` })).toEqual([]);
    await run("--local custom-user set-email partner other@example.com");
    expect(await records.remove("passwordReset", { owner: `custom:${account?.id ?? ""}` })).toEqual([]);
  });
});
