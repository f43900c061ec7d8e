import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve, delimiter, join } from "node:path";
import { promisify } from "node:util";
import { jest } from "@jest/globals";
import { type JsonValue, seesAll, type Storage } from "@sallyport/storage";
import { MacroStore } from "@sallyport/core";
import { QuickJsMacroRuntime } from "@sallyport/macros";
import { pino } from "pino";
import type { RunningServer } from "../src/index.ts";
import { callIn, type Answer, call, type Sent, tryLogIn } from "./client.ts";
import { startDemoServer } from "./demo-server.ts";
import { onEngines, withoutLockout } from "./engines.ts";
import { has, shells } from "./guide-suite.ts";
import { hookEnvironment, hookSuite } from "./hook-suite.ts";
import { macroEnvironment, macroSuite } from "./macro-suite.ts";
import { openSession } from "./open-session.ts";
import { repositoriesOf } from "./repositories-of.ts";

describe("macros", () => {
  onEngines("macros", macroSuite, { environment: { ...withoutLockout, ...macroEnvironment, DEBUG_MESSAGES: "true" } });

  onEngines("concurrent macros", waitingSuite, { environment: macroEnvironment, on: ["Postgres"] });

  /** The macro that holds a lock on objects. */
  function waitingSuite(server: () => RunningServer): void {
    test("are answered in time, and leave nothing behind", async () => {
      const { storage } = server().databases.get("") as { readonly storage: Storage };
      const session = await openSession(server(), "session", "demo");
      const execute = (name: string, input: object) =>
        callIn(server(), session, `/v1/execute/${name}`, { method: "POST", body: input });
      const customer = async (): Promise<string> => {
        const body = { Name: "Ada", CreditLimit: 1 };
        return (await callIn(server(), session, "/v1/object/Customer", { method: "POST", body })).body.data[
          "~ObjectID"
        ];
      };
      const id = await customer();
      // Creating an engine is slow, which the measured executions below must not include.
      const others = await Promise.all(Array.from({ length: 8 }, customer));
      await Promise.all(others.map((other) => execute("LockForUpdate", { id: other })));
      let release = () => {};
      let markLocked = () => {};
      const locked = new Promise<void>((resolve) => {
        markLocked = resolve;
      });
      const locking = storage.transaction(async ({ objects }) => {
        await objects.lock([id]);
        markLocked();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      await locked;
      const began = performance.now();
      const answers = await Promise.all([execute("LockForUpdate", { id }), execute("LockForUpdate", { id })]).finally(
        release,
      );
      expect(performance.now() - began).toBeLessThan(900);
      expect(answers.map(({ status, code }) => [status, code])).toEqual([
        [500, "710"],
        [500, "710"],
      ]);
      await locking;
      expect(await execute("Raise", { id })).toMatchObject({ code: "0", body: { data: 2 } });
      const [after] = await storage.repositories.objects.get([id], seesAll);
      expect(after).toMatchObject({ version: 2, attributes: { CreditLimit: 2 } });
    });
  }

  onEngines("hooks", hookSuite, { environment: hookEnvironment });
});

describe("hook modules", () => {
  describe("sample hooks", () => {
    let server: RunningServer;
    let sessionId: string;
    let asAdmin: string;
    const lines: string[] = [];
    const folder = resolve(import.meta.dirname, "../macros/hooks");

    beforeAll(async () => {
      server = await startDemoServer(
        "memory",
        { MACROS_DIR: folder, DEBUG_MESSAGES: "true" },
        pino({}, { write: (line: string) => void lines.push(JSON.parse(line).text ?? "") }),
      );
      const logIn = async (user: string) => (await tryLogIn(server, user)).body.data.sessionId as string;
      [sessionId, asAdmin] = [await logIn("demo"), await logIn("admin")];
    });

    afterAll(() => server.close());

    const send = (path: string, sent: Sent = {}): Promise<Answer> => call(server, path, { sessionId, ...sent });
    const list = (className: string, query: object, sent: Sent = {}) =>
      send(`/v1/objects/${className}?query=${encodeURIComponent(JSON.stringify(query))}`, sent);
    const create = async (body: object) => send("/v1/object/Invoice", { method: "POST", body });

    test("InvoiceState adds the state of each invoice", async () => {
      const { body } = await list("Invoice", { where: { Number: { $in: ["2025-00001", "2025-00026"] } } });
      expect(body.data["~Elements"]).toMatchObject([
        { Number: "2025-00001", State: "paid" },
        { Number: "2025-00026", State: "overdue" },
      ]);
      const { data } = (await create({ Number: "A", Date: "2999-01-01", Paid: false })).body;
      expect(data).toMatchObject({ Number: "A", State: "open" });
    });

    test("ActiveCustomers hides inactive customers by default", async () => {
      const counts = [
        await list("Customer", {}),
        await list("Customer", { where: { Active: false } }),
        await list("Customer", {}, { sessionId: asAdmin }),
      ];
      const [active, inactive, all] = counts.map(({ body }) => body.data["~Count"] as number);
      expect(active).toBeLessThan(200);
      expect(active).toBe(200 - (inactive as number));
      expect(all).toBe(200);
    });

    test("InvoiceRules refuses invalid invoices, and fills in defaults", async () => {
      expect(await create({ Number: "B", Amount: -1 })).toMatchObject({ status: 400, code: "307" });
      expect(await create({ Number: "B", Date: "2026-02-01", Due: "2026-01-31" })).toMatchObject({
        status: 400,
        code: "307",
      });
      expect((await create({ Number: "B", Date: "2026-01-31", Amount: 1 })).body.data).toMatchObject({
        Due: "2026-03-02",
      });
    });

    test("PaidInvoicesStay refuses to delete paid invoices, and allows others", async () => {
      const [paid, open] = [await create({ Number: "C", Paid: true }), await create({ Number: "D", Paid: false })].map(
        ({ body }) => body.data["~ObjectID"] as string,
      );
      expect(await send(`/v1/object/${paid}`, { method: "DELETE", sessionId: asAdmin })).toMatchObject({
        status: 500,
        code: "718",
      });
      expect(await send(`/v1/object/${paid}`)).toMatchObject({ code: "0" });
      expect(await send(`/v1/object/${open}`, { method: "DELETE", sessionId: asAdmin })).toMatchObject({ code: "0" });
    });

    test("PaymentTrail records who marks an invoice as paid, and nothing else", async () => {
      const { body } = await create({ Number: "E", Paid: false });
      const change = (attributes: object) =>
        send(`/v1/object/${body.data["~ObjectID"]}`, { method: "PATCH", body: attributes });
      for (const attributes of [{ Amount: 3 }, { Paid: true }, { Amount: 4 }, { Paid: false }])
        expect(await change(attributes)).toMatchObject({ code: "0" });
      expect(lines.filter((line) => line.startsWith("E "))).toEqual(["E paid, says demo", "E open again, says demo"]);
    });

    test("DeletionTrail records who deleted which object", async () => {
      const { body } = await create({ Number: "F" });
      expect(await send(`/v1/object/${body.data["~ObjectID"]}`, { method: "DELETE" })).toMatchObject({ code: "0" });
      expect(lines.filter((line) => line.includes("deleted"))).toContain("Invoice F deleted by demo");
    });

    test("AcceptColleagues accepts users with a company address that the provider vouches for", async () => {
      const runtime = new QuickJsMacroRuntime({ threads: 1, queue: 10, threadPriority: 0 });
      const name = "AcceptColleagues";
      const { declaration, module } = await runtime.inspect(
        { name, code: readFileSync(resolve(folder, `${name}.ts`), "utf8") },
        "ts",
      );
      expect(declaration).toEqual({ on: "xRestApi_DBCreateInit_xRestApiUserProvider", run: true });
      const lease = await runtime.lease(60_000, false);
      const limits = { cpu: 1_000, timeout: 10_000, memory: 16 * 1_048_576, hostCalls: 0, resultBytes: 1_000 };
      const host = { answer: async () => undefined, isCatchable: () => false, log: () => {} };
      const given = async (email: JsonValue, type = "google") => {
        const argument = {
          userObject: {},
          providerConfig: { type },
          userUuid: "u",
          name: "",
          surname: "",
          email,
          caller: {},
        };
        return (
          await lease.invoke(
            { module: { ...module, checksInput: false }, driver: "createUserProvider", argument, limits },
            host,
          )
        ).result;
      };
      expect([
        await given("ada@example.com"),
        await given("ada@example.com.example.org"),
        await given(""),
        await given(null),
      ]).toEqual([0, -1, -1, -1]);
      expect([
        await given("ada@example.com", "apple"),
        await given("ada@example.com", "microsoft"),
        await given("ada@example.com", "facebook"),
      ]).toEqual([0, -1, -1]);
      lease.release();
      await runtime.close();
    });

    test("xRestApi_Authenticate accepts the partners in its list, and no others", async () => {
      const logIn = (user: string, pass: string) =>
        call(server, "/v1/auth/df", { method: "POST", body: { user, pass, appNames: "demo-app" } });
      const pass = createHash("md5").update("over the hills").digest("hex");
      expect((await logIn(" Northern Depot", pass)).body.data.user.Name).toBe("reader");
      for (const [user, word] of [
        ["northern depot", "wrong"],
        ["southern depot", pass],
        ["partner", "partner"],
      ] as const)
        expect(await logIn(user, word)).toMatchObject({ status: 403, code: "302" });
    });
  });

  test("an authentication hook cannot leak the password to a log or an answer", async () => {
    const lines: string[] = [];
    const server = await startDemoServer(
      "memory",
      { LOG_LEVEL: "trace", DEBUG_MESSAGES: "true" },
      pino({ level: "trace" }, { write: (line: string) => void lines.push(line) }),
    );
    try {
      const macros = new MacroStore(repositoriesOf(server));
      const pass = 'open "sesame" \\ now';
      const texts = [
        "log('word', pass, { pass }); return null;",
        "throw new Error('so ' + pass);",
        "refuse(403, 'no ' + pass);",
        "throw { [pass]: pass };",
        "return pass;",
      ];
      for (const run of texts) {
        const text = `import { defineHook, refuse } from "@sallyport/macros";\nexport default defineHook({ on: "xRestApi_Authenticate", run(user, pass, appNames, { log }) { ${run} } });\n`;
        await macros.put({ name: "xRestApi_Authenticate", text, language: "js", changedBy: "test" }, null);
        const answer = await call(server, "/v1/auth/df", {
          method: "POST",
          body: { user: "anybody", pass, appNames: "demo-app" },
        });
        expect(["302", "710"]).toContain(answer.code);
        expect(JSON.stringify(answer.body)).not.toMatch(/sesame/);
      }
      await tryLogIn(server, "demo");
    } finally {
      await server.close();
    }
    expect(lines.some((line) => line.includes("word *** "))).toBe(true);
    expect(lines.filter((line) => line.includes("sesame"))).toEqual([]);
  });
});

describe("macros guide", () => {
  // A program for each command and each request is slow.
  jest.setTimeout(120_000);

  /** No example depends on how long a macro waits for a thread on a busy machine. */
  const limits = { MACRO_TIMEOUT: "1m" };

  const guide = readFileSync(resolve(import.meta.dirname, "../../../docs/guides/macros.md"), "utf8");
  const main = resolve(import.meta.dirname, "../dist/package/dist/main.js");

  interface Block {
    readonly language: string;
    /** The file with this content. */
    readonly file: string | undefined;
    readonly text: string;
  }

  const blocks: Block[] = Array.from(
    guide.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms),
    ([, language = "", file, text = ""]) => ({ language, file, text }),
  );

  /** Times vary, and so do the columns beside them. */
  function withoutTimes(text: string): string[] {
    const lines = text.trimEnd().split("\n");
    return lines.map((line) =>
      line
        .replaceAll(/\d+(?:\.\d+)? ms/g, "any ms")
        .replaceAll(/ +/g, " ")
        .trimEnd(),
    );
  }

  describe.each(shells)("examples of macros.md in %s", (shell) => {
    let server: RunningServer;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sallyport-macros-guide-"));
      mkdirSync(join(folder, "macros"));
      if (!has("curl")) await symlink(resolve(import.meta.dirname, "stand-in-curl.mjs"), join(folder, "curl"));
      server = await startDemoServer("memory", {
        MACROS_DIR: join(folder, "macros"),
        MACROS_WATCH: "false",
        ...limits,
      });
    });

    afterAll(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });

    const run = async (script: string) => {
      const command = `sallyport-server() { '${process.execPath}' '${main}' "$@"; }\n`;
      const environment = { PATH: `${process.env["PATH"]}${delimiter}${folder}`, HOME: folder, ...limits };
      const printed = promisify(execFile)(shell, ["-c", `exec 2>&1\n${command}${script}`], {
        cwd: folder,
        env: environment,
      });
      // A command that reports a failure is an example, too.
      return printed.then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    };

    test("print the documented output", async () => {
      let prepared = "";
      let shown = 0;
      for (const [place, { language, file, text }] of blocks.entries()) {
        if (file !== undefined) {
          writeFileSync(join(folder, file), text);
          server.readMacros();
          continue;
        }
        if (language !== "sh") continue;
        const script = text.replace("http://127.0.0.1:8080", server.url);
        const answer = blocks[place + 1];
        if (answer === undefined || answer.file !== undefined || !["text", "json"].includes(answer.language)) {
          prepared += script;
          continue;
        }
        const printed = await run(prepared + script);
        if (answer.language === "json") expect(JSON.parse(printed)).toEqual(JSON.parse(answer.text));
        else expect(withoutTimes(printed)).toEqual(withoutTimes(answer.text));
        shown += 1;
      }
      expect(shown).toBeGreaterThan(5);
    });

    test("work, including the commands of the README", async () => {
      const readme = readFileSync(resolve(import.meta.dirname, "../../../README.md"), "utf8");
      const commands = Array.from(readme.matchAll(/^ {4}npx (sallyport-server macro .*)$/gm), ([, command]) => command);
      expect(commands.length).toBeGreaterThan(2);
      const printed = await run(`rm -r macros/*\nset -e\n${commands.join("\n")}\necho all of them`);
      expect(printed).toMatch(/^macros\/Hello\.ts\n[^]*\n3 passed, 0 failed\nall of them\n$/);
    });
  });
});
