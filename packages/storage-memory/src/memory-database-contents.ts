import type { DatabaseContents, MaintenanceSwitch } from "@sallyport/core";
import type { Access } from "./access.ts";

export class MemoryDatabaseContents implements DatabaseContents {
  constructor(private readonly access: Access) {}

  isEmpty(): Promise<boolean> {
    return this.access.read(
      ({
        accounts,
        appKeys,
        applications,
        customAccounts,
        departures,
        identityLinks,
        identityProviders,
        macros,
        objects,
        numbers,
      }) => {
        const tables = [
          accounts,
          appKeys,
          applications,
          customAccounts,
          departures,
          identityLinks,
          identityProviders,
          macros,
          objects,
        ];
        return tables.every((table) => table.entries().next().done === true) && numbers.get("modelGeneration") === 1;
      },
    );
  }
}

export class MemoryMaintenanceSwitch implements MaintenanceSwitch {
  constructor(private readonly access: Access) {}

  set(on: boolean): Promise<void> {
    return this.access.write(({ switches }) => switches.set("maintenance", on));
  }
}
