import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { jest } from "@jest/globals";
import { providerTypes } from "@sallyport/storage";
import { ProviderEntries } from "@sallyport/core";
import { mainCommand } from "../../src/commands/main-command.ts";
import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { checkSession } from "../client.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { type BrowserTab, chromium, HeadlessBrowser } from "../pages/headless-browser.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { link, logInAt } from "./browser.ts";
import { freePort } from "./free-port.ts";
import type { Subject } from "../subject.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";

jest.setTimeout(120_000);

/** A demo on Postgres, whose database can be opened by commands beside its server. */
describe("provider test beside a demo", () => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-demo-"));
  const words: string[] = [];
  let postgres: PostgresFixture;
  let environment: Record<string, string>;

  beforeAll(async () => {
    postgres = await openPostgresFixture();
    environment = { ...testEnvironment, DATABASE_URL: postgres.url, DATA_DIR: directory, PORT: `${await freePort()}` };
    Object.assign(process.env, environment);
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(directory, { recursive: true });
  });

  async function run(type: string): Promise<void> {
    const muted = [
      jest.spyOn(console, "log").mockImplementation((line: string) => void words.push(line)),
      jest.spyOn(console, "error").mockImplementation(() => {}),
    ];
    try {
      await mainCommand().parseAsync(["provider", "test", type], { from: "user" });
    } finally {
      for (const each of muted) each.mockRestore();
    }
  }

  test("calls the fake providers of its server, and reports their absence when no server runs", async () => {
    const server = await startServer(loadConfiguration({ environment }), undefined, undefined, undefined, tuningOf({}));
    try {
      for (const type of providerTypes) await run(type);
    } finally {
      await server.close();
    }
    expect(words.map((line) => /^The provider (\w+) works/.exec(line)?.[1])).toEqual([...providerTypes]);
    expect(readdirSync(directory)).not.toContain("fake-providers.url");
    for (const type of providerTypes)
      await expect(run(type)).rejects.toThrow(
        /The demo server runs the fake providers, and no server uses the data in /,
      );
  });
});

describe("demo providers", () => {
  let directory: string;
  let port: number;
  let server: RunningServer;
  const subject = () => server as unknown as Subject;

  const start = () =>
    startServer(
      loadConfiguration({ environment: { ...testEnvironment, DATA_DIR: directory, PORT: `${port}` } }),
      undefined,
      undefined,
      undefined,
      tuningOf({}),
    );

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-demo-"));
    await copyEmbeddedDemo(directory);
    port = await freePort();
    server = await start();
  }, 60_000);

  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  test.each(providerTypes)(
    "the demo alone suffices to try %s: a user links an account, and logs in with it",
    async (type) => {
      for (const alias of ["", "/second"]) {
        const { body } = await logInAt(subject(), type, "anna", { alias });
        expect(body).toMatchObject({
          status: { internalStatus: "0", statusMessage: "A database user must be assigned" },
          data: { dfUuid: expect.any(String) },
        });
        expect((await link(subject(), body.data.dfUuid, {}, alias)).body).toMatchObject({
          status: { internalStatus: "0" },
          data: { sessionId: expect.any(String), user: { Name: "demo" } },
        });
        expect((await logInAt(subject(), type, "anna", { alias })).body).toMatchObject({
          status: { internalStatus: "0" },
          data: { sessionId: expect.any(String), user: { Name: "demo" } },
        });
      }
    },
  );

  test("links and changed provider entries survive a restart of the demo", async () => {
    const entries = () => new ProviderEntries(repositoriesOf(server).records);
    const google = await entries().find("google");
    const apple = await entries().find("apple");
    if (google == null || apple == null) throw new Error("The demo has no providers.");
    await entries().put({ ...apple, name: "Of the operator", appNames: [] });
    await server.close();
    server = await start();
    expect((await logInAt(subject(), "google", "anna")).body).toMatchObject({
      data: { sessionId: expect.any(String) },
    });
    expect(await entries().find("google")).toEqual(google);
    expect(await entries().find("apple")).toMatchObject({ name: "Of the operator", appNames: [] });
  }, 60_000);
});

