import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { openPostgresFixture, type PostgresFixture } from "../../postgres-fixture.ts";
import { SeededRandom } from "../../../src/demo/demo-records.ts";
import { killClient, ServerProcesses, takeTurns } from "../../uploads/upload-trials.ts";

describe("uploads to server processes", () => {
  jest.setTimeout(60_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-uploads-"));
  const random = new SeededRandom(folder);
  let postgres: PostgresFixture;
  let servers: ServerProcesses;
  beforeAll(async () => {
    process.stdout.write(`uploads to server processes: seed ${folder}\n`);
    postgres = await openPostgresFixture({ empty: true });
    servers = new ServerProcesses(folder, postgres.url);
  });
  afterAll(async () => {
    await servers.close();
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  test("survive the deaths of their client", async () => {
    await killClient(servers, 10, random);
  });

  test("go to two servers in turns, and survive the death of one", async () => {
    await takeTurns(servers, { chunks: 12, kills: 1, random });
  });
});
