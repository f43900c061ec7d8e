import { jest } from "@jest/globals";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { providerTypes } from "@sallyport/core";
import { mainCommand } from "../../src/commands/main-command.ts";
import { loadConfiguration, startServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { testEnvironment } from "../test-environment.ts";

jest.setTimeout(120_000);

/** A demo on Postgres, whose database commands can open beside its server. */
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

  test("asks the imitations of its server, and says in words that there are none when it does not run", async () => {
    const server = await startServer(loadConfiguration({ environment }));
    try {
      for (const type of providerTypes) await run(type);
    } finally {
      await server.close();
    }
    expect(words.map((line) => /^The provider (\w+) can be used/.exec(line)?.[1])).toEqual([...providerTypes]);
    expect(readdirSync(directory)).not.toContain("provider-imitation.url");
    for (const type of providerTypes)
      await expect(run(type)).rejects.toThrow(
        /The demo imitates its providers in the process of its server, and none runs with the data in /,
      );
  });
});
