import type { MaintenanceSwitch } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";

export class KnexMaintenanceSwitch implements MaintenanceSwitch {
  constructor(private readonly sql: SqlRunner) {}

  async set(on: boolean): Promise<void> {
    await this.sql.build(this.sql.table("settings").update({ maintenance: on }));
  }
}
