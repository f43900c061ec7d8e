import { applicationKind, banKind, deviceKind } from "../access/index.ts";
import { providerEntryKind } from "../identities/index.ts";
import { macroVersionKind } from "../macros/index.ts";
import { syncSchemaKind } from "../sync/index.ts";
import type { Repositories } from "@sallyport/storage";

/** Record kinds created by administrators only. Servers create others, such as keys. */
const kinds = [applicationKind, banKind, deviceKind, providerEntryKind, macroVersionKind, syncSchemaKind];

/** Whether a database contains only data of its migration and of servers. */
export async function isEmptyDatabase(r: Pick<Repositories, "settings" | "records">): Promise<boolean> {
  if (!(await r.settings.isEmpty())) return false;
  for (const kind of kinds) if ((await r.records.count(kind)).count > 0) return false;
  return true;
}
