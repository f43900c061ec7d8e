import { operatorEvent } from "./audit-events.ts";
import type { AdministrationContext } from "./request-context.ts";

/** Takes a database out of service, or back into it; running servers see it with the next request. */
export async function setMaintenance({ unit }: Pick<AdministrationContext, "unit">, on: boolean): Promise<void> {
  await unit.transaction(async (r) => {
    await r.settings.setMaintenance(on);
    await r.audit.append(operatorEvent({ type: on ? "maintenance.begun" : "maintenance.ended" }));
  });
}
