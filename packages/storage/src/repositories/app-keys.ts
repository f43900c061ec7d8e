import type { Access } from "../kernel/access.ts";
import type { RowReader } from "../kernel/rows.ts";
import type { AppKey, AppKeyRepository } from "../ports/app-key-repository.ts";
import { acceptStorable } from "../entities/storable-text.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { nextNumbers } from "./numbers.ts";
import { type AppKeyRow, appKeyTable } from "./tables.ts";

export const appKeyRepository = (access: Access): AppKeyRepository => ({
  async create({ name, appNames, origins, returnAddresses = [] }, digest) {
    acceptStorable([name, appNames, origins, returnAddresses]);
    const appKey = frozenCopy({ name, enabled: true, appNames, origins, returnAddresses });
    return access.write(async (rows) => {
      if ((await rows.get(appKeyTable, name)) !== undefined || (await appKeyOf(rows, digest)) !== null)
        return "nameTaken";
      await rows.put(appKeyTable, { ...appKey, id: String(await nextNumbers(rows, "appKey")), digest });
      return "created";
    });
  },

  setEnabled: (name, enabled) =>
    access.write(async (rows) => {
      const row = await rows.get(appKeyTable, name);
      if (row === undefined) return false;
      await rows.put(appKeyTable, { ...row, enabled });
      return true;
    }),

  remove: (name) =>
    access.write(async (rows) => {
      if ((await rows.get(appKeyTable, name)) === undefined) return false;
      await rows.delete(appKeyTable, [name]);
      return true;
    }),

  listsOrigin: (origin) =>
    access.read(async (rows) => (await rows.count(appKeyTable, { index: "byOrigin", of: [origin] }, 1)) > 0),

  list: (after, limit) =>
    access.read(async (rows) =>
      (await rows.list(appKeyTable, after === null ? {} : { after: [after] }, limit)).map(shownAppKey),
    ),
});

/** The app key with a digest; `null` if there is none. */
export async function appKeyOf(rows: RowReader, digest: string | null): Promise<AppKey | null> {
  const row = digest === null ? undefined : await rows.first(appKeyTable, { index: "byDigest", of: [digest] });
  return row === undefined ? null : shownAppKey(row);
}

function shownAppKey({ digest: _digest, ...appKey }: AppKeyRow): AppKey {
  return appKey;
}
