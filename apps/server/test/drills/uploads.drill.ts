import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededRandom } from "../../src/demo/demo-records.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  dropConnections,
  killClient,
  killDuringUploads,
  leaseTime,
  ServerProcesses,
  takeTurns,
} from "../uploads/upload-trials.ts";

const seed = process.env["UPLOAD_SEED"] ?? String(Math.floor(Math.random() * 1e9));

describe(`uploads (UPLOAD_SEED=${seed})`, () => {
  const random = new SeededRandom(seed);
  let folder: string;
  let postgres: PostgresFixture;
  let servers: ServerProcesses;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-"));
    postgres = await openPostgresFixture({ empty: true });
    servers = new ServerProcesses(folder, postgres.url);
  });
  afterEach(async () => {
    await servers.close();
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(["Postgres", "embedded"])(
    "50 at once lose no acknowledged byte when the server on %s is killed",
    async (engine) => {
      if (engine === "embedded") servers = new ServerProcesses(folder);
      const longest = await killDuringUploads(servers, { uploads: 50, kills: 5, random });
      process.stdout.write(`killed servers, ${engine}: the last refusal came ${Math.round(longest)} ms after a kill\n`);
      expect(longest).toBeLessThan(leaseTime + 500);
    },
  );

  test("resume after 100 deaths of their client", async () => {
    await killClient(servers, 100, random);
  });

  test("go to two servers in turns, one of which is killed now and then", async () => {
    await takeTurns(servers, { chunks: 100, kills: 12, random });
  });

  test("that break off 500 times leave nothing", async () => {
    const { before, after } = await dropConnections(servers, { drops: 500, random, sql: postgres.sql });
    process.stdout.write(`dropped connections: ${JSON.stringify({ before, after })}\n`);
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
    expect(after).toMatchObject({ files: before.files, transfers: 0, records: before.records });
  });
});