describe("guide of identity providers", () => {
  const guides = resolve(import.meta.dirname, "../../../../docs/guides");
  const guide = readFileSync(join(guides, "identity-providers.md"), "utf8");
  const html = readFileSync(join(guides, "identity-providers/callback.html"), "utf8");

  test("the guide quotes the page exactly", () => {
    expect(guide).toContain("](identity-providers/callback.html)");
    expect(guide).toContain(`\n\`\`\`html\n${html}\`\`\`\n`);
  });

  if (chromium === undefined)
    test("the page requires Chromium, which this machine lacks", () => expect(chromium).toBeUndefined());
  else {
    describe("page of the guide, with the fake providers of the demo", () => {
      let directory: string;
      let server: RunningServer;
      let app: Server;
      let browser: HeadlessBrowser;
      let origin: string;
      const subject = () => server as unknown as Subject;

      beforeAll(async () => {
        directory = mkdtempSync(join(tmpdir(), "sallyport-demo-"));
        await copyEmbeddedDemo(directory);
        server = await startServer(
          loadConfiguration({ environment: { ...testEnvironment, DATA_DIR: directory, PORT: `${await freePort()}` } }),
          undefined,
          undefined,
          undefined,
          tuningOf({}),
        );
        app = createServer((_request, response) => {
          response.setHeader("Content-Type", "text/html; charset=utf-8");
          response.end(html.replace("http://127.0.0.1:8080", server.url));
        }).listen(0, "127.0.0.1");
        await once(app, "listening");
        origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
        browser = new HeadlessBrowser(chromium as string);
      }, 120_000);
      afterAll(async () => {
        await browser.close();
        app.close();
        await server.close();
        rmSync(directory, { recursive: true });
      });

      /** Goes to the provider, chooses an account there, and returns. */
      async function logInAtProvider(tab: BrowserTab, account: string): Promise<void> {
        await tab.leave(`document.querySelector("button").click()`);
        await tab.leave(`document.querySelector('button[value="${account}"]').click()`);
      }

      const shown = (tab: BrowserTab) =>
        tab.evaluate(`new Promise((resolve) => {
        const output = document.querySelector("pre");
        const look = () => output.textContent !== "" && resolve(output.textContent);
        new MutationObserver(look).observe(output, { childList: true });
        look();
      })`) as Promise<string>;

      /** No address in the history or of a request, and no referrer, contains any of these. */
      async function expectNowhere(tab: BrowserTab, secrets: readonly string[]): Promise<void> {
        const history = await tab.history();
        const referrers = tab.requests.map(({ referrer }) => referrer ?? "");
        for (const secret of secrets)
          expect(
            [...history, ...referrers, ...tab.requests.map(({ url }) => url)].filter((text) => text.includes(secret)),
          ).toEqual([]);
        expect(history.filter((url) => url.includes("code="))).toEqual([]);
        expect(referrers.filter((referrer) => referrer.includes("code="))).toEqual([]);
      }

      test("ends with a dfUuid, then with a session, and neither appears in an address", async () => {
        const tab = await browser.open();
        await tab.go(`${origin}/`);
        await logInAtProvider(tab, "anna");
        const unbound = JSON.parse(await shown(tab));
        expect(unbound).toMatchObject({
          status: { internalStatus: "0", statusMessage: "A database user must be assigned" },
        });
        const { dfUuid } = unbound.data;
        expect(await tab.evaluate("location.href")).toBe(`${origin}/callback`);
        expect((await link(subject(), dfUuid)).code).toBe("0");

        await tab.go(`${origin}/`);
        await logInAtProvider(tab, "anna");
        const bound = JSON.parse(await shown(tab));
        expect(bound).toMatchObject({
          status: { internalStatus: "0" },
          data: { databaseName: "demo", user: { Name: "demo" } },
        });
        const { sessionId } = bound.data;
        expect(await checkSession(subject(), sessionId)).toBe("0");
        await expectNowhere(tab, [dfUuid, sessionId]);
        const returned = tab.requests.filter(({ url }) => url.startsWith(`${origin}/callback?code=`));
        expect(returned).toHaveLength(2);
        // The code that was in the address is spent.
        await tab.evaluate(`sessionStorage.setItem("verifier", "${"a".repeat(43)}")`);
        await tab.go(returned[1]?.url ?? "");
        expect(JSON.parse(await shown(tab))).toMatchObject({ status: { internalStatus: "324" } });
      }, 60_000);

      test("shows why a log-in failed", async () => {
        const tab = await browser.open();
        await tab.go(`${origin}/`);
        await logInAtProvider(tab, "");
        expect(await shown(tab)).toBe("The log-in failed: 324");
        expect(await tab.evaluate("location.href")).toBe(`${origin}/callback`);
      }, 60_000);

      test("refuses a code of a log-in that another browser began", async () => {
        const victim = await browser.open();
        const stolen = await logInAt(subject(), "google", "anna", {
          query: { returnTo: `${origin}/callback`, challenge: "A".repeat(43) },
        });
        const address = stolen.headers["location"] ?? "";
        expect(address).toMatch(/\?code=[\w-]{43}$/);
        // Without a log-in of its own the page exchanges nothing.
        await victim.go(address);
        expect([
          await victim.evaluate(`document.querySelector("pre").textContent`),
          victim.requests.some(({ url }) => url.endsWith("/v1/auth/code")),
        ]).toEqual(["", false]);
        // With one in progress it has another verifier.
        await victim.evaluate(`sessionStorage.setItem("verifier", "${"b".repeat(43)}")`);
        await victim.go(address);
        expect(JSON.parse(await shown(victim))).toMatchObject({ status: { internalStatus: "324" } });
      }, 60_000);
    });
  }
});
