import { jest } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type AuditEvent,
  identityLinkKind,
  isUuid,
  linkOwner,
  type RecordedAuditEvent,
  type Repositories,
  SecondFactors,
} from "@sallyport/core";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import type { Command } from "commander";
import { mainCommand, wholeCommand } from "../src/commands/main-command.ts";
import { describeError } from "../src/commands/report-failure.ts";
import type { RunningServer } from "../src/index.ts";
import { tryLogIn } from "./client.ts";
import { repositoriesOf } from "./repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { resetMail } from "./reset-mail.ts";
import { testEnvironment } from "./test-environment.ts";

jest.setTimeout(120_000);

/** The subject of an event. */
type About = Partial<Pick<AuditEvent, "appNames" | "macroName" | "providerName">> & {
  readonly user?: string;
  readonly appKey?: string;
};

interface Row {
  readonly command: string;
  /** The expected events, in order. */
  readonly events: readonly (readonly [AuditEvent["type"], About])[];
}

const formerKey = Buffer.alloc(32, 8);
const linkId = "11111111-2222-4333-8444-555555555555";
const password = "--password-file password.txt";
const audited = (command: string, type: AuditEvent["type"], about: About): Row => ({
  command,
  events: [[type, about]],
});

/** Every command that changes something, in sequence. */
const changing: readonly Row[] = [
  audited("app create office", "app.created", { appNames: ["office"] }),
  {
    command: "app create field --second-factor forced",
    events: [
      ["app.created", { appNames: ["field"] }],
      ["appSecondFactor.required", { appNames: ["field"] }],
    ],
  },
  audited("app seats office 3 --seat-kind user", "appSeats.changed", { appNames: ["office"] }),
  audited("app second-factor office optional", "appSecondFactor.allowed", { appNames: ["office"] }),
  audited("app second-factor office forced", "appSecondFactor.required", { appNames: ["office"] }),
  audited("app second-factor office off", "appSecondFactor.disabled", { appNames: ["office"] }),
  audited("app-key create tablet --app-name office", "appKey.created", { appKey: "tablet" }),
  audited("app-key disable tablet", "appKey.disabled", { appKey: "tablet" }),
  audited("app-key enable tablet", "appKey.enabled", { appKey: "tablet" }),
  audited(`user create ada ${password}`, "account.created", { user: "ada" }),
  audited("user disable ada", "account.disabled", { user: "ada" }),
  audited("user enable ada", "account.enabled", { user: "ada" }),
  audited("user set-email ada ada@example.com", "account.changed", { user: "ada" }),
  audited("user set-email ada --none", "account.changed", { user: "ada" }),
  audited("user set-password ada --password-file other.txt", "password.changed", { user: "ada" }),
  audited("ban add --user ada --reason lost", "ban.added", { user: "ada" }),
  audited("ban remove --user ada", "ban.removed", { user: "ada" }),
  audited("ban add --address 192.0.2.7", "ban.added", {}),
  audited("ban remove --address 192.0.2.7", "ban.removed", {}),
  audited("device register phone-1 --user ada", "device.registered", { user: "ada" }),
  audited("device forget phone-1 --user ada", "device.forgotten", { user: "ada" }),
  audited("app allow office --user ada", "appRule.allowed", { user: "ada", appNames: ["office"] }),
  audited("app forbid office --device phone-1", "appRule.forbidden", { appNames: ["office"] }),
  audited("app clear-rule office --device phone-1", "appRule.removed", { appNames: ["office"] }),
  audited(`custom-user create zoe --user reader ${password}`, "customUser.created", { user: "reader" }),
  audited("custom-user set-email zoe zoe@example.com", "customUser.changed", { user: "reader" }),
  audited("custom-user set-password zoe --password-file other.txt", "customPassword.changed", { user: "reader" }),
  audited("custom-user disable zoe", "customUser.disabled", { user: "reader" }),
  audited("custom-user enable zoe", "customUser.enabled", { user: "reader" }),
  audited("custom-user map zoe demo", "customUser.changed", { user: "reader" }),
  audited("custom-user remove zoe", "customUser.removed", { user: "demo" }),
  audited("second-factor remove reader --app-name office", "secondFactor.removed", {
    user: "reader",
    appNames: ["office"],
  }),
  audited("macro put Greet.js", "macro.stored", { macroName: "Greet" }),
  audited("macro remove Greet", "macro.removed", { macroName: "Greet" }),
  audited("provider add google --data-file provider.json", "provider.stored", { providerName: "google" }),
  audited("provider add google --data-file provider.json --default-user reader", "provider.stored", {
    providerName: "google",
  }),
  audited(`provider unlink ${linkId}`, "link.removed", { user: "reader", providerName: "google" }),
  audited("provider remove google", "provider.removed", { providerName: "google" }),
  audited("key rotate jwt", "jwtKey.rotated", {}),
  audited("key rotate rsa", "rsaKey.rotated", {}),
  audited("key reseal", "secrets.resealed", {}),
  audited("file collect --older-than 0s", "files.collected", {}),
  audited("limits set sessions.limit=7 rates.address.perMinute=10/s", "limits.changed", {}),
  audited("limits unset rates.address.perMinute", "limits.changed", {}),
  audited("maintenance on", "maintenance.started", {}),
  audited("maintenance off", "maintenance.ended", {}),
  audited("restart-sync", "sync.restarted", {}),
  {
    command: "recover --force",
    events: [
      ["sync.restarted", {}],
      ["database.recovered", {}],
    ],
  },
];

