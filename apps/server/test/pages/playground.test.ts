import { type FailureCode, SallyportError } from "@sallyport/client";
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { isFullRun } from "@sallyport/test-kit/scope";
import type { RunningServer } from "../../src/index.ts";
import { startConfiguredServer } from "../demo-server.ts";
import { chromium, HeadlessBrowser } from "./headless-browser.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";

const files = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "playground.css",
  "playground.js",
  "own-example.js",
  "start.css",
  "offline.css",
  "offline.js",
  "offline-worker.js",
];
const asBrowser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

interface Taken {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly headers: Headers;
}

async function take(url: string, path: string, init: RequestInit = {}): Promise<Taken> {
  const answer = await fetch(url + path, { redirect: "manual", ...init });
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    text: await answer.text(),
    headers: answer.headers,
  };
}

describe("example of a request on the page", () => {
  const examples = { Customer: { value: { Name: "Name" } }, Invoice: { value: { Number: "Number" } } };
  const body = { content: { "application/json": { examples } } };
  const description = { paths: { "/v1/object/{idOrClass}": { post: { requestBody: body }, delete: {} } } };

  /** Selects a value, with this body in the editor; returns what the page then shows. */
  function selected(name: string, written: string | undefined, { place = "path", method = "post" } = {}) {
    const shown: Record<string, unknown> = {};
    const system = {
      oas3Selectors: { requestBodyValue: () => written },
      oas3Actions: {
        setActiveExamplesMember: ({ name: active }: { name: string }) => void (shown["active"] = active),
        setRequestBodyValue: ({ value }: { value: string }) => void (shown["body"] = value),
      },
    };
    const code = readFileSync(new URL("../../../../packages/http/public/own-example.js", import.meta.url), "utf8");
    const plugin = runInNewContext(`${code}; ownExample`)(() => description);
    const { changeParamByIdentity } = plugin().statePlugins.spec.wrapActions;
    const change = changeParamByIdentity((...args: readonly unknown[]) => args.length, system);
    const pathMethod = ["/v1/object/{idOrClass}", method];
    expect(change(pathMethod, new Map([["in", place]]), name, false)).toBe(4);
    return shown;
  }

  const text = (value: object) => JSON.stringify(value, null, 2);
  const invoice = { active: "Invoice", body: text(examples.Invoice.value) };

  test.each<[title: string, name: string, written: string | undefined, shown: object]>([
    ["follows the class", "Invoice", undefined, invoice],
    ["replaces the example of another class", "Invoice", text(examples.Customer.value), invoice],
    ["leaves a body that the user has written", "Invoice", '{"Name":"Ada"}', {}],
    ["does not exist for an id", "2B", undefined, {}],
    ["does not exist for a name of objects", "constructor", undefined, {}],
  ])("%s", (_title, name, written, shown) => {
    expect(selected(name, written)).toEqual(shown);
  });

  test("does not follow other parameters and requests without a body", () => {
    expect(selected("Invoice", undefined, { place: "query" })).toEqual({});
    expect(selected("Invoice", undefined, { method: "delete" })).toEqual({});
  });
});

describe("offline sample", () => {
  const refused = (code: FailureCode, httpStatus: number, retryAfter?: number) =>
    new SallyportError({ code, message: "Refused", httpStatus, retryAfter });
  let afterFailure: (error: unknown) => { readonly seconds?: number; readonly reason?: string };
  beforeAll(async () => {
    const file = new URL("../../../../packages/http/offline/after-failure.js", import.meta.url);
    ({ afterFailure } = await import(file.href));
  });

  test.each([
    ["a lost connection", new TypeError("Failed to fetch"), { seconds: 2 }],
    ["an outage", refused(704, 500), { seconds: 2 }],
    ["maintenance", refused(706, 503, 60), { seconds: 60 }],
    ["too many requests", refused(800, 429, 7), { seconds: 7 }],
    ["too many sessions", refused(315, 429), { seconds: 2 }],
    ["a lockout after failed log-ins of others", refused(302, 403, 30), { seconds: 30 }],
  ])("goes on by itself after %s", (_title, error, expected) => {
    expect(afterFailure(error)).toEqual(expected);
  });

  test.each([
    ["an ended session without credentials", refused(201, 401), "The session has ended."],
    ["another password", refused(302, 403), "The server refused: 302 Refused."],
    ["a ban", refused(318, 403), "The server refused: 318 Refused."],
    ["a second factor", refused(341, 401), "The server refused: 341 Refused."],
  ])("waits for the log-in of the user after %s", (_title, error, reason) => {
    expect(afterFailure(error)).toEqual({ reason });
  });
});

