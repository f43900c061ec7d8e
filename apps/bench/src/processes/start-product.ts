import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./environment.ts";
import { MeasuredProcess } from "./measured-process.ts";
import { pollUntil } from "./poll-until.ts";

export interface FileSettings {
  readonly directory: string;
  readonly encrypt?: boolean;
}

/** The database settings of a configuration file, in its format. */
export interface ProductSettings {
  readonly databaseUrl?: string;
  readonly databases: readonly object[];
  /** Macro settings; absent: macros are off. */
  readonly macros?: { readonly directory: string; readonly cpuTime?: string };
  readonly files?: FileSettings;
  /** URL of a fake provider; absent: no log-in at providers. */
  readonly fakeProvider?: string;
  /** Hashes passwords at the least cost. */
  readonly cheapHashes?: true;
  /** Default: 1. */
  readonly workers?: number;
}

export interface StartedProduct {
  readonly address: string;
  readonly process: MeasuredProcess;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startedWithin: number;
}

export const productFile = fileURLToPath(new URL("../../../server/dist/package/dist/main.js", import.meta.url));

/** High enough to never be reached. The check itself still costs time. */
const sessions = { limit: 1_000_000, perUserLimit: 1_000_000 };

export const masterKey = randomBytes(32);

const encryption = { masterKey: masterKey.toString("base64") };

/** Starts the real server with its own configuration file. */
export async function startProduct({
  fakeProvider,
  cheapHashes,
  workers = 1,
  ...settings
}: ProductSettings): Promise<StartedProduct> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const external =
    fakeProvider === undefined
      ? {}
      : {
          oAuthProviders: [{ name: "google" }],
          providers: { fakeUrl: fakeProvider, maxPendingLogins: { perIp: 0 } },
        };
  const server = { port, workers, ...(fakeProvider === undefined ? {} : { publicUrl: address }) };
  const hashes = cheapHashes === undefined ? {} : { passwords: { argon2: { memoryCost: 8, timeCost: 1 } } };
  const configuration = { ...settings, ...external, ...hashes, server, sessions, encryption, log: { level: "warn" } };
  return withConfiguration(configuration, async (file) => {
    const before = performance.now();
    const process = await MeasuredProcess.start({
      mainFile: productFile,
      arguments: ["serve", "--config", file],
      readyAddress: `${address}/healthz`,
    });
    const startedWithin = performance.now() - before;
    if (workers > 1) await pollUntil(async () => (await workersAt(address)) === workers, 30_000);
    return { address, process, startedWithin };
  });
}

/** The number of workers that serve. The first one is ready before the others. */
async function workersAt(address: string): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  return Number(/^sallyport_workers (\d+)$/m.exec(metrics)?.[1]);
}

/** Writes a configuration file that exists while `work` runs. */
export async function withConfiguration<T>(configuration: object, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "bench-configuration-"));
  try {
    const file = join(folder, "configuration.json");
    await writeFile(file, JSON.stringify(configuration));
    return await work(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
