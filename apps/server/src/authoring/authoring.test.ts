import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { JsonValue } from "@sallyport/storage";
import type { MacroHost, MacroInvocation, MacroLease, MacroRuntime } from "@sallyport/core";
import { QuickJsMacroRuntime } from "@sallyport/macros";
import { pino } from "pino";
import { createContainer } from "../composition/create-container.ts";
import { components } from "../composition/components.ts";
import { demoMacros, loadConfiguration } from "../configuration/index.ts";
import { draftedHooks, draftOf } from "./macro-drafts.ts";
import { RecordedRuntime } from "./recorded-runtime.ts";
import { firstDifference, readTests } from "./test-file.ts";
import { faultExcerpt } from "./trial-report.ts";
import { Trial, type TrialRequest } from "./trial.ts";

describe("draft types", () => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const types = resolve(import.meta.dirname, "../../../../packages/macros/dist/authoring/index.d.ts");

  test("drafts have no type errors under the settings of the guide", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-drafts-"));
    try {
      const settings = {
        target: "ES2023",
        module: "NodeNext",
        strict: true,
        noEmit: true,
        allowJs: true,
        checkJs: true,
        types: [],
        paths: { "@sallyport/macros": [types] },
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: settings }));
      for (const language of ["ts", "js"] as const) {
        for (const hook of [null, ...draftedHooks]) {
          for (const { file, text } of draftOf({
            name: `${hook ?? "macro"}_${language}`,
            hook,
            classes: ["Invoice"],
            language,
          }))
            writeFileSync(join(folder, file), text);
        }
      }
      const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
      expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
      writeFileSync(
        join(folder, "Wrong.ts"),
        'import { defineMacro } from "@sallyport/macros";\nexport default defineMacro({ acess: "everyone", run: () => 1 });',
      );
      expect(spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" }).stdout).toContain(
        "'acess' does not exist",
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});

describe("macro drafts", () => {
  const begin = { name: "Begun", hook: null, classes: ["Invoice"], language: "ts" } as const;

  const runtime = new QuickJsMacroRuntime({ threads: 1, queue: 10 });
  afterAll(() => runtime.close());

  test("a draft in JavaScript is the TypeScript draft without its types", () => {
    const [typed, plain] = (["ts", "js"] as const).map((language) => draftOf({ ...begin, language }));
    expect(typed?.map(({ file }) => file)).toEqual(["Begun.ts", "Begun.test.json"]);
    expect(plain?.map(({ file }) => file)).toEqual(["Begun.js", "Begun.test.json"]);
    const types = /\ninterface Input \{[^}]*\}\n|<Input>/g;
    expect(typed?.[0]?.text).toMatch(types);
    expect(typed?.[0]?.text.replaceAll(types, "")).toBe(plain?.[0]?.text);
    expect(typed?.[0]?.text).not.toContain("// ts");
  });

  test("classes are written as string literals, for any name", () => {
    const [file] = draftOf({ ...begin, hook: "beforeSave", classes: ["A", ' B"$&'] });
    expect(file?.text).toContain('  classes: ["A", "B\\"$&"],\n');
  });

  test.each(draftedHooks)("the draft of %s is a hook on that event", async (on) => {
    for (const language of ["ts", "js"] as const) {
      const [file, ...others] = draftOf({ ...begin, hook: on, language });
      expect(others).toEqual([]);
      const { declaration } = await runtime.inspect({ name: "Begun", code: file?.text ?? "" }, language);
      expect(declaration).toMatchObject({
        on,
        run: true,
        ...(/^xRestApi_(?:DBCreateInit|Authenticate)/.test(on) ? {} : { classes: ["Invoice"] }),
      });
    }
  });
});

const limits = { cpu: 1, timeout: 1, memory: 1, hostCalls: 1, resultBytes: 1 };
const invocationOf = (name: string): MacroInvocation => ({
  module: { name, code: "", checksInput: false },
  driver: "run",
  argument: null,
  limits,
});

/** A runtime whose modules make the calls that their names state. */
const asking: MacroRuntime = {
  inspect: () => Promise.reject(new Error("not asked")),
  lease: async () => ({
    waited: 0,
    invoke: async ({ module: { name } }: MacroInvocation, host: MacroHost) => {
      host.log(`${name} begins`);
      return {
        result: await host.answer({ name, argument: null }),
        statusMessage: undefined,
        usage: { cpu: 2, hostCalls: 1 },
      };
    },
    release: () => {},
  }),
  load: { busy: 0, waiting: 0 },
  close: async () => {},
};

