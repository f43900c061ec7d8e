import type { Access } from "../kernel/access.ts";
import type { RowReader } from "../kernel/rows.ts";
import type { Settings } from "../ports/admission-repository.ts";
import type { SettingsRepository } from "../ports/settings-repository.ts";
import { nextNumbers, setNumber } from "./numbers.ts";
import { accountTable, appKeyTable, numberTable, uuidTable } from "./tables.ts";

export const settingsRepository = (access: Access): SettingsRepository => ({
  setMaintenance: (on) => access.write((rows) => setNumber(rows, "maintenance", on ? 1 : 0)),

  raise: () => access.write(async (rows) => void (await nextNumbers(rows, "settingsGeneration"))),

  isEmpty: () => access.read(isEmpty),
});

export async function settingsOf(rows: RowReader): Promise<Settings> {
  const entries = await rows.getAll(numberTable, [["maintenance"], ["modelGeneration"], ["settingsGeneration"]]);
  const numbers = new Map(entries.map(({ series, number }) => [series, number]));
  return {
    maintenance: numbers.get("maintenance") === 1,
    modelGeneration: numbers.get("modelGeneration") ?? 0,
    settingsGeneration: numbers.get("settingsGeneration") ?? 0,
  };
}

/** Whether there is no app key, account or object, and the model is that of the migration. */
export async function isEmpty(rows: RowReader): Promise<boolean> {
  if ((await settingsOf(rows)).modelGeneration !== 1) return false;
  // The UUIDs of forgotten objects are content, and every other object has one.
  const counts = [
    await rows.count(accountTable, {}, 1),
    await rows.count(appKeyTable, {}, 1),
    await rows.count(uuidTable, {}, 1),
  ];
  return counts.every((count) => count === 0);
}
