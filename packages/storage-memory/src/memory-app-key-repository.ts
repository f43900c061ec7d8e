import { acceptStorable, type AppKeyRepository } from "@sallyport/storage";
import type { Access } from "./access.ts";
import { frozenCopy, pageByName } from "./table.ts";
import { nextNumber } from "./state.ts";

export const memoryAppKeyRepository = (access: Access): AppKeyRepository => ({
  async create({ name, appNames, origins, returnAddresses = [] }, digest) {
    acceptStorable([name, appNames, origins, returnAddresses]);
    return access.write((state) => {
      if (state.appKeys.has(name) || state.appKeyDigests.has(digest)) return "nameTaken";
      const id = String(nextNumber(state, "appKey"));
      state.appKeys.set(name, frozenCopy({ id, name, enabled: true, appNames, origins, returnAddresses }));
      state.appKeyDigests.set(digest, name);
      return "created";
    });
  },

  setEnabled: (name, enabled) =>
    access.write(({ appKeys }) => {
      const appKey = appKeys.get(name);
      if (appKey === undefined) return false;
      appKeys.set(name, Object.freeze({ ...appKey, enabled }));
      return true;
    }),

  listsOrigin: (origin) =>
    access.read(({ appKeys }) =>
      [...appKeys.values()].some(({ enabled, origins }) => enabled && origins.includes(origin)),
    ),

  list: (after, limit) => access.read(({ appKeys }) => pageByName(appKeys.values(), ({ name }) => name, after, limit)),
});
