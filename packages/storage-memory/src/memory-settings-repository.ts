import type { Settings, SettingsRepository } from "@sallyport/core";
import type { Access } from "./access.ts";
import { nextNumber, type State } from "./state.ts";

export class MemorySettingsRepository implements SettingsRepository {
  constructor(private readonly access: Access) {}

  read(): Promise<Settings> {
    return this.access.read(settingsOf);
  }

  setMaintenance(on: boolean): Promise<void> {
    return this.access.write(({ switches }) => switches.set("maintenance", on));
  }

  raiseMacroGeneration(): Promise<void> {
    return this.access.write((state) => void nextNumber(state, "macroGeneration"));
  }

  isEmpty(): Promise<boolean> {
    return this.access.read(({ accounts, appKeys, departures, objects, numbers }) => {
      const tables = [accounts, appKeys, departures, objects];
      return tables.every((table) => table.entries().next().done === true) && numbers.get("modelGeneration") === 1;
    });
  }
}

export function settingsOf({ switches, numbers }: State): Settings {
  return {
    maintenance: switches.get("maintenance") ?? false,
    modelGeneration: numbers.get("modelGeneration") ?? 0,
    macroGeneration: numbers.get("macroGeneration") ?? 0,
  };
}
