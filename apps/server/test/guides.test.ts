import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";
import { type Database } from "@sallyport/core";
import { type Agent, startTestService, type TestService } from "@sallyport/testing";
import type { RunningServer } from "../src/index.ts";
import { logOut, tryLogIn } from "./client.ts";
import { customPasswordEnvironment } from "./custom-password-suite.ts";
import { startDemoServer } from "./demo-server.ts";
import { guideSuite } from "./guide-suite.ts";
import { chromium, HeadlessBrowser } from "./headless-browser.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";

const masterKey = { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };

describe("guides", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  guideSuite("browsers.md", 3);
  guideSuite("classes.md");
  guideSuite("custom-users.md", 5, customPasswordEnvironment);
  guideSuite("files.md", 9, masterKey);
  guideSuite("licences.md", 3);
  guideSuite("multi.md", 3);
  guideSuite("objects.md");
  guideSuite("repeat-requests.md", 3);
  guideSuite("synchronisation.md", 9);
  guideSuite("older-clients.md", 4);
  guideSuite("passwords.md", 6, { ...storedServerKeys, MAIL_DIR: folder });
  guideSuite("two-factor.md", 8, masterKey);
});

describe("guide for pages", () => {
  let server: RunningServer;
  let call: (path: string, options?: object) => Promise<ReturnType<typeof JSON.parse>>;
  beforeAll(async () => {
    server = await startDemoServer("memory");
    const guide = readFileSync(new URL("../../../docs/guides/browsers.md", import.meta.url), "utf8");
    const [, code = ""] = /^```js\n(.*?)^```/ms.exec(guide) ?? [];
    const file = join(mkdtempSync(join(tmpdir(), "sallyport-page-")), "call.mjs");
    writeFileSync(file, code.replace("http://127.0.0.1:8080", server.url));
    ({ call } = await import(file));
  }, 60_000);
  afterAll(() => server.close());

  test("the printed function returns data, and throws the code of a failure", async () => {
    const body = { user: "demo", pass: "demo", appNames: ["demo-app"] };
    const { sessionId } = await call("/v1/login", { method: "POST", body });
    expect((await call("/v1/objects/Customer?perPage=1", { sessionId }))["~Elements"]).toHaveLength(1);
    await expect(call("/v1/login", { method: "POST", body: { ...body, pass: "wrong" } })).rejects.toMatchObject({
      code: "302",
      requestId: expect.stringMatching(/./),
    });
  });

  test("the printed function repeats a read after the time that the service names", async () => {
    const { admission } = (server.databases.get("") as Database).storage.repositories;
    const admit = jest.spyOn(admission, "admit");
    admit.mockRejectedValueOnce(new ServiceError(706, { retryAfter: 1 }));
    expect(await call("/_CheckService")).toMatchObject({ applicationName: "sallyport" });
    admit.mockRejectedValueOnce(new ServiceError(706, { retryAfter: 1 }));
    await expect(call("/_CheckService", { attempts: 1 })).rejects.toMatchObject({ code: "706" });
    admit.mockRestore();
  });

  test("the printed function tells that the service cannot be reached", async () => {
    await expect(call(".invalid/_CheckService")).rejects.toMatchObject({ code: "offline" });
  });
});

describe("serialization guide", () => {
  const guide = readFileSync(new URL("../../../docs/guides/serialization.md", import.meta.url), "utf8");
  const examples = Array.from(
    guide.matchAll(/^```http\nGET (\S+?)serialization=(\{[^\n]*\})\n```\n(.*?)^```json\n(.*?)^```/gms),
    ([, path, serialization, , answer]) => ({
      path: String(path),
      serialization: String(serialization),
      answer: JSON.parse(String(answer)) as object,
    }),
  );

  /** Ids and times differ between servers. */
  const comparable = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (name, member) => (/^~(?:ObjectID|UUID|StoreTime)$/.test(name) ? name : member));

  describe("guide to serialization", () => {
    let service: TestService;
    let admin: Agent;
    beforeAll(async () => {
      service = await startTestService({ configuration: { debugMessages: true } });
      admin = service.as("admin");
    });
    afterAll(() => service.close());

    test("has examples", () => expect(examples).toHaveLength(5));

    test.each(examples)("shows the answer to $path$serialization", async ({ path, serialization, answer }) => {
      const { body } = await admin.get(`${path}serialization=${encodeURIComponent(serialization)}`);
      const { status, data } = body;
      expect(comparable(data === undefined ? status : data["~Elements"][0])).toEqual(comparable(answer));
    });
  });
});

