import { acceptStorable, type AppKey, type AppKeyRepository, type Digest, type NewAppKey } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy, partByName } from "./table.ts";
import { nextNumber } from "./state.ts";

export class MemoryAppKeyRepository implements AppKeyRepository {
  constructor(private readonly access: Access) {}

  async create(
    { name, appNames, origins, returnAddresses = [] }: NewAppKey,
    digest: Digest,
  ): Promise<"created" | "nameTaken"> {
    acceptStorable([name, appNames, origins, returnAddresses]);
    return this.access.write((state) => {
      if (state.appKeys.has(name) || state.appKeyDigests.has(digest)) return "nameTaken";
      const id = String(nextNumber(state, "appKey"));
      state.appKeys.set(name, frozenCopy({ id, name, enabled: true, appNames, origins, returnAddresses }));
      state.appKeyDigests.set(digest, name);
      return "created";
    });
  }

  setEnabled(name: string, enabled: boolean): Promise<boolean> {
    return this.access.write(({ appKeys }) => {
      const appKey = appKeys.get(name);
      if (appKey === undefined) return false;
      appKeys.set(name, Object.freeze({ ...appKey, enabled }));
      return true;
    });
  }

  listsOrigin(origin: string): Promise<boolean> {
    return this.access.read(({ appKeys }) =>
      [...appKeys.values()].some(({ enabled, origins }) => enabled && origins.includes(origin)),
    );
  }

  list(after: string | null, limit: number): Promise<AppKey[]> {
    return this.access.read(({ appKeys }) => partByName(appKeys.values(), ({ name }) => name, after, limit));
  }
}
