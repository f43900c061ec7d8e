import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { platform } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { SeededRandom } from "../../src/demo/demo-records.ts";
import { logIn } from "../cases/run-cases.ts";
import { requireVerified } from "../require-intact.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { appKey, type Subject } from "../subject.ts";
import { ChunkedUpload } from "./chunked-upload.ts";

interface StartedServer extends Subject {
  readonly process: ServerProcess;
}

/** Server processes on one folder: embedded, or on one Postgres database. */
export class ServerProcesses {
  private readonly processes: ServerProcess[] = [];

  constructor(
    readonly folder: string,
    private readonly databaseUrl?: string,
  ) {}

  async start(): Promise<StartedServer> {
    const process = new ServerProcess(["serve"], this.environment, this.folder);
    this.processes.push(process);
    return { process, url: await process.url() };
  }

  /** Throws if an invariant of the database or of its files is violated. */
  verify(): Promise<void> {
    return requireVerified(this.environment, this.folder);
  }

  private get environment(): Readonly<Record<string, string>> {
    const database = this.databaseUrl === undefined ? {} : { DATABASE_URL: this.databaseUrl };
    return { PORT: "0", DATA_DIR: this.folder, LOG_LEVEL: "info", ...database };
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.kill()));
  }
}

const kibibyte = 1024;
/** Milliseconds after which another server may write the upload of a dead one. */
export const leaseTime = 5_000;

/**
 * Kills a server again and again while it takes parallel uploads. Throws if it loses an acknowledged byte. Returns the most
 * milliseconds after a kill at which a request to write an upload was still refused.
 */
export async function killDuringUploads(
  servers: ServerProcesses,
  { uploads, kills, random }: { readonly uploads: number; readonly kills: number; readonly random: SeededRandom },
): Promise<number> {
  let server = await servers.start();
  const sessionId = await logIn(server, "admin");
  const all = Array.from({ length: uploads }, () => new ChunkedUpload(sessionId, 16, 256 * kibibyte));
  await Promise.all(all.map((upload) => upload.begin(server)));
  let longest = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const sending = all.map(async (upload) => {
      for (const chunk of random.shuffled(upload.missing)) if ((await upload.send(server, chunk)) === null) return;
    });
    await pause(random.whole(uploads, uploads * 20));
    const killedAt = performance.now();
    await server.process.kill();
    await Promise.all(sending);
    server = await servers.start();
    await servers.verify();
    await Promise.all(all.map((upload) => upload.checkedState(server)));
    const refusals = await Promise.all(
      all.map(async (upload) => {
        const [chunk] = upload.missing;
        return chunk === undefined ? 0 : upload.sendUntilTaken(() => server, chunk);
      }),
    );
    longest = Math.max(longest, ...refusals.map((refusedAt) => refusedAt - killedAt));
  }
  const left = all.reduce((sum, { missing }) => sum + missing.length, 0);
  if (left === 0) throw new Error("The uploads ended before the last kill.");
  for (const upload of all) await upload.finish(server);
  await servers.verify();
  return longest;
}

/** Kills the client of an upload at random offsets and resumes from the state of the server. */
export async function killClient(servers: ServerProcesses, deaths: number, random: SeededRandom): Promise<void> {
  const server = await servers.start();
  const chunkSize = 16 * kibibyte;
  const upload = new ChunkedUpload(await logIn(server, "admin"), deaths * 3, chunkSize);
  await upload.begin(server);
  for (let death = 0; death < deaths; death += 1) {
    const { size } = await upload.checkedState(server);
    await upload.sendUntilDeath(server, size / chunkSize, random.whole(1, 4 * chunkSize));
  }
  await upload.checkedState(server);
  await upload.finish(server);
  await servers.verify();
}

