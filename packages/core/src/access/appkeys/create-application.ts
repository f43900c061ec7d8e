import { type Repositories, ServiceError } from "@sallyport/storage";
import { type AdministrationContext, changesBetween, type ChangeToAudit, type Uses } from "../../request/index.ts";
import type { SecondFactorRule } from "../second-factors/second-factors.ts";
import {
  type Application,
  Applications,
  findApplications,
  type ChangedApplication,
  type NewApplication,
  type SeatChange,
} from "./applications.ts";
import type { FactorServices } from "../second-factors/factor-secrets.ts";

/** Blank or taken name: 307. */
export async function createApplication(
  context: AdministrationContext & Uses<Pick<FactorServices, "factorSecrets">>,
  application: NewApplication & Pick<Application, "secondFactor">,
): Promise<void> {
  const { unit, eventOf } = context;
  const { name, secondFactor } = application;
  if (name.trim() === "") throw new ServiceError(307, { detail: "The app name must not be empty." });
  acceptRule(context, secondFactor);
  await unit.transaction(async (r) => {
    const applications = new Applications(r.records);
    if ((await applications.create(application)) === "nameTaken")
      throw new ServiceError(307, { detail: `The app name "${name}" already exists.` });
    const [{ seats, seatKind }] = (await findApplications(r.records, [name])) as [Application];
    const changes = changesBetween(null, { seats, seatKind });
    await r.audit.append(eventOf({ type: "app.created", appNames: [name], changes }));
    if (secondFactor === "off") return;
    const ruleChanges = changesBetween({ secondFactor: "off" }, { secondFactor });
    await r.audit.append(eventOf({ ...ruleChange(application), changes: ruleChanges }));
  });
}

/** The rule applies from the next log-in. Unknown name: 304. */
export async function setApplicationSecondFactor(
  context: AdministrationContext & Uses<Pick<FactorServices, "factorSecrets">>,
  application: Pick<Application, "name" | "secondFactor">,
): Promise<void> {
  const { name, secondFactor } = application;
  acceptRule(context, secondFactor);
  await change(context, ruleChange(application), (applications) => applications.setSecondFactor(name, secondFactor));
}

/** The seats apply from the next log-in. Open sessions keep theirs. Unknown name: 304. */
export async function setApplicationSeats(
  context: AdministrationContext,
  { name, ...seats }: SeatChange & Pick<Application, "name">,
): Promise<void> {
  const event: NamedChange = { type: "appSeats.changed", appNames: [name] };
  await change(context, event, (applications) => applications.setSeats(name, seats));
}

/** Throws 705 if the server cannot seal the secrets of second factors. */
function acceptRule(context: Uses<Pick<FactorServices, "factorSecrets">>, rule: SecondFactorRule): void {
  if (rule === "off" || context.services.factorSecrets.usable) return;
  throw new ServiceError(705, { detail: "Second factors require a master key, and none is configured." });
}

/** The audited change of one app name. */
type NamedChange = ChangeToAudit & { readonly appNames: readonly [string] };

async function change(
  { unit, eventOf }: AdministrationContext,
  event: NamedChange,
  work: (applications: Applications) => Promise<ChangedApplication | null>,
): Promise<void> {
  await unit.transaction(async (r) => {
    const changed = await work(new Applications(r.records));
    if (changed === null) throw new ServiceError(304, { detail: `There is no app name "${event.appNames[0]}".` });
    await r.audit.append(eventOf({ ...event, changes: changesBetween(changed.before, changed.after) }));
  });
}

function ruleChange({ name, secondFactor }: Pick<Application, "name" | "secondFactor">): NamedChange {
  const types = {
    off: "appSecondFactor.disabled",
    optional: "appSecondFactor.allowed",
    forced: "appSecondFactor.required",
  } as const;
  return { type: types[secondFactor], appNames: [name] };
}

/** Throws 208 for app names that the database does not have. */
export async function requireApplications(
  { records }: Pick<Repositories, "records">,
  names: readonly string[],
): Promise<void> {
  const existing = await new Applications(records).existing(names);
  const unknown = names.filter((name) => !existing.includes(name));
  if (unknown.length === 0) return;
  const list = unknown.map((name) => `"${name}"`).join(", ");
  throw new ServiceError(208, { detail: `There is no app name ${list}.` });
}
