import type { Settings, SettingsRepository } from "@sallyport/storage";
import type { Access } from "./access.ts";
import { nextNumber, type State } from "./state.ts";

export const memorySettingsRepository = (access: Access): SettingsRepository => ({
  read: () => access.read(settingsOf),

  setMaintenance: (on) => access.write(({ switches }) => switches.set("maintenance", on)),

  raise: () => access.write((state) => void nextNumber(state, "settingsGeneration")),

  isEmpty: () =>
    access.read(({ accounts, appKeys, tombstones, objects, uuids, numbers }) => {
      // The UUIDs of forgotten objects are content.
      const tables = [accounts, appKeys, tombstones, objects, uuids];
      return tables.every((table) => table.entries().next().done === true) && numbers.get("modelGeneration") === 1;
    }),
});

export function settingsOf({ switches, numbers }: State): Settings {
  return {
    maintenance: switches.get("maintenance") ?? false,
    modelGeneration: numbers.get("modelGeneration") ?? 0,
    settingsGeneration: numbers.get("settingsGeneration") ?? 0,
  };
}
