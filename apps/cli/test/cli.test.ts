import { randomUUID } from "node:crypto";
import { execFile } from "node:child_process";
import { chmodSync, readFileSync, statSync, writeFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { jest } from "@jest/globals";
import type { Command } from "commander";
import { until } from "@sallyport/test-kit/jest/until";
import { mainCommand } from "../src/main-command.ts";
import {
  program,
  root,
  file,
  serverEnvironment,
  password,
  outputs,
  json,
  lastRequestId,
  banner,
  url,
  appKey,
  run,
  sallyport,
  output,
  logInApp,
  startServer,
  stopServer,
} from "./served-command-line.ts";

jest.setTimeout(60_000);

/** Of a log-in with a wrong password. */
let refusedId: string;

beforeAll(startServer);
afterAll(stopServer);

describe("log-in", () => {
  test("is needed, says how, and ends with 3", async () => {
    const { code, stderr } = await sallyport("user list", "", { asProgram: true });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('Log in with "sallyport log-in"') });
  });

  test.each([
    ["an unreachable server", "log-in http://127.0.0.1:9 --user admin --app-key-file key", "admin\n", 4],
    ["a wrong password", "log-in URL --user admin --app-key-file key", "wrong\n", 1],
    ["a user who is not an administrator", "log-in URL --user demo --app-key-file key", "demo\n", 1],
    ["a key of an application", "log-in URL --user admin", "demo-app-key\nadmin\n", 1],
    ["http to another machine", "log-in http://server.example --user admin --app-key-file key", "admin\n", 2],
    ["a missing user", "log-in URL --app-key-file key", "admin\n", 2],
    ["a missing password", "log-in URL --user admin --app-key-file key", "", 2],
    ["a password as an argument", "log-in URL --user admin --app-key-file key --password admin", "", 2],
    ["a profile that is a path", "log-in URL --user admin --app-key-file key --profile ../x", "admin\n", 2],
  ])("is refused for %s, and keeps nothing", async (_what, line, input, code) => {
    const ended = await sallyport(line.replace("URL", url), input, { settings: "refused" });
    expect({ line, code: ended.code }).toEqual({ line, code });
    expect(ended.stderr).toMatch(/^error: /);
    expect(() => statSync(file("refused"))).toThrow("ENOENT");
  });

  test("names the code, what to do and the request id", async () => {
    const { stderr } = await sallyport(`log-in ${url} --user admin --app-key-file key`, "wrong\n", {
      settings: "refused",
    });
    expect(stderr).toMatch(
      /^error: 302 User and password are invalid\n[^]*wait before[^]*\n {2}Request id: [\w-]{36}\n$/,
    );
  });

  test("keeps the session in a file for the user alone", async () => {
    await output(`log-in ${url} --user admin`, `${appKey}\n${password}\n`);
    const folderMode = statSync(file("settings/sallyport")).mode & 0o777;
    expect([folderMode, statSync(file("settings/sallyport/default.json")).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(file("settings/sallyport"))).toEqual(["default.json"]);
    const kept = JSON.parse(readFileSync(file("settings/sallyport/default.json"), "utf8"));
    expect(kept).toEqual({ url, alias: "", appKey, user: "admin", passwordHash: "md5", sessionId: expect.any(String) });
    expect(await json("status")).toEqual({ profile: "default", url, alias: "", user: "admin", maintenance: false });
  });

  test("has commands to paste in the banner of the demo", async () => {
    const commands = /^Administer.*\n((?: {2}.*\n)+)/m.exec(banner)?.[1] ?? "";
    const env = { ...process.env, XDG_CONFIG_HOME: file("pasted"), npm_config_offline: "true" };
    const { stdout } = await promisify(execFile)("bash", ["-e", "-c", commands], { env, cwd: root });
    outputs.push(stdout);
    expect(stdout).toMatch(/^Logged in to the database "demo" [^]*\nID +USER [^]*\n\S+ +admin [^]*\nUsage: sallyport /);
    expect(banner).toMatch(/^ {2}admin key +[\w-]{43}$/m);
  });

  test("refuses a file that others can read", async () => {
    chmodSync(file("settings/sallyport/default.json"), 0o640);
    expect(await sallyport("status")).toMatchObject({ code: 5, stderr: expect.stringContaining("chmod 600") });
    chmodSync(file("settings/sallyport/default.json"), 0o600);
  });

  test("is repeated without address, user and app key, and has profiles that end alone", async () => {
    await output("log-in", `${password}\n`);
    // Its app key belongs to another database.
    const second = `log-in ${url} --alias second --user admin --app-key-file key --profile more`;
    expect((await sallyport(second, `${password}\n`)).code).toBe(1);
    await output(`log-in ${url} --user admin --app-key-file key --profile more`, `${password}\n`);
    expect(await output("log-out --profile more")).toContain("Logged out");
    expect((await sallyport("status --profile more")).code).toBe(3);
    expect((await sallyport("status")).code).toBe(0);
  });
});