test("calls of nested macros are recorded in order, with their depth", async () => {
  const runtime = new RecordedRuntime(asking);
  const lease: MacroLease = await runtime.lease(0, false);
  const inner: MacroHost = { answer: async () => 7, isCatchable: () => false, log: () => {} };
  const outer: MacroHost = { ...inner, answer: async () => (await lease.invoke(invocationOf("Inner"), inner)).result };
  await expect(lease.invoke(invocationOf("Outer"), outer)).resolves.toMatchObject({ result: 7 });

  const { calls, lines, cpu } = runtime.take();
  expect(calls.map(({ macro, depth, name, error }) => ({ macro, depth, name, error }))).toEqual([
    { macro: "Outer", depth: 0, name: "Outer", error: undefined },
    { macro: "Inner", depth: 1, name: "Inner", error: undefined },
  ]);
  expect(calls[0]?.milliseconds).toBeGreaterThanOrEqual(calls[1]?.milliseconds ?? Number.NaN);
  expect(lines).toEqual([
    { macro: "Outer", text: "Outer begins" },
    { macro: "Inner", text: "Inner begins" },
  ]);
  expect(cpu).toBe(4);
  expect(runtime.take()).toEqual({ calls: [], lines: [], cpu: 0 });
});

test("an error of the host is recorded and rethrown", async () => {
  const runtime = new RecordedRuntime(asking);
  const lease = await runtime.lease(0, false);
  const error = new Error("refused");
  const host: MacroHost = { answer: () => Promise.reject(error), isCatchable: () => true, log: () => {} };
  await expect(lease.invoke(invocationOf("Outer"), host)).rejects.toBe(error);
  expect(runtime.take().calls).toMatchObject([{ name: "Outer", error }]);
});

describe("test file", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-tests-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = (text: string) => {
    writeFileSync(join(folder, "A.test.json"), text);
    return readTests(join(folder, "A.test.json"));
  };
  const refusal = { title: "a", as: "demo", expect: { code: 307 } };

  test("a test file contains tests", async () => {
    await expect(
      read(JSON.stringify([refusal, { ...refusal, input: null, skipChecker: true, apps: ["x"] }])),
    ).resolves.toEqual([
      { ...refusal, skipChecker: false },
      { ...refusal, input: null, skipChecker: true, apps: ["x"] },
    ]);
  });

  test.each([
    ["[", /A\.test\.json cannot be read: .*JSON/],
    ["[]", /at the root: /],
    [JSON.stringify([{ ...refusal, ass: "demo" }]), /at \/0: Unrecognized key: "ass"/],
    [
      JSON.stringify([refusal, { ...refusal, expect: {} }]),
      /at \/1\/expect: at least one of data, message, code and log is required$/,
    ],
    [
      JSON.stringify([{ ...refusal, expect: { code: 307, data: {} } }]),
      /at \/0\/expect: code cannot be combined with data or message$/,
    ],
  ])("refuses %s with its position", async (text, words) => {
    await expect(read(text)).rejects.toMatchObject({ name: "TrialError", message: expect.stringMatching(words) });
  });

  test("reports a missing file", async () => {
    await expect(readTests(join(folder, "B.test.json"))).rejects.toMatchObject({
      name: "TrialError",
      message: expect.stringMatching(/B\.test\.json cannot be read: ENOENT/),
    });
  });

  test.each<[JsonValue, JsonValue | undefined]>([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2, d: 3 }], e: 4 } }],
    [[], []],
    [null, null],
    ["x", "x"],
  ])("finds %j in %j", (expected, found) => {
    expect(firstDifference(expected, found)).toBeNull();
  });

  test.each<[JsonValue, JsonValue | undefined, string]>([
    [{ a: 1 }, { a: 2 }, "at /a: expected 1, found 2"],
    [{ a: 1 }, {}, "at /a: expected 1, found nothing"],
    [{ a: null }, {}, "at /a: expected null, found nothing"],
    [[1], [1, 2], "at /1: expected nothing, found 2"],
    [[1, 2], [1], "at /1: expected 2, found nothing"],
    [[{ a: 1 }], [{ a: "1" }], 'at /0/a: expected 1, found "1"'],
    [{}, [], "at the root: expected {}, found []"],
    [5, undefined, "at the root: expected 5, found nothing"],
    [{ toString: 1 }, {}, "at /toString: expected 1, found nothing"],
    [JSON.parse('{"__proto__":{"a":1}}') as JsonValue, { a: 1 }, 'at /__proto__: expected {"a":1}, found nothing'],
  ])("reports a difference: %j is not in %j", (expected, found, words) => {
    expect(firstDifference(expected, found)).toBe(words);
  });
});

describe("trial report", () => {
  const text = Array.from({ length: 10 }, (_, index) => `\tline(${index + 1});`).join("\n");

  test("shows the line between its neighbours, with a mark below the column", () => {
    expect(faultExcerpt(text, 9, 3)).toEqual([
      "   7 | \tline(7);",
      "   8 | \tline(8);",
      ">  9 | \tline(9);",
      "     | \t ^",
      "  10 | \tline(10);",
    ]);
  });

  test("shows nothing before the first line and after the last", () => {
    expect(faultExcerpt(text, 1, 1)).toEqual(["> 1 | \tline(1);", "    | ^", "  2 | \tline(2);", "  3 | \tline(3);"]);
    expect(faultExcerpt("one", 1, 4)).toEqual(["> 1 | one", "    |    ^"]);
  });
});