/** Sends the chunks of one upload to two servers in turns, and kills one of them now and then. */
export async function takeTurns(
  servers: ServerProcesses,
  { chunks, kills, random }: { readonly chunks: number; readonly kills: number; readonly random: SeededRandom },
): Promise<void> {
  const current = [await servers.start(), await servers.start()] as [StartedServer, StartedServer];
  const upload = new ChunkedUpload(await logIn(current[0], "admin"), chunks, 128 * kibibyte);
  await upload.begin(current[0]);
  const killed = new Set(random.shuffled(upload.missing).slice(0, kills));
  for (const chunk of upload.missing) {
    const sending = upload.sendUntilTaken(() => current[chunk % 2] as StartedServer, chunk);
    if (killed.has(chunk)) {
      await pause(random.whole(0, 20));
      const victim = random.whole(0, 1);
      await current[victim]?.process.kill();
      current[victim] = await servers.start();
    }
    await sending;
    await upload.checkedState(current[(chunk + 1) % 2] as StartedServer);
  }
  await servers.verify();
  await upload.finish(current[0]);
  await servers.verify();
}

/** The resources that a server holds. */
interface Holdings {
  /** Segments in the store, complete or not. */
  readonly files: number;
  /** Without those of its pool of database connections. `0` where the system does not tell. */
  readonly descriptors: number;
  readonly transfers: number;
  /** Records of uploads, segments, leases and files without an object. */
  readonly records: number;
}

/** Drops connections in the middle of uploads, and waits until the server holds no more than before. Returns both. */
export async function dropConnections(
  servers: ServerProcesses,
  { drops, random, sql }: { readonly drops: number; readonly random: SeededRandom; readonly sql: pg.Client },
): Promise<{ readonly before: Holdings; readonly after: Holdings }> {
  const server = await servers.start();
  const sessionId = await logIn(server, "admin");
  const uploads = Array.from({ length: 20 }, () => new ChunkedUpload(sessionId, 16, 64 * kibibyte));
  for (const upload of uploads) await upload.begin(server);
  const dropOne = async (number: number) => {
    const bytes = random.whole(1, 40 * kibibyte);
    if (number % 2 === 0) await random.pick(uploads).sendUntilDeath(server, 0, bytes);
    else await dropForm(server, sessionId, bytes);
  };
  const drop = async (count: number) => {
    for (let dropped = 0; dropped < count; dropped += 50)
      await Promise.all(Array.from({ length: Math.min(50, count - dropped) }, (_, number) => dropOne(number)));
  };
  await drop(50);
  await pause(leaseTime);
  const before = await holdingsOf(server, servers.folder, sql);
  await drop(drops);
  let after = await holdingsOf(server, servers.folder, sql);
  const holdsMore = () => Object.entries(before).some(([what, count]) => after[what as keyof Holdings] > count);
  for (let tries = 0; tries < 50 && holdsMore(); tries += 1) {
    await pause(200);
    after = await holdingsOf(server, servers.folder, sql);
  }
  await servers.verify();
  return { before, after };
}

/** Sends the first bytes of a form, and destroys the connection. */
async function dropForm({ url }: Subject, sessionId: string, bytes: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const lines = [
    "POST /v1/uploadFile HTTP/1.1",
    `Host: localhost\r\nappkey: ${appKey}\r\nsessionid: ${sessionId}`,
    "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n",
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
  ];
  const socket = connect(Number(port), hostname).on("error", () => {});
  await new Promise<unknown>((written) => {
    socket.write(lines.join("\r\n") + "x".repeat(bytes), written);
  });
  await pause(bytes % 30);
  socket.destroy();
}

async function holdingsOf({ process, url }: StartedServer, folder: string, sql: pg.Client): Promise<Holdings> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const entries = readdirSync(join(folder, "files"), { recursive: true, withFileTypes: true });
  const { rows } = await sql.query(
    "select count(*) from sallyport_demo.records where expires_at > now() and kind in ('upload', 'segment', 'uploadLease', 'detachedFile')",
  );
  const { rows: pool } = await sql.query(
    "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  const opened = platform() === "linux" ? readdirSync(`/proc/${process.child.pid}/fd`).length : 0;
  return {
    files: entries.filter((entry) => entry.isFile()).length,
    descriptors: Math.max(0, opened - Number(pool[0].count)),
    transfers: Number(/^sallyport_transfers (\d+)$/m.exec(metrics)?.[1]),
    records: Number(rows[0].count),
  };
}
