import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { databaseOperations, operationsOf } from "@sallyport/contract";
import { providerTypes } from "@sallyport/storage";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { signIn } from "@sallyport/fake-identity-providers";
import { identityProviders } from "@sallyport/identity-passport";
import { testEnvironment, tuningOf } from "../../test/test-environment.ts";
import { type RunningServer, startServer as start } from "../composition/start-server.ts";
import { demoMacros, loadConfiguration } from "../configuration/index.ts";
import { terminalStyle } from "@sallyport/client/terminal";
import { consoleLink } from "../composition/public-address.ts";
import { banner, type BannerDatabase } from "./banner.ts";
import { seedDemo } from "./seed-demo.ts";
import { type DemoProviders, startDemoProviders } from "./start-demo-providers.ts";

describe("demo", () => {
  const digests = new NodeDigests();
  const plain = terminalStyle({ isTTY: false });
  const administrationKey = "k".repeat(43);
  const ticket = "t".repeat(22);

  const show = (databases: readonly BannerDatabase[], style = plain, hasDocs = true) =>
    banner({
      name: "sallyport",
      version: "2.2.0",
      databases,
      hasDocs,
      hasFakeProviders: true,
      dataPlace: "data",
      mailFolder: "data/mail",
      capabilities: ["durable", "one process"],
      digests,
      style,
    });

  const databasesAt = (url: string): BannerDatabase[] => [
    {
      alias: "",
      name: "demo",
      address: url,
      demo: "seeded",
      administrationKey,
      consoleLink: consoleLink(url, "", ticket),
      hasMacros: true,
    },
    {
      alias: "second",
      name: "second",
      address: `${url}/second`,
      demo: "seeded",
      administrationKey,
      consoleLink: consoleLink(url, "second", ticket),
      hasMacros: true,
    },
  ];

  describe("banner", () => {
    const text = show(databasesAt("http://127.0.0.1:8080"));

    test("is readable in 80 columns", () => {
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    });

    test("shows addresses, credentials and the location of the data", () => {
      expect(text).toMatch(/^ {2}demo {4}http:\/\/127\.0\.0\.1:8080$/m);
      expect(text).toMatch(/^ {2}second {2}http:\/\/127\.0\.0\.1:8080\/second$/m);
      expect(text).toMatch(/^ {2}app key +demo-app-key$/m);
      for (const name of ["demo", "reader", "admin"]) expect(text).toMatch(new RegExp(`\\b${name} +${name}\\b`));
      expect(text).toMatch(/^Data +data\nStorage +durable, one process\nMail +data\/mail$/m);
    });

    test("shows links that open the console, if there is one", () => {
      for (const place of ["", "second/"])
        expect(text).toContain(`http://127.0.0.1:8080/${place}console/#ticket=${ticket}\n`);
      const without = databasesAt("http://127.0.0.1:8080").map((each) => ({ ...each, consoleLink: null }));
      expect(show(without)).not.toMatch(/console/i);
    });

    test("shows where the API can be tried, if enabled", () => {
      const [, second] = databasesAt("http://127.0.0.1:8080");
      const first = { ...(second as BannerDatabase), alias: "", address: "http://127.0.0.1:8080", demo: null };
      expect(text).toMatch(/^Try it +http:\/\/127\.0\.0\.1:8080\/docs, in a browser$/m);
      expect(show([first, second as BannerDatabase])).toMatch(/^Try it +http:\/\/127\.0\.0\.1:8080\/second\/docs, /m);
      expect(show([first])).not.toContain("/docs,");
      expect(show(databasesAt("http://127.0.0.1:8080"), plain, false)).not.toContain("/docs,");
    });

    test("shows the page that works offline, if enabled", () => {
      expect(text).toMatch(/^Offline +http:\/\/127\.0\.0\.1:8080\/docs\/offline, /m);
      expect(show(databasesAt("http://127.0.0.1:8080"), plain, false)).toMatch(/^Offline +schema "sales", see /m);
    });

    test("shows where provider log-ins can be tried, if fake providers run", () => {
      expect(text).toContain("http://127.0.0.1:8080/v1/auth/google?appkey=demo-app-key");
      const parts = {
        name: "sallyport",
        version: "2.2.0",
        hasDocs: true,
        hasFakeProviders: false,
        dataPlace: "data",
        capabilities: [],
        digests,
        style: plain,
      };
      expect(banner({ ...parts, databases: databasesAt("http://127.0.0.1:8080") })).not.toContain("/v1/auth/google");
    });

    test("promises writing only if a route writes", () => {
      const writes = operationsOf(databaseOperations).some(
        ({ method, path }) => method !== "GET" && path.includes("/object"),
      );
      expect(/\bwrites?\b/.test(text)).toBe(writes);
    });

    test("shows how to execute a macro, if the demo has macros", () => {
      expect(text).toMatch(/^Execute a macro$/m);
      expect(
        show(databasesAt("http://127.0.0.1:8080").map((database) => ({ ...database, hasMacros: false }))),
      ).not.toMatch(/macro|execute/);
    });

    test("shows how to administer the first database, if it has a key for that", () => {
      expect(text).toMatch(/^ {2}admin key +k{43}$/m);
      expect(text).toMatch(/^ {4}npx @sallyport\/cli log-in http:\/\/127\.0\.0\.1:8080 --user admin$/m);
      const without = databasesAt("http://127.0.0.1:8080").map((each) => ({ ...each, administrationKey: null }));
      expect(show(without)).not.toMatch(/admin key|npx/);
    });

    test("shows only the addresses without the demo", () => {
      const without = (demo: BannerDatabase["demo"]) =>
        show(databasesAt("http://127.0.0.1:8080").map((database) => ({ ...database, demo })));
      for (const demo of ["foreign", null] as const) expect(without(demo)).not.toMatch(/demo-app-key|curl|kkk|npx/);
      expect(without("foreign")).toMatch(/8080 {2}contains other data, not the demo$/m);
      expect(without(null)).toMatch(/8080 {2}not available, see the log$/m);
    });

    test("is coloured only on a terminal with colours", () => {
      const databases = databasesAt("http://127.0.0.1:8080");
      const coloured = show(databases, terminalStyle({ isTTY: true, hasColors: () => true }));
      expect(coloured).toContain("\u001B[1m");
      // oxlint-disable-next-line no-control-regex -- Colours are escape sequences.
      expect(coloured.replaceAll(/\u001B\[\d+m/g, "")).toBe(text);
      expect(show(databases, terminalStyle({ isTTY: true, hasColors: () => false }))).toBe(text);
      expect(text).not.toContain("\u001B");
    });
  });

  const has = (command: string) => spawnSync(command, ["--version"]).status === 0;
  const sender = has("curl") ? "curl" : "a stand-in for curl, which this machine lacks";
  const shells = ["bash", "zsh"].filter(has);

  describe(`lines of the banner, sent by ${sender}`, () => {
    let server: RunningServer;
    let url: string;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sallyport-banner-"));
      if (!has("curl"))
        await symlink(resolve(import.meta.dirname, "../../test/guides/stand-in-curl.mjs"), join(folder, "curl"));
      server = await startServer();
      ({ url } = server);
    });

    afterAll(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });

    const run = async (shell: string, databases: readonly BannerDatabase[]) => {
      const lines = show(databases).split("\n");
      const indexOf = (title: string) => lines.findIndex((line) => line.startsWith(title));
      const commands = lines.slice(indexOf("Log in"), indexOf("Administer")).filter((line) => line.startsWith("  "));
      const environment = { ...process.env, PATH: `${process.env["PATH"]}${delimiter}${folder}` };
      const { stdout, stderr } = await promisify(execFile)(shell, ["-c", commands.join("\n")], { env: environment });
      expect(stderr).toBe("");
      return stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    };

    test.each(shells)("log in, read, list, change, execute, log out and log in with a token in %s", async (shell) => {
      const [loggedIn, object, list, changed, executed, loggedOut, withToken, ...rest] = await run(
        shell,
        databasesAt(url),
      );
      expect(rest).toEqual([]);
      for (const { status } of [loggedIn, object, list, changed, executed, loggedOut, withToken]) {
        expect(status).toEqual({ internalStatus: "0", statusMessage: "ok" });
      }
      expect(object.data).toMatchObject({ "~ClassName": "Customer", Name: expect.any(String) });
      expect(list.data["~Elements"]).toHaveLength(5);
      expect(list.data).toMatchObject({
        "~Count": 1_000,
        "~Elements": [{ Customer: { "~ClassName": "Customer" } }, {}, {}, {}, {}],
      });
      expect(changed.data).toMatchObject({
        "~ObjectID": object.data["~ObjectID"],
        Name: object.data.Name,
        CreditLimit: 2_500,
      });
      expect(executed.data).toMatchObject({ invoices: 22, oldest: [{}, {}, {}] });
      expect(loggedOut.data).toEqual({});

      const statusWith = async (credential: Record<string, string>) =>
        (await fetch(`${url}/_CheckSession`, { headers: { appkey: "demo-app-key", ...credential } })).status;
      expect(await statusWith({ sessionid: loggedIn.data.sessionId })).toBe(401);
      expect(await statusWith({ authorization: withToken.data.token })).toBe(200);
    });

    test.each(shells)("return the whole user object in %s", async (shell) => {
      const [{ data }] = await run(shell, databasesAt(url));
      const meta = (name: string) => ({
        "~ClassName": name,
        "~ObjectID": expect.stringMatching(/^[0-9A-Z]+$/),
        "~StoreTime": expect.stringMatching(/^\d{8}T\d{6}[+-]\d\d:\d\d$/),
      });
      const names = { Name1: expect.any(String), Name2: expect.any(String), Name3: expect.any(String) };
      expect(data).toEqual({
        sessionId: expect.stringMatching(/^[\w-]{43}$/),
        databaseName: "demo",
        user: {
          ...meta("User"),
          Name: "demo",
          Description: expect.any(String),
          Groups: {
            "~Count": 1,
            "~UnfilteredCount": 1,
            "~Elements": [{ ...meta("UserGroup"), Name: expect.any(String), Description: expect.any(String) }],
          },
          Employee: {
            ...meta("Employee"),
            ...names,
            Bild: meta("Image"),
            Mitarbeiteransprechpartner: { ...meta("ContactPerson"), ...names, Bild: meta("Image") },
          },
        },
      });
    });

    test.each(shells)("reach a database with an alias in %s", async (shell) => {
      const [loggedIn, object] = await run(shell, databasesAt(url).slice(1));
      expect(loggedIn.data.databaseName).toBe("second");
      expect(object.data).toMatchObject({ "~ClassName": "Customer" });
    });
  });

  /** A server with the demo's data in memory. */
  async function startServer(): Promise<RunningServer> {
    const storage = { engine: "memory" };
    const databases = [
      { alias: "", name: "demo", storage },
      { alias: "second", name: "second", storage },
    ];
    const content = { databases, macros: { directory: demoMacros(), timeout: "1m" } };
    const started = await start(
      loadConfiguration({
        content,
        environment: { ...testEnvironment, MASTER_KEY: randomBytes(32).toString("base64") },
      }),
      undefined,
      undefined,
      undefined,
      tuningOf({}),
    );
    const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
    for (const [alias, database] of started.databases) {
      if (database === null) continue;
      const { storage, files } = database;
      await seedDemo(storage, { hasher, digests, clientHash: "md5", alias, files });
    }
    return started;
  }

  describe("demo provider start", () => {
    let folder: string;
    let demo: DemoProviders;

    beforeAll(async () => {
      folder = join(await mkdtemp(join(tmpdir(), "sallyport-demo-providers-")), "data");
      demo = await startDemoProviders({ folder, serverAddress: "http://127.0.0.1:8080" });
    });

    afterAll(async () => {
      await demo.close();
      await rm(folder, { recursive: true });
    });

    test.each(providerTypes)("a user logs in at the fake provider %s", async (type) => {
      const provider = identityProviders({ fakeProviders: demo.url }).get(type)!;
      const data = provider.accept(demo.entries.find((entry) => entry.type === type)!.data);
      await provider.check(data);
      const request = {
        data,
        redirectUri: `http://127.0.0.1:8080/v1/${type}/callback`,
        state: "s".repeat(43),
        nonce: "n".repeat(43),
        codeVerifier: "v".repeat(43),
      };
      const { parameters } = await signIn(await provider.begin(request), "ben");
      expect(await provider.finish({ ...request, parameters })).toMatchObject({
        name: "Ben",
        surname: "Example",
        email: "ben@example.com",
      });
    });

    test("the demo's Apple key is created once, readable by the server's user only", async () => {
      const path = join(folder, "apple-demo-key.p8");
      const before = await readFile(path, "utf8");
      const others = await Promise.all(
        [1, 2].map(() => startDemoProviders({ folder, serverAddress: "http://127.0.0.1:8080" })),
      );
      for (const other of others) await other.close();
      expect(await readFile(path, "utf8")).toBe(before);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
  });
});
