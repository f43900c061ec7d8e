import { applicationKind } from "../access/index.ts";
import { providerEntryKind } from "../identities/index.ts";
import { macroVersionKind } from "../macros/index.ts";
import type { Repositories } from "../storage/index.ts";

/** Records that only people put in. Servers make others by themselves, such as keys. */
const kinds = [applicationKind, providerEntryKind, macroVersionKind];

/** Whether a database holds nothing but what its migration and servers have put in. */
export async function isEmptyDatabase(r: Pick<Repositories, "settings" | "records">): Promise<boolean> {
  if (!(await r.settings.isEmpty())) return false;
  for (const kind of kinds) if ((await r.records.count(kind)).count > 0) return false;
  return true;
}
