import { createHash, randomBytes } from "node:crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import { MemoryFileStore } from "@sallyport/test-kit/files/memory-file-store";
import {
  type ClassDefinition,
  type FileCipher,
  type NewObject,
  noFileCipher,
  type ObjectId,
  type Repositories,
} from "@sallyport/storage";
import {
  type AppKeyContext,
  CursorSealing,
  Database,
  type DatabasePolicy,
  FactorProofs,
  FactorSecrets,
  type KeyWrapping,
  Applications,
  noHooks,
  administratorGuard,
  noLicenceMessages,
  type ObjectServices,
  type GateServices,
  type Uses,
} from "../src/index.ts";

export const digests = {
  sha256: (text: string) => createHash("sha256").update(text).digest("hex"),
  md5: (text: string) => createHash("md5").update(text).digest("hex"),
};

export const random = {
  secret: () => randomBytes(32).toString("base64url"),
  bytes: (length: number) => new Uint8Array(randomBytes(length)),
};

const throttle = { maxFailures: 3, initialDelay: 60_000, maxDelay: 60_000, resetAfter: 3_600_000 };

const plainWrapping: KeyWrapping = {
  wrap: (bytes) => Buffer.from(bytes).toString("base64url"),
  unwrap: (text) => Buffer.from(text, "base64url"),
  rewrap: (text) => text,
};

/** Cursors that are not encrypted. */
export const plainCursors = new CursorSealing({
  wrapping: plainWrapping,
  wrappingBy: () => plainWrapping,
  random,
});

/** For a server without a master key. */
const factorProofs = new FactorProofs(
  new FactorSecrets(null, digests),
  {
    newSecret: () => "",
    address: () => "",
    stepOf: () => null,
  },
  digests,
);

/** Services of a server without hooks, master key and licence server. */
export const services = {
  objectHooks: noHooks,
  cursorSealing: plainCursors,
  slowQueries: { took: () => {} },
  userGuard: administratorGuard,
  random,
  factorProofs,
  licenceMessages: noLicenceMessages,
} satisfies ObjectServices & GateServices;

/** The context with these services in place of its own. */
export function using<Context extends object, Services extends object>(
  context: Context,
  services: Services,
): Context & Uses<Services> {
  const { services: own = {} } = context as Partial<Uses<object>>;
  return { ...context, services: { ...own, ...services } };
}

export const policy: DatabasePolicy = {
  sessions: { idleTimeout: 60_000, absoluteLifetime: 600_000, limit: 0, perUserLimit: 0, perDevice: 1 },
  throttle: { user: throttle, ip: { ...throttle, maxFailures: 1_000 } },
  locks: { perSession: 0 },
  objects: { recycleBinPerUser: 0 },
  devices: { policy: "open", perUser: 50 },
  files: {
    maxSize: 1_000_000,
    maxBytes: 0,
    maxOpenUploads: 0,
    uploadLifetime: 3_600_000,
    allowedExtensions: [],
    forbiddenExtensions: [],
    linksOfSecureSessions: false,
  },
  audit: { retention: 0 },
  explanations: { retention: 0, perNetwork: 1 },
  sync: { tombstones: 0 },
  clientHash: "none",
  timeZone: "UTC",
};

export interface Fixture {
  readonly database: Database;
  readonly files: MemoryFileStore;
  readonly r: Repositories;
  /** A request with the fixture's app key. */
  readonly context: AppKeyContext & Uses<ObjectServices & GateServices>;
  insert(...objects: NewObject[]): Promise<ObjectId[]>;
  define(...classes: ClassDefinition[]): Promise<void>;
}

const returnAddresses = ["https://app.example/back", "http://127.0.0.1/back?from=provider", "com.example.app:/back"];

/**
 * A migrated database in memory with one app key and the app name `app`. `clockOffset`: milliseconds by which the
 * storage's clock is ahead.
 */
export async function openFixture(
  change: Partial<DatabasePolicy> = {},
  clockOffset: () => number = () => 0,
  fileCipher: FileCipher = noFileCipher,
): Promise<Fixture> {
  const storage = new MemoryStorage({ clockOffset });
  await storage.migrate();
  const files = new MemoryFileStore(() => Date.now() + clockOffset());
  const settings = { alias: "", name: "test", policy: { ...policy, ...change }, storage, files, digests };
  const database = new Database({ ...settings, fileCipher });
  const r = storage.repositories;
  await new Applications(r.records).create({ name: "app", seats: null });
  await r.appKeys.create({ name: "key", appNames: null, origins: [], returnAddresses }, digests.sha256("key"));
  const admit = () => r.admission.admit({ appKey: digests.sha256("key"), session: null, idleTimeout: 60_000 });
  const { appKey, modelGeneration, settingsGeneration } = await admit();
  if (appKey === null) throw new Error("The app key is not there.");
  const origin = { address: "192.0.2.1", network: "192.0.2.1" };
  return {
    database,
    files,
    r,
    context: {
      requestId: "request-1",
      origin,
      database,
      r,
      unit: database.unit,
      modelGeneration,
      settingsGeneration,
      appKey,
      services,
    },
    insert: async (...objects) => (await r.objects.insert(objects)).map(({ id }) => id),
    define: async (...put) => {
      const { generation } = await r.model.load();
      await r.model.change({ put }, generation);
    },
  };
}
