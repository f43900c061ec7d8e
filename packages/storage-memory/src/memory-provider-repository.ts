import { acceptStorable, type ProviderEntry, type ProviderRepository, type ProviderType } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy, partByName } from "./table.ts";

export class MemoryProviderRepository implements ProviderRepository {
  constructor(private readonly access: Access) {}

  find(type: ProviderType): Promise<ProviderEntry | null> {
    return this.access.read(({ identityProviders }) => identityProviders.get(type) ?? null);
  }

  async put(entry: ProviderEntry): Promise<void> {
    acceptStorable(entry);
    const kept = frozenCopy(entry);
    return this.access.write(({ identityProviders }) => identityProviders.set(kept.type, kept));
  }

  remove(type: ProviderType): Promise<boolean> {
    return this.access.write(({ identityProviders }) => {
      const isThere = identityProviders.has(type);
      identityProviders.delete(type);
      return isThere;
    });
  }

  list(): Promise<ProviderEntry[]> {
    return this.access.read(({ identityProviders }) =>
      partByName(identityProviders.values(), ({ type }) => type, null, Number.POSITIVE_INFINITY),
    );
  }
}