describe("help", () => {
  const main = mainCommand();

  /** The words of a command line that the commands lack. */
  function unknownIn(line: string): string[] {
    let command: Command = main;
    return line.split(/\s+/).filter((word) => {
      const next = command.commands.find((each) => each.name() === word);
      if (next !== undefined) command = next;
      else if (word.startsWith("--"))
        return !["--help", "--version"].includes(word) && command.options.every(({ long }) => long !== word);
      else return command.commands.length > 0 && word !== "help";
      return false;
    });
  }

  const guide = readFileSync(join(root, "docs/guides/cli.md"), "utf8");
  const documented = Array.from(guide.matchAll(/(?:^ {4}|`)sallyport ([^`\n]+)/gm), ([, line]) => String(line));

  test("the guide shows existing commands only", () => {
    expect(documented.length).toBeGreaterThan(10);
    expect(documented.flatMap(unknownIn)).toEqual([]);
  });

  test("names tasks and exit codes, and every command shown in it exists", () => {
    const texts = [main, ...main.commands].map((command) => {
      let help = "";
      command.configureOutput({ writeOut: (part) => (help += part) }).outputHelp();
      return help;
    });
    expect(texts[0]).toContain("Stop a leaked app key");
    expect(texts[0]).toContain("3 not logged in");
    const shown = texts.flatMap((help) =>
      Array.from(help.matchAll(/^ +sallyport (.+)$/gm), ([, line]) => String(line)),
    );
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.flatMap(unknownIn)).toEqual([]);
  });

  test.each([
    ["usr list", "Did you mean user?"],
    ["user lst", "Did you mean list?"],
    ["user list --jsn", "Did you mean --json?"],
    ["user", "Usage: sallyport user"],
    ["session end", "--user"],
    ["session end 0123456789abcdef --app-key demo", "--app-key"],
    ["app seats demo-seats many", "integer"],
    ["key rotate aes", "rsa or jwt"],
    ["audit list --since yesterday", "30m"],
    ["audit list --until 24:00", "18:00"],
    ["audit list --until 5", "18:00"],
    ["audit list --type login.refusd", 'Did you mean "login.refused"?'],
    ["ban add --user demo --until 2020-01-01", "before it begins"],
    ["class rights Invoice Sales", "sales=read,write"],
    ["user set-email demo", "--none"],
    ["sync put field", "--class or --file"],
    ["sync put field --class Customer=", "Customer=Name,City"],
    ["sync put field --class Customer --where Name", "--where must be JSON"],
    ["sync put field --class Customer --page-size 5001", "from 1 to 5000"],
    ["group change Sales", "Pass --name or --description."],
    ["user change zoe --rights some", "all or view or audit"],
    ["sync put field --class Customer --conflicts me", "client or server or reject"],
    ["sync why field 1", "--user"],
  ])("%s is a wrong usage", async (line, told) => {
    const { code, stdout, stderr } = await sallyport(line);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(told) });
  });
});

