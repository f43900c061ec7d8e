import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceError, Storage } from "@sallyport/storage";
import { type Database, type DatabaseDiagnosis, type ListedProvider, examineDatabase } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import type { OpenWriter, ReplicaState, ServerFacts } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { ServedDatabaseExaminer } from "../../src/doctor/database-examiner.ts";
import type { ExaminedDatabase } from "../../src/doctor/examine-database.ts";
import { examineServer } from "../../src/doctor/examine-server.ts";
import type { Diagnosis } from "../../src/doctor/diagnosis.ts";
import { loadConfiguration } from "../../src/index.ts";
import { certificateFor } from "../certificate-for.ts";

export const folder = mkdtempSync(join(tmpdir(), "sallyport-doctor-"));
export const masterKey = randomBytes(32).toString("base64");

/** Writes a file that its owner alone can read, and returns its path. */
export function fileOf(name: string, content: string, mode = 0o600): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

export function tls(days: number) {
  const { key, certificate } = certificateFor(days);
  const files = { keyFile: fileOf(`${days}.key`, key), certificateFile: fileOf(`${days}.crt`, certificate) };
  return { server: { tls: files } };
}

const healthyFacts = {
  version: "17.2",
  isReadOnly: false,
  missingPrivileges: [] as string[],
  grants: [] as string[],
  canChangeSchema: true,
  maxConnections: 97,
  statementTimeout: 30_000,
  replicas: [] as ReplicaState[],
  failoverProof: null as ServerFacts["failoverProof"],
  openWriters: [] as OpenWriter[],
  missingSettings: [] as string[],
  unmetRequirements: async (): Promise<string[]> => [],
};

export interface Scene {
  readonly content?: object;
  readonly facts?: Partial<typeof healthyFacts>;
  readonly nodeVersion?: string;
  readonly clockOffset?: number;
  readonly isSealedByOtherKey?: boolean;
  readonly providers?: readonly Partial<ListedProvider>[];
  readonly prepare?: (storage: Storage) => Promise<unknown>;
  /** Default: the storage is migrated. */
  readonly health?: ServiceError;
  readonly opening?: Error;
}

/** A server whose database is in memory, behind the facts of a Postgres server. */
async function openScene(scene: Scene) {
  const { content = {}, facts, clockOffset = 0, isSealedByOtherKey = false } = scene;
  const configuration = loadConfiguration({
    content: {
      databases: [{ storage: { url: "postgres://127.0.0.1/none", pool: { max: 10 } } }],
      files: { directory: join(folder, "files") },
      encryption: { masterKey },
      server: { maxRequestsInFlight: 500 },
      ...content,
    },
    environment: {},
  });
  const storage = new MemoryStorage({ clockOffset: () => clockOffset });
  await storage.migrate();
  await scene.prepare?.(storage);
  const { health } = scene;
  const examined =
    health === undefined
      ? storage
      : Object.assign(Object.create(storage) as Storage, { health: () => Promise.reject(health) });
  const opened: ExaminedDatabase = {
    database: { alias: "", storage: examined, digests: new NodeDigests() } as unknown as Database,
    keyRings: { isSealedByOtherKey: async () => isSealedByOtherKey },
    listProviders: async () => (scene.providers ?? []) as ListedProvider[],
    facts: async () => ({ ...healthyFacts, ...facts }),
  };
  return { configuration, opened };
}

export async function findingsOf(scene: Scene): Promise<Diagnosis[]> {
  const { nodeVersion = "24.1.0", opening } = scene;
  const { configuration, opened } = await openScene(scene);
  return examineServer({
    configuration,
    nodeVersion,
    withDatabase: (_each, work) => (opening === undefined ? work(opened) : Promise.reject(opening)),
  });
}

/** The findings for administrators of the database. */
export async function ownFindingsOf(scene: Scene): Promise<readonly DatabaseDiagnosis[]> {
  const { configuration, opened } = await openScene(scene);
  const { database, facts, ...parts } = opened;
  const databases = new Map(configuration.databases.map((each) => [each.alias, each]));
  const databaseExaminer = new ServedDatabaseExaminer({ ...parts, configuration, databases, engines: { facts } });
  return examineDatabase({ database, r: database.storage.repositories, services: { databaseExaminer } });
}