describe("trial", () => {
  const content = {
    databases: [{ name: "demo", storage: { engine: "memory" } }],
    macros: { directory: demoMacros(), watch: false, timeout: "1m" },
  };
  const configuration = loadConfiguration({ content, environment: { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" } });

  let trial: Trial;
  let close: () => Promise<void>;
  let sessions: () => Promise<number>;

  beforeEach(async () => {
    const container = createContainer(configuration, pino({ enabled: false }));
    container.onActivation(components.tuning, (_context, { macros, ...tuning }) => ({
      ...tuning,
      macros: { ...macros, threadPriority: 0 },
    }));
    let runtime: RecordedRuntime | undefined;
    container.onActivation(
      components.macroRuntime,
      (_context, recorded: MacroRuntime) => (runtime = new RecordedRuntime(recorded)),
    );
    const database = (await container.getAsync(components.databases)).get("");
    if (!database) throw new Error("There is no database.");
    await database.storage.migrate();
    await (await container.getAsync(components.demoSeeder)).seed({
      alias: database.alias,
      storage: database.storage,
      policy: database.policy,
      fileCipher: database.fileCipher,
      files: null,
    });
    const [services, digests, random] = [
      await container.getAsync(components.services),
      container.get(components.digests),
      container.get(components.random),
    ];
    trial = new Trial({ database, services, digests, random, runtime: runtime as RecordedRuntime });
    sessions = () => database.storage.repositories.sessions.count();
    close = async () => {
      await runtime?.close();
      await container.get(components.engines).close();
    };
  });

  afterEach(() => close());

  const transfer: TrialRequest = {
    macro: "TransferInvoice",
    user: "demo",
    input: { invoice: "6S", customer: "30" },
    skipChecker: false,
    commit: false,
  };
  const known = { code: 307, detail: "The invoice is this customer's already." };

  test("a trial is rolled back, including its session", async () => {
    for (let time = 0; time < 2; time += 1) {
      await expect(trial.run(transfer)).resolves.toMatchObject({ data: { number: "2025-00026" }, error: undefined });
    }
    await expect(sessions()).resolves.toBe(0);
  });

  test("a trial is committed on request, except for its session", async () => {
    await expect(trial.run({ ...transfer, commit: true })).resolves.toMatchObject({
      data: { number: "2025-00026" },
      error: undefined,
    });
    await expect(trial.run({ ...transfer, commit: true })).resolves.toMatchObject({ data: undefined, error: known });
    await expect(trial.run(transfer)).resolves.toMatchObject({ error: known });
    await expect(sessions()).resolves.toBe(0);
  });

  test("reports the calls and the session of a trial", async () => {
    const { recording, message } = await trial.run(transfer);
    expect(recording.calls.map(({ name, argument }) => [name, argument])).toMatchObject([
      ["objects.get", { id: "6S" }],
      ["objects.get", { id: "6S", forUpdate: true }],
      ["objects.get", { id: "30", forUpdate: true }],
      ["objects.find", { className: "Invoice" }],
      ["objects.update", { id: "6S", attributes: { Customer: "30" }, version: 1 }],
    ]);
    expect(recording.lines).toEqual([
      {
        macro: "TransferInvoice",
        text: 'transferred {"invoice":"2025-00026","from":"Velvetstone Looms","to":"Juniperfall Airships"}',
      },
    ]);
    expect(message).toBe("Juniperfall Airships owes 2025-00026 now");
    const who = await trial.run({
      macro: "WhoAmI",
      user: "admin",
      appNames: ["demo-seats"],
      input: undefined,
      skipChecker: false,
      commit: false,
    });
    expect(who).toMatchObject({
      data: { user: "admin", groups: ["Administrators"], administrator: true, apps: ["demo-seats"] },
    });
  });

  test.each([
    ["an unknown user", { user: "nobody" }, 'There is no user "nobody".'],
    ["an unknown app", { appNames: ["nothing"] }, 'There is no app "nothing".'],
    [
      "an unknown macro",
      { macro: "TransferInvoce" },
      'There is no macro "TransferInvoce". Did you mean "TransferInvoice"?',
    ],
    [
      "an unknown macro like no other",
      { macro: "Zzz" },
      'There is no macro "Zzz". Available macros: CountObjects, Echo, OpenInvoices, OverdueInvoices, TransferInvoice, WhoAmI.',
    ],
  ])("reports %s in plain words", async (_title, differing, words) => {
    await expect(trial.run({ ...transfer, ...differing })).rejects.toMatchObject({
      name: "TrialError",
      message: words,
    });
  });
});
