import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, MeasuredProcess } from "./measured-process.ts";

/** The databases of a configuration file, as it spells them. */
export interface ProductSettings {
  readonly databaseUrl?: string;
  readonly databases: readonly object[];
  /** Settings of macros; there are none unless given. */
  readonly macros?: { readonly directory: string };
  /** Address of an imitation of providers; nobody logs in at a provider unless given. */
  readonly imitation?: string;
}

export interface StartedProduct {
  readonly address: string;
  readonly process: MeasuredProcess;
  /** From the start of the process to the first answer, in milliseconds. */
  readonly startedWithin: number;
}

export const productEntry = fileURLToPath(new URL("../../../server/dist/package/dist/main.js", import.meta.url));

/** Limits are checked, which costs something, but never reached. */
const sessions = { limit: 1_000_000, perUserLimit: 1_000_000 };

/** Of every process of the product. */
export const masterKey = randomBytes(32);

const encryption = { masterKey: masterKey.toString("base64") };

/** Starts the real server, with a configuration file of its own. */
export async function startProduct({ imitation: fakeProvider, ...settings }: ProductSettings): Promise<StartedProduct> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const external =
    fakeProvider === undefined
      ? {}
      : {
          oAuthProviders: [{ name: "google" }],
          providers: { fakeUrl: fakeProvider, maxPendingLogins: { perIp: 0, total: 0 } },
        };
  const server = { port, ...(fakeProvider === undefined ? {} : { publicUrl: address }) };
  const configuration = { ...settings, ...external, server, sessions, encryption, log: { level: "warn" } };
  return withConfiguration(configuration, async (file) => {
    const before = performance.now();
    const process = await MeasuredProcess.start({
      entry: productEntry,
      arguments: ["serve", "--config", file],
      readyAddress: `${address}/healthz`,
    });
    return { address, process, startedWithin: performance.now() - before };
  });
}

/** Writes a configuration file that is there while `work` runs. */
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