describe("commands", () => {
  const rows: readonly (readonly [line: string, told: string | RegExp, input?: string])[] = [
    ["user create zoe --group Sales --description Buyer", 'Created user "zoe"', "a-Long-password-1\n"],
    ["user list", /^NAME +ID +STATE +ADMINISTRATOR +GROUPS\n[^]*^zoe +\w+ +enabled +no +Sales$/m],
    ["user set-email zoe zoe@example.com", 'of "zoe"'],
    ["user change zoe --name zora --administrator no --group Readers", 'Changed user "zora"'],
    ["user change zora --rights view", 'Changed user "zora"'],
    ["user list", /^zora +\w+ +enabled +view +Readers$/m],
    ["user change zora --rights audit", 'Changed user "zora"'],
    ["user show zora", /^administrator +audit$/m],
    ["user change zora --administrator no", 'Changed user "zora"'],
    ["user create vera --rights view", 'Created user "vera"', "a-Long-password-1\n"],
    ["user show vera", /^administrator +view$/m],
    ["user show zora", /groups +Readers\ne-mail +zoe@example.com/],
    ["user set-password zora", "ended all sessions", "another-Long-password-2\n"],
    ["user set-password zora --password-digest", "ended all sessions", "00112233445566778899aabbccddeeff\n"],
    ["user disable zora", 'Disabled user "zora"'],
    ["user enable zora", 'Enabled user "zora"'],
    ["group create Buyers --description People", 'Created group "Buyers"'],
    ["group change Buyers --name Purchasing", 'Changed group "Purchasing"'],
    ["group list", /^Purchasing +\w+ +People$/m],
    ["custom-user create kim --user reader", 'mapped to "reader"', "a-Long-password-3\n"],
    ["custom-user set-email kim kim@example.com", 'of "kim"'],
    ["custom-user map kim demo", 'Mapped "kim" to "demo"'],
    ["custom-user disable kim", 'Disabled custom user "kim"'],
    ["custom-user enable kim", 'Enabled custom user "kim"'],
    ["custom-user set-password kim", "ended all sessions", "a-Long-password-4\n"],
    ["custom-user set-password kim --password-digest", "ended all sessions", "00112233445566778899aabbccddeeff\n"],
    ["custom-user list", /^kim +enabled +demo +kim@example.com$/m],
    ["custom-user show kim", /^mapped to +demo \(\w+\)$/m],
    ["second-factor list kim --custom-user", ""],
    ["custom-user remove kim", 'Removed custom user "kim". 0 sessions'],
    ["app create office --seats 3 --seat-kind user", 'Created app name "office"'],
    ["app seats office unlimited", 'seats of "office" to unlimited'],
    ["app second-factor office optional", "to optional"],
    ["app list", /^office +unlimited +user +0 +optional$/m],
    ["app-key list", /^console +[\w-]+…? +enabled +admin +all +none/m],
    ["session list", /^\w+ +admin +\S+ +none +127\.0\.0\.1 +\d+[smhd] +\d+[smhd]( |$)/m],
    ["class rights Invoice *=read Sales=read,write", 'rights of class "Invoice"'],
    ["class list", /^Invoice +none +\*=read Sales=read,write$/m],
    ["key rotate jwt", "The current jwt key is"],
    ["key list", /^[\w-]{43} +jwt +current$/m],
    ["mail queue", /^messages +0$/m],
    ["macro list", /^Echo +macro +folder$/m],
    ["provider add google --data-file google.json --name Search", 'Registered provider "google"'],
    ["provider show google", '"name": "Search"'],
    ["provider remove google", 'Removed provider "google"'],
    ["provider add google", 'Registered provider "google"', '{"clientId":"1","clientSecret":"hidden-secret"}'],
    ["provider list", /^google +google +enabled/m],
    ["provider links", ""],
    ["device register tablet-1 --user reader", 'Registered device "tablet-1"'],
    ["device list --user reader", /^tablet-1 +reader +yes/m],
    ["device forget tablet-1 --user reader", 'Removed device "tablet-1". 0 sessions'],
    [
      "ban add --user zora --until 2h --reason lost",
      /^Banned user "zora" until \d\d-\d\d \d\d:\d\d:\d\d\S+\. 0 sessions/,
    ],
    ["ban list", /^zora +all +all +in force +\S+ \S+ +lost /m],
    ["ban remove --user zora", 'Removed the ban of user "zora"'],
    ["ban add --address 2001:db8::7 --reason guessing", 'Banned address "2001:db8::7". 0 sessions'],
    ["ban list", /^all +all +2001:db8:0:0::\/64 +in force +none +guessing /m],
    ["ban remove --address 2001:db8::7", 'Removed the ban of address "2001:db8::7"'],
    ["app forbid office --group Sales --reason late", 'Forbade "office" for group "Sales"'],
    ["app rules", /^office +forbid +all +all +Sales +late$/m],
    ["app clear-rule office --group Sales", "Removed the rule"],
    ["limits set sessions.limit=300", "Changed sessions.limit"],
    ["limits show", /^sessions.limit +300 +off +yes$/m],
    ["limits unset sessions.limit", "Changed sessions.limit"],
    ["sync put field --class Customer=Name,Country Invoice --conflicts macro:Echo", 'Stored schema "field"'],
    ["sync get field", /"fields": \[\s+"Name",\s+"Country"/],
    ["sync put field --file schema.json --direction both", 'Replaced schema "field". Its devices start over'],
    ["sync list", /^field +Invoice +both +server +yes +no$/m],
    ["sync disable", "Synchronization is off"],
    ["sync show", /^synchronization +off\ndeletions kept +90 days\nschemas .*field/],
    ["sync enable", "Synchronization is on"],
    [`sync why field ${randomUUID()} --user reader --sync-version 0`, /^cause +object: [^]*^ +Next: Check/m],
    ["sync remove field", 'Removed schema "field"'],
    ["doctor", /^ok +\S+: /m],
    ["maintenance on --message Back --for 2h", "Maintenance mode is on"],
    ["maintenance show", /^message +Back$/m],
    ["maintenance off", "Maintenance mode is off"],
    [
      "audit list --type account.created --by admin",
      /^\d\d-\d\d \d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d) +account.created +0 +zora +admin +none +127/m,
    ],
    ["audit list --type class.changed", /^ {2}rights\.read: .+ → \*, Sales$/m],
    [
      "audit list --type appRule.forbidden",
      /^ {2}rule: none → kind group, groupId Sales, access forbid, reason late$/m,
    ],
    ["audit list --type customUser.changed", /^ {2}userId: reader → demo$/m],
    [
      "audit list --type appSeats.changed --until 2099-01-01T00:00:00Z",
      /^\S+ \S+ +appSeats.changed +0 +none +admin +office +127\S+\n {2}seats: /m,
    ],
  ];

  test.each(rows.map(([line, told, input = ""]) => ({ line, told, input })))("$line", async ({ line, told, input }) => {
    const schema = { name: "other", classes: [{ className: "Invoice" }], where: { Number: "1" }, conflicts: "server" };
    writeFileSync(file("schema.json"), JSON.stringify({ ...schema, direction: "pull" }));
    writeFileSync(file("google.json"), '{"clientId":"1","clientSecret":"hidden-secret"}');
    const text = await output(line, input);
    expect(text).toEqual(typeof told === "string" ? expect.stringContaining(told) : expect.stringMatching(told));
    if (!/^(?:doctor|sync why)/.test(line)) expect(text.split("\n").filter((each) => each.length > 80)).toEqual([]);
  });

  test("--json prints the items of the response, also of an empty list", async () => {
    expect(await json("user list")).toContainEqual(expect.objectContaining({ name: "demo", enabled: true }));
    expect(await json("provider links")).toEqual([]);
    expect(await sallyport("provider links")).toMatchObject({ stdout: "", stderr: "There are no linked accounts.\n" });
    expect(await json("mail queue")).toEqual({ count: 0, oldestSeconds: 0, stuckSeconds: 0 });
  });

  test("an unknown name is refused with a suggestion", async () => {
    expect(await sallyport("user show raeder")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"reader"?'),
    });
    expect((await sallyport("session end 0123456789abcdef")).code).toBe(1);
  });
});

