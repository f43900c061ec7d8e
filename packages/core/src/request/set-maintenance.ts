import type { AdministrationContext } from "./administration-context.ts";

/** Switches the maintenance mode of a database. Running servers apply it from the next request. */
export async function setMaintenance(
  { unit, eventOf }: Pick<AdministrationContext, "unit" | "eventOf">,
  on: boolean,
): Promise<void> {
  await unit.transaction(async (r) => {
    await r.settings.setMaintenance(on);
    await r.audit.append(eventOf({ type: on ? "maintenance.started" : "maintenance.ended" }));
  });
}