describe("queries guide", () => {
  const guide = readFileSync(new URL("../../../docs/guides/queries.md", import.meta.url), "utf8");

  /** The rows of the tables with JSON in the second column, cell by cell. */
  function rows(
    pattern: RegExp,
  ): readonly { readonly className: string; readonly json: string; readonly expected: string }[] {
    return Array.from(guide.matchAll(pattern), ([, className = "", json = "", expected = ""]) => ({
      className,
      json,
      expected,
    }));
  }

  const filters = rows(/^\| (\w+) \| `(\{.*?\})` \| (\d+) \|/gm);
  const orders = rows(/^\| (\w+) \| `(\[.*?\])` \| ([^|]+) \|$/gm);
  const [, path = "", answer = "{}"] = /^```http\nGET (\S+)\n```\n\n```json\n(.*?)^```/ms.exec(guide) ?? [];

  describe("guide to queries", () => {
    let service: TestService;
    let admin: Agent;
    beforeAll(async () => {
      service = await startTestService();
      admin = service.as("admin");
    });
    afterAll(() => service.close());

    const get = async (at: string) => {
      const { status, data } = (await admin.get(at)).body;
      return data ?? status;
    };
    const list = (className: string, query: object) =>
      get(`/v1/objects/${className}?perPage=1&query=${encodeURIComponent(JSON.stringify(query))}`);

    test("has examples of every operator", () => {
      const operators = [
        "$eq",
        "$ne",
        "$gt",
        "$gte",
        "$lt",
        "$lte",
        "$in",
        "$nin",
        "$like",
        "$contains",
        "$exists",
        "$and",
        "$or",
        "$not",
      ];
      expect(operators.filter((operator) => !filters.some(({ json }) => json.includes(`"${operator}"`)))).toEqual([]);
      expect(orders).toHaveLength(3);
    });

    test.each(filters)("$className where $json", async ({ className, json, expected }) => {
      expect(await list(className, { where: JSON.parse(json) })).toMatchObject({ "~Count": Number(expected) });
    });

    test.each(orders)("$className sorted by $json", async ({ className, json, expected }) => {
      expect(await list(className, { sort: JSON.parse(json) })).toMatchObject({
        "~Elements": [{ [className === "Invoice" ? "Number" : "Name"]: expected }],
      });
    });

    test("shows a complete answer", async () => {
      // Ids and times differ between servers, and the cursor contains an id.
      const comparable = (value: unknown) =>
        JSON.parse(JSON.stringify(value), (name, member) =>
          /^~(?:ObjectID|UUID|StoreTime|Cursor)$/.test(name) ? name : member,
        );
      expect(comparable(await get(path))).toEqual(comparable(JSON.parse(answer)));
    });
  });
});

