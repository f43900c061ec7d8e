import type { AdministrationContext } from "./administration-context.ts";

/** Takes a database out of service, or back into it; running servers see it with the next request. */
export async function setMaintenance(
  { unit, eventOf }: Pick<AdministrationContext, "unit" | "eventOf">,
  on: boolean,
): Promise<void> {
  await unit.transaction(async (r) => {
    await r.settings.setMaintenance(on);
    await r.audit.append(eventOf({ type: on ? "maintenance.begun" : "maintenance.ended" }));
  });
}
