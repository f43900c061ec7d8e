import { isDeepStrictEqual } from "node:util";
import {
  type Database,
  type IdentityProvider,
  type ProviderEntry,
  type ProviderSealing,
  type ProviderType,
  type PutProvider,
  ServiceError,
} from "@sallyport/core";
import { demoCredentials, type DemoProviders } from "../../demo/index.ts";

export interface DemoProviderEntriesParts {
  readonly demoProviders: DemoProviders;
  readonly known: ReadonlyMap<ProviderType, IdentityProvider>;
  readonly putProvider: PutProvider;
  readonly sealing: ProviderSealing;
}

/** Registers the imitations in databases with the demo, as they are at this start; what others have registered stays. */
export class DemoProviderEntries {
  constructor(private readonly parts: DemoProviderEntriesParts) {}

  async register(database: Database): Promise<void> {
    const { demoProviders, known, putProvider } = this.parts;
    for (const { type, name, data } of demoProviders.entries) {
      const provider = known.get(type);
      const found = await database.storage.repositories.identityProviders.find(type);
      if (
        provider === undefined ||
        (found !== null && (found.name !== name || this.holds(found, provider.accept(data))))
      )
        continue;
      const { defaultUserId, appNames } = found ?? { defaultUserId: null, appNames: [demoCredentials.apps[0].name] };
      await putProvider.run(database, { provider, data, name, defaultUserId, appNames });
    }
  }

  private holds({ sealedData }: ProviderEntry, data: unknown): boolean {
    try {
      return isDeepStrictEqual(this.parts.sealing.openData(sealedData), data);
    } catch (error) {
      // It was sealed by a demo with another master key.
      if (error instanceof ServiceError && error.code === 608) return false;
      throw error;
    }
  }
}
