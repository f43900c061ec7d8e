import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { ProviderEntries, providerTypes } from "@sallyport/core";
import { mainCommand } from "../src/commands/main-command.ts";
import { loadConfiguration, type RunningServer, startServer } from "../src/index.ts";
import { repositoriesOf } from "./password-suite.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { link, logInAt } from "./providers/browser.ts";
import { freePort } from "./providers/free-port.ts";
import { copyEmbeddedDemo } from "./copy-embedded-demo.ts";
import type { Subject } from "./subject.ts";
import { testEnvironment } from "./test-environment.ts";

jest.setTimeout(120_000);

/** A demo on Postgres, whose database can be opened by commands beside its server. */
describe("provider test beside a demo", () => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-demo-"));
  const words: string[] = [];
  let postgres: PostgresFixture;
  let environment: Record<string, string>;

  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const probe = createServer();
    await new Promise<void>((resolve) => {
      probe.listen(0, "127.0.0.1", resolve);
    });
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => {
      probe.close(resolve);
    });
    environment = { ...testEnvironment, DATABASE_URL: postgres.url, DATA_DIR: directory, PORT: String(port) };
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
    const server = await startServer(loadConfiguration({ environment }));
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
    startServer(loadConfiguration({ environment: { ...testEnvironment, DATA_DIR: directory, PORT: `${port}` } }));

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