describe("a bad Monday", () => {
  test("the seats are gone", async () => {
    await output("app seats demo-seats 2");
    for (const user of ["reader", "demo"]) expect(await logInApp(user)).toBe("0");
    expect(await logInApp("admin")).not.toBe("0");
    expect(await json("app list")).toContainEqual(expect.objectContaining({ name: "demo-seats", seats: 2, taken: 2 }));
    expect(await output("session list --app-name demo-seats")).toMatch(/ reader .+\n.* demo | demo .+\n.* reader /);
    expect(await output("session end --user reader")).toContain("One session has ended.");
    expect(await logInApp("admin")).toBe("0");
    await output("app seats demo-seats 5");
    expect(await logInApp("reader")).toBe("0");
  });

  test("a phone is stolen", async () => {
    expect(await logInApp("demo", { device: { deviceId: "phone-1" } })).toBe("0");
    const [session, ...others] = await json("session list --user demo --device phone-1");
    expect([session.deviceId, others]).toEqual(["phone-1", []]);
    expect(await output("ban add --device phone-1 --dry-run")).toMatch(
      /^It would ban device "phone-1"\. 1 session would end\. Nothing was changed\.\n[^]*^demo +phone-1/m,
    );
    expect(await output("ban add --device phone-1 --reason stolen")).toContain("One session has ended.");
    expect(await json("session list --user demo --device phone-1")).toEqual([]);
    expect(await logInApp("demo", { device: { deviceId: "phone-1" } })).toBe("318");
    await output("user set-password demo", "a-Long-password-5\n");
    expect(await logInApp("demo")).toBe("302");
  });

  test("an address tries passwords", async () => {
    for (const pass of ["1", "2", "3"]) expect(await logInApp("reader", { pass })).toBe("302");
    refusedId = lastRequestId;
    const [row] = await json("audit list --type login.refused --since 10m --by-address");
    expect(row).toMatchObject({ address: "127.0.0.1" });
    expect(row.attempts).toBeGreaterThanOrEqual(4);
    expect(await json("audit list --address 127.0.0.2")).toEqual([]);
    const accepted = await json("audit list --address 127.0.0.1 --type login.accepted --user reader");
    expect(accepted.length).toBeGreaterThan(0);
  });

  test("an app key has leaked", async () => {
    await output("app-key disable demo");
    expect(await logInApp("reader")).toBe("101");
    expect(await json("session list --app-key demo")).not.toEqual([]);
    expect(await output("session end --app-key demo")).toMatch(/sessions? ha(?:s|ve) ended\.$/m);
    expect(await json("session list --app-key demo")).toEqual([]);
    const next = (await output("app-key create demo-next --app-name demo-seats")).trim();
    expect(await logInApp("reader", {}, next)).toBe("0");
    expect(await output("session list --app-key demo-next")).toContain("reader");
    await output("app-key enable demo");
    expect(await logInApp("reader")).toBe("0");
  });
});

