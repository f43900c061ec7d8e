import type { MaintenanceSwitch } from "@sallyport/core";
import type { Access } from "./access.ts";

export class MemoryMaintenanceSwitch implements MaintenanceSwitch {
  constructor(private readonly access: Access) {}

  set(on: boolean): Promise<void> {
    return this.access.write(({ switches }) => switches.set("maintenance", on));
  }
}