describe("secure mode guide", () => {
  const folder = resolve(import.meta.dirname, "../../../docs/guides/secure-mode");
  const client = (name: string) => readFileSync(join(folder, name), "utf8");
  const run = promisify(execFile);

  const works = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
  /** The clients that are programs, with their requirements and whether this machine meets them. */
  const programs = [
    { file: "client.mjs", program: process.execPath, needs: "Node", has: true },
    {
      file: "client.sh",
      program: "bash",
      needs: "bash, curl, OpenSSL 3",
      has:
        ["bash", "curl"].every((name) => works(name, "--version")) &&
        works("bash", "-c", "openssl version | grep -q '^OpenSSL 3'"),
    },
    {
      file: "client.py",
      program: "python3",
      needs: "Python with cryptography",
      has: works("python3", "-c", "import cryptography"),
    },
  ];

  describe("clients of the page", () => {
    let server: RunningServer;
    let page: Server;
    let origin: string;
    beforeAll(async () => {
      server = await startDemoServer("embedded", { SESSION_PER_USER_LIMIT: "1" });
      page = createServer((_request, response) => {
        response.setHeader("Content-Type", "text/html; charset=utf-8");
        response.end(client("client.html"));
      }).listen(0, "127.0.0.1");
      await once(page, "listening");
      origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
      const appKeys = server.databases.get("")?.storage.repositories.appKeys;
      const digestOf = (key: string) => createHash("sha256").update(key).digest("hex");
      await appKeys?.create({ name: "page", appNames: ["demo-app"], origins: [origin] }, digestOf("key of the page"));
      await appKeys?.create(
        { name: "other page", appNames: ["demo-app"], origins: ["http://127.0.0.1:1"] },
        digestOf("key of another page"),
      );
    }, 60_000);
    afterAll(async () => {
      page.close();
      await server.close();
    });

    const sessions = () => server.databases.get("")?.storage.repositories.sessions.count();
    /** A list of two customers, then the answer to the log-out; no session is left. */
    const expectEnvelopes = async (output: string) => {
      const [list, end, ...more] = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(list).toMatchObject({ status: { internalStatus: "0" }, data: { "~Count": 200 } });
      expect(list.data["~Elements"]).toHaveLength(2);
      expect(end).toEqual({ status: { internalStatus: "0", statusMessage: "ok" }, data: {} });
      expect(more).toEqual([]);
      expect(await sessions()).toBe(0);
    };

    for (const { file, program, needs, has } of programs) {
      if (!has) test(`${file} requires ${needs}, which this machine lacks`, () => expect(has).toBe(false));
      else {
        test(`${file} runs as printed`, async () => {
          const { stdout, stderr } = await run(program, [join(folder, file), server.url]);
          expect(stderr).toBe("");
          await expectEnvelopes(stdout);
        }, 30_000);
        test(`${file} shows why a log-in is refused`, async () => {
          const { body } = await tryLogIn(server, "demo");
          const ending = run(program, [join(folder, file), server.url]);
          await expect(ending).rejects.toMatchObject({
            stderr: expect.stringContaining('{"status":{"internalStatus":"315"'),
          });
          await logOut(server, body.data.sessionId);
        }, 30_000);
      }
    }

    if (chromium === undefined)
      test("client.html requires Chromium, which this machine lacks", () => expect(chromium).toBeUndefined());
    else {
      test("client.html runs as printed, from an origin that its app key lists", async () => {
        const browser = new HeadlessBrowser(chromium as string);
        try {
          const fields = { server: server.url, appKey: "key of the page", user: "demo", pass: "demo" };
          await expectEnvelopes(String(await browser.evaluate(origin, fillIn(fields))));
          const refused = String(await browser.evaluate(origin, fillIn({ ...fields, pass: "wrong" })));
          expect(refused).toMatch(/^Error: \{"status":\{"internalStatus":"302"/);
          const unlisted = String(await browser.evaluate(origin, fillIn({ ...fields, appKey: "key of another page" })));
          expect(unlisted).toBe("TypeError: Failed to fetch");
        } finally {
          await browser.close();
        }
      }, 60_000);
    }
  });

  /** Fills in the form of the page, sends it, and waits for both envelopes or an error. */
  function fillIn(fields: Readonly<Record<string, string>>): string {
    return `new Promise((resolve) => {
    const output = document.querySelector("pre");
    new MutationObserver(() => {
      const { textContent } = output;
      if (textContent.includes("\\n") || textContent.includes("Error: ")) resolve(textContent);
    }).observe(output, { childList: true });
    const form = document.querySelector("form");
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) form.elements[name].value = value;
    form.requestSubmit();
  })`;
  }
});