describe("page at /docs of the demo", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo({ CONSOLE_ENABLED: "false" });
  }, 60_000);
  afterAll(() => postgres.close());

  test.each([
    ["/docs", "<title>sallyport API</title>"],
    ["/second/docs", "<title>sallyport API · second</title>"],
    ["/docs/offline", "<title>Offline sample · sallyport</title>"],
    ["/second/docs/offline", "<title>Offline sample · sallyport · second</title>"],
  ])("exists at %s", async (path, title) => {
    const { status, type, text, headers } = await take(server.url, path);
    expect({ status, type }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
    expect(text).toContain(title);
    for (const known of ["demo-app-key", "reads customers and invoices"]) expect(text).toContain(known);
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("cache-control")).toBe("no-store");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test("has a start page for browsers that links to it", async () => {
    const { status, type, text, headers } = await take(server.url, "/", asBrowser);
    expect({ status, type }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
    for (const known of ["<title>sallyport</title>", "demo-app-key", "&quot;user&quot;:&quot;demo&quot;"])
      expect(text).toContain(known);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; /);
    expect(text).not.toMatch(/<script|second/);
    const links = Array.from(text.matchAll(/(?:href|src)="([^"]+)"/g), ([, link = ""]) => link).filter(
      (link) => !link.startsWith("data:"),
    );
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await take(server.url, new URL(link, "http://host/").pathname)).status).toBe(200);
  });

  test.each<[string, string, RequestInit]>([
    ["a program", "/", {}],
    ["a program that accepts JSON", "/", { headers: { accept: "application/json" } }],
    ["a form", "/", { ...asBrowser, method: "POST" }],
    ["a browser at another path", "/index.html", asBrowser],
    ["a browser at a database", "/second/", asBrowser],
  ])("has no start page for %s", async (_who, path, init) => {
    const { status, text } = await take(server.url, path, init);
    expect([status, JSON.parse(text).status.internalStatus]).toEqual([404, "304"]);
  });

  test("is the target of a trailing slash", async () => {
    for (const path of ["/docs/", "/second/docs/"]) {
      const { status, headers } = await take(server.url, path);
      expect({ status, to: new URL(headers.get("location") ?? "", server.url + path).pathname }).toEqual({
        status: 308,
        to: path.slice(0, -1),
      });
    }
  });

  test.each(files)("serves %s with its type, and 304 while unchanged", async (file) => {
    const { status, type, text, headers } = await take(server.url, `/second/docs/${file}`);
    expect({ status, type }).toEqual({
      status: 200,
      type: `text/${file.endsWith("css") ? "css" : "javascript"}; charset=utf-8`,
    });
    expect(text.length).toBeGreaterThan(1_000);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-cache");
    const again = await take(server.url, `/second/docs/${file}`, {
      headers: { "if-none-match": headers.get("etag") ?? "", "cache-control": "max-age=0" },
    });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });
  });

  test.each([
    "/nothing/docs",
    "/nothing/docs/playground.js",
    "/DOCS",
    "/docs/nothing.js",
    "/docs/index.html",
    "/docs/package.json",
    "/docs/..%2fpackage.json",
    "/docs/%zz",
    "/docs/%00",
    "/docs/playground.js/x",
    "/v1/docs",
    "/second/second/docs",
  ])("serves nothing else: %s", async (path) => {
    const { status, text } = await take(server.url, path);
    expect({ status, code: JSON.parse(text).status.internalStatus }).toEqual({ status: 404, code: "304" });
  });

  test.each(["POST", "DELETE"])("does not serve %s", async (method) => {
    const { status, type } = await take(server.url, "/docs", { method });
    expect({ status, type }).toEqual({ status: 404, type: "application/json; charset=utf-8" });
  });

  if (chromium === undefined)
    test("requires Chromium, which this machine lacks", () => expect(chromium).toBeUndefined());
  else {
    // Swagger UI resolves the whole description for each operation that opens: half a minute, and minutes on a busy machine.
    const kinds = [
      ["token (JWT)", "/second"],
      ["session id", ""],
    ] as const;
    test.each(isFullRun ? kinds : kinds.slice(0, 1))(
      "logs in by %s, shows the classes, sends requests, and contacts no other host",
      async (kind, alias) => {
        const browser = new HeadlessBrowser(chromium as string);
        try {
          const seen = JSON.parse(String(await browser.evaluate(`${server.url}${alias}/docs`, tryOut(kind))));
          expect(seen).toMatchObject({
            before: "",
            session: expect.stringMatching(/^Logged in to (?:demo|second) as reader with a (?:session id|token)\.$/),
            classes: ["Customer", "File", "Invoice"],
            macros: ["Echo"],
            folded: [false, true, true],
            listed: 1_000,
            blocked: [],
            after: "Logged out.",
            classesAfter: [],
          });
          expect(seen.elsewhere.filter((name: string) => !name.startsWith(server.url))).toEqual([]);
        } finally {
          await browser.close();
        }
      },
      600_000,
    );
  }
});

