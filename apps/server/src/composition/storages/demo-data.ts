import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Digests, type FileStore, type ProviderType, ServiceError, type RandomSource } from "@sallyport/storage";
import {
  administrationOf,
  appKeyDigest,
  type Database,
  type IdentityProvider,
  type PasswordHasher,
  type ProviderEntry,
  type ProviderSealing,
  ProviderEntries,
  createAppKey,
  putProvider,
} from "@sallyport/core";
import type { Logger } from "pino";
import { demoCredentials, type DemoProviders, type DemoState, seedDemo } from "../../demo/index.ts";

/** Seeds databases with the demo and records the result. */
export class DemoSeeder {
  private readonly found = new Map<string, DemoState>();

  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
    private readonly logger: Logger,
  ) {}

  /** Without documents if there is no usable store: it prevents no start. */
  async seed({ alias, storage, policy: { clientHash }, files: store, fileCipher }: SeededDatabase): Promise<DemoState> {
    const { hasher, digests } = this;
    const files = (await isUsable(store)) ? store : null;
    const state = await seedDemo(storage, { hasher, digests, clientHash, alias, files, fileCipher });
    this.found.set(alias, state);
    if (state === "seeded") this.logger.info({ alias }, "Demo data added");
    if (state === "foreign") this.logger.warn({ alias }, "Demo data not added; the database contains other data");
    return state;
  }

  /** Result by alias. A database that was unavailable is absent. */
  get states(): ReadonlyMap<string, DemoState> {
    return this.found;
  }
}

interface SeededDatabase extends Pick<Database, "alias" | "storage" | "policy" | "fileCipher"> {
  readonly files: FileStore | null;
}

async function isUsable(store: FileStore | null): Promise<boolean> {
  if (store === null) return false;
  return store.freeBytes().then(
    () => true,
    () => false,
  );
}

const mostAdministrationKeys = 20;

/** Gives each database of the demo an app key for administration. A file in the folder keeps the key for later starts. */
export class DemoAdministrationKeys {
  private readonly usable = new Map<string, string>();

  constructor(
    private readonly folder: string | null,
    private readonly random: RandomSource,
    private readonly digests: Digests,
  ) {}

  /** Keys by alias. */
  get keys(): ReadonlyMap<string, string> {
    return this.usable;
  }

  async provide(database: Database): Promise<void> {
    const { alias } = database;
    if (this.folder === null) return;
    const file = join(this.folder, alias === "" ? "administration.key" : `administration-${alias}.key`);
    const storedKey = await readFile(file, "utf8").then(
      (text) => text.trim(),
      () => null,
    );
    const key =
      storedKey !== null && (await this.isAccepted(database, storedKey)) ? storedKey : await this.create(database);
    if (key === null) return;
    this.usable.set(alias, key);
    if (key === storedKey) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(file, `${key}\n`, { mode: 0o600 });
  }

  private async isAccepted({ storage: { repositories } }: Database, key: string): Promise<boolean> {
    const appKey = appKeyDigest(key, "admin", this.digests);
    return (await repositories.admission.admit({ appKey, session: null, idleTimeout: 60_000 })).appKey !== null;
  }

  /** Another folder may hold the keys of earlier names. */
  private async create(database: Database): Promise<string | null> {
    for (let count = 1; count <= mostAdministrationKeys; count += 1) {
      const name = count === 1 ? "administration" : `administration-${count}`;
      const input = { name, appNames: null, origins: [], returnAddresses: [], key: null, scope: "admin" } as const;
      try {
        return await createAppKey({ ...administrationOf(database), services: { random: this.random } }, input);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 307) throw error;
      }
    }
    return null;
  }
}

interface DemoProviderEntriesParts {
  readonly demoProviders: DemoProviders;
  readonly providers: ReadonlyMap<ProviderType, IdentityProvider>;
  readonly sealing: ProviderSealing;
}

/** Registers the fake providers in demo databases with their current data. Other registrations are kept. */
export class DemoProviderEntries {
  constructor(private readonly parts: DemoProviderEntriesParts) {}

  async register(database: Database): Promise<void> {
    const { demoProviders, providers, sealing: providerSealing } = this.parts;
    const context = { ...administrationOf(database), services: { providerSealing } };
    for (const { type, name, data } of demoProviders.entries) {
      const provider = providers.get(type);
      const found = await new ProviderEntries(database.storage.repositories.records).find(type);
      if (
        provider === undefined ||
        (found !== null && (found.name !== name || this.contains(found, provider.accept(data))))
      )
        continue;
      const { defaultUserId, appNames } = found ?? { defaultUserId: null, appNames: [demoCredentials.apps[0].name] };
      await putProvider(context, { provider, data, name, defaultUserId, appNames });
    }
  }

  private contains({ sealedData }: ProviderEntry, data: unknown): boolean {
    try {
      return isDeepStrictEqual(this.parts.sealing.openData(sealedData), data);
    } catch (error) {
      // A demo with another master key encrypted it.
      if (error instanceof ServiceError && error.code === 608) return false;
      throw error;
    }
  }
}