describe("in the end", () => {
  test("why explains a refusal of some seconds ago", async () => {
    // The server stores explanations some seconds later.
    await until(async () => (await sallyport(`why ${refusedId}`)).code === 0, { interval: 200 });
    expect(await output(`why ${refusedId}`)).toMatch(
      /^POST \/v1\/login was refused with 403\/302 [^]*^ {2}app key +demo$/m,
    );
    const told = await json(`why ${refusedId}`);
    expect(told).toMatchObject({ requestId: refusedId, failure: { code: 302 } });
    const { stdout } = await run(program, ["--local", "why", refusedId], serverEnvironment);
    expect(stdout).toBe(await output(`why ${refusedId}`));
    expect(stdout).toContain(`\nNext steps:\n  - ${told.failure.nextSteps[0]}\n`);
    expect((await sallyport("why 00000000-0000-4000-8000-000000000000")).code).toBe(1);
  });

  test("an ended session says how to log in again, and a log-out forgets it", async () => {
    const settings = JSON.parse(readFileSync(file("settings/sallyport/default.json"), "utf8"));
    const ids = (await json("session list")).flatMap(({ user, id }: { user: string; id: string }) =>
      user === "admin" ? [id] : [],
    );
    await sallyport(["session", "end", ...ids]);
    const { code, stderr } = await sallyport("user list");
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('Log in again with "sallyport log-in"'),
    });
    expect((await sallyport("log-out")).code).toBe(0);
    expect(readdirSync(file("settings/sallyport"))).toEqual([]);
    // Created keys are printed; the used one and the session never are.
    for (const secret of [appKey, settings.sessionId, "hidden-secret", "a-Long-password"])
      expect(outputs.filter((each) => each.includes(secret))).toEqual([]);
  });
});