/** The steps of a first-time user of the page; returns the outcome as JSON. */
function tryOut(kind: string): string {
  return `(async () => {
    const until = async (find) => {
      for (let turn = 0; turn < 4_000; turn += 1) {
        const found = find();
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error("It did not come: " + find + " " + document.body.innerText.slice(0, 2000));
    };
    const operation = () => [...document.querySelectorAll(".opblock")].find((each) => each.id.endsWith("-listObjects"));
    const classes = () => [...(operation()?.querySelectorAll("select option") ?? [])].map(({ value }) => value).filter((value) => /^[A-Z]/.test(value));
    const seen = {};
    await until(operation);
    seen.before = document.querySelector("#session span").textContent;
    const kinds = document.querySelector("#log-in select");
    kinds.selectedIndex = [...kinds.options].findIndex(({ text }) => text === ${JSON.stringify(kind)});
    document.querySelector("[data-user=reader]").click();
    await until(() => document.querySelector("#session span").textContent !== "");
    seen.session = document.querySelector("#session span").textContent;
    operation().querySelector(".opblock-summary-control").click();
    await until(() => classes().length > 0);
    seen.classes = classes();
    const macro = [...document.querySelectorAll(".opblock")].find((each) => each.id.endsWith("-executeMacro"));
    macro.querySelector(".opblock-summary-control").click();
    seen.macros = (await until(() => macro.querySelector("select option") && [...macro.querySelectorAll("select option")])).map(({ value }) => value).filter((value) => value === "Echo");
    const folded = await until(() => operation().querySelector(".responses-table details"));
    seen.folded = [folded.open, folded.querySelector("summary").textContent.includes("307"), folded.querySelectorAll("li").length > 1];
    const names = operation().querySelector("select");
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(names, "Invoice");
    names.dispatchEvent(new Event("change", { bubbles: true }));
    (await until(() => operation().querySelector(".execute"))).click();
    const body = await until(() => operation().querySelector(".live-responses-table .highlight-code")?.textContent);
    seen.listed = Number(/"~Count":\\s*(\\d+)/.exec(body)[1]);
    document.querySelector("#session button").click();
    await until(() => document.querySelector("#news").textContent !== "");
    seen.after = document.querySelector("#news").textContent;
    await until(() => classes().length === 0);
    seen.classesAfter = classes();
    seen.elsewhere = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => !name.startsWith("data:"));
    seen.blocked = await new Promise((resolve) => {
      const observer = new ReportingObserver((reports) => resolve(reports.map(({ body }) => body.effectiveDirective + " " + body.blockedURL)), { types: ["csp-violation"], buffered: true });
      observer.observe();
      setTimeout(() => resolve([]), 300);
    });
    return JSON.stringify(seen);
  })()`;
}

describe("page at /docs of another server", () => {
  const databases = [{ alias: "", name: "own", storage: { engine: "memory" } }];

  test("contains nothing of the demo", async () => {
    const server = await startConfiguredServer({
      databases,
      console: { enabled: false },
      applicationName: "Own <Service>",
    });
    const { status, text } = await take(server.url, "/docs");
    const start = await take(server.url, "/", asBrowser);
    const offline = await take(server.url, "/docs/offline");
    await server.close();
    expect([start.status, start.text.includes("Own &lt;Service&gt;"), /demo/i.test(start.text)]).toEqual([
      200,
      true,
      false,
    ]);
    expect([offline.status, JSON.parse(offline.text).status.internalStatus]).toEqual([404, "304"]);
    expect(status).toBe(200);
    expect(text).toContain("<h1>Own &lt;Service&gt; API");
    expect(text).not.toContain("demo");
  });

  test("does not exist when disabled", async () => {
    const server = await startConfiguredServer({ databases, console: { enabled: false }, docs: { enabled: false } });
    for (const path of ["/docs", "/docs/", "/docs/offline", "/docs/playground.js", "/"])
      expect((await take(server.url, path, asBrowser)).status).toBe(404);
    await server.close();
  });

  test("is below the base path", async () => {
    const server = await startConfiguredServer({
      databases,
      console: { enabled: false },
      server: { basePath: "/api" },
    });
    const root = server.url.replace(/\/api$/, "");
    expect((await take(root, "/api/docs")).status).toBe(200);
    expect((await take(root, "/api/", asBrowser)).text).toContain("API documentation");
    expect((await take(root, "/api", asBrowser)).headers.get("location")).toBe("/api/");
    expect((await take(root, "/", asBrowser)).status).toBe(404);
    expect((await take(root, "/api/docs/playground.js")).status).toBe(200);
    for (const path of ["/docs", "/API/docs", "/docs/playground.js"]) expect((await take(root, path)).status).toBe(404);
    await server.close();
  });
});