/** The other commands: they show something, or create a database. */
const others = [
  "help",
  "serve",
  "migrate",
  // Needs two servers: the drill of moves tries it.
  "move",
  "check-config",
  "doctor",
  "seed",
  "restore",
  "dump",
  "verify",
  "reference",
  "app list",
  "app rules",
  "ban list",
  "device list",
  "app-key list",
  "user list",
  "custom-user list",
  "custom-user show",
  "second-factor list",
  "class list",
  "file list",
  "file check",
  "key list",
  "macro new",
  "macro run",
  "macro test",
  "macro list",
  "macro show",
  "macro history",
  "why",
  "limits show",
  "mail test",
  "mail queue",
  "provider test",
  "provider list",
  "provider show",
  "provider links",
];

/** The leaf commands, by their words. */
function commandsOf({ commands }: Command, words: readonly string[] = []): string[] {
  return commands.flatMap((each) =>
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
    for (const kind of ["jwt", "rsa"]) await run(`key rotate ${kind}`);
    const userId = await idOf("reader");
    const identity = { provider: "google", issuer: "https://accounts.example", subject: "1" } as const;
    const link = { ...identity, id: linkId, userId, shared: false, email: null, displayName: null };
    await r.records.put(identityLinkKind, "link", link, { owner: linkOwner(userId) });
    const sealedSecret = new AesGcmKeyWrapping(formerKey).wrap(Buffer.of(1), "second factor");
    for (const appName of ["office", "field"])
      await new SecondFactors(r.records).enrol({ subject: `user:${userId}`, appName, sealedSecret, recoveryCodes: [] });
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
    const words = command.split(" ").map((word) => (/\.(?:txt|js|json)$/.test(word) ? join(folder, word) : word));
    const output: string[] = [];
    const muted = [
      jest.spyOn(console, "log").mockImplementation((text: string) => void output.push(text)),
      jest.spyOn(console, "error").mockImplementation(() => {}),
    ];
    try {
      await mainCommand().parseAsync([...words, "--config", join(folder, "sallyport.config.json")], { from: "user" });
      return output.join("\n");
    } finally {
      for (const each of muted) each.mockRestore();
    }
  }

  test("covers every command", async () => {
    const all = commandsOf(await wholeCommand());
    const known = new Set([
      ...others,
      ...changing.map(({ command }) => all.find((words) => command === words || command.startsWith(`${words} `))),
    ]);
    expect([...known].toSorted()).toEqual(all.toSorted());
  });

  test.each(changing.map((row) => [row.command, row] as const))("records %s", async (command, { events: expected }) => {
    const before = await last();
    await run(command);
    const appKeys = await r.appKeys.list(null, 100);
    const wanted = [];
    for (const [type, { user, appKey, appNames = [], macroName = null, providerName = null }] of expected) {
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
      });
    }
    expect(await events(before)).toEqual(wanted.map((each) => expect.objectContaining(each)));
  });

  test("records nothing for a command without a change", async () => {
    const before = await last();
    for (const command of [
      "app second-factor nowhere off",
      "app create demo-app",
      "app-key disable nobody",
      "user disable nobody",
      "ban remove --user reader",
      "device forget phone-1",
      "app clear-rule office --user reader",
      "app forbid office --user nobody --dry-run",
      "custom-user disable nobody",
      "provider remove google",
      "macro remove Greet",
      "recover --force --nothing-lost",
    ]) {
      expect(await run(command).then(() => null, describeError)).toMatch(/There is|not|already/);
    }
    expect(await run("recover")).toBe("There is nothing to recover.");
    expect(await events(before)).toEqual([]);
  });

  test("explains a refused request, as text and as JSON", async () => {
    const { headers } = await tryLogIn(server, "reader", { pass: "wrong" });
    const requestId = headers["x-request-id"] as string;
    while ((await r.records.get("refusal", [requestId])).length === 0) await pause(20);
    const text = await run(`why ${requestId}`);
    expect(text).toContain("POST /v1/login was refused with 403/302 (User and password are invalid)");
    expect(text).toMatch(/user +reader$/m);
    expect(text).toMatch(/Is the password, code or token right\? +No\.$/m);
    expect(text).toContain("Next steps:");
    expect(JSON.parse(await run(`why ${requestId} --json`))).toMatchObject({
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
    await expect(run("why unknown")).rejects.toThrow(
      /^No refusal with the request id "unknown" is stored in this database\./,
    );
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
    await run("user set-email reader other@example.com");
    expect(await records.remove("passwordReset", { owner: `user:${await idOf("reader")}` })).toEqual([]);
    await run("custom-user set-email partner other@example.com");
    expect(await records.remove("passwordReset", { owner: `custom:${account?.id ?? ""}` })).toEqual([]);
  });
});
