import { faultAt, untilDone } from "@sallyport/storage";
import {
  acceptedLimits,
  currentLimits,
  isWithin,
  type LimitName,
  limitNames,
  limitRanges,
  limitsKind,
  type LimitValues,
  type StoredLimits,
  storedLimits,
  valuesOf,
} from "../capacity/index.ts";
import type { AdministrationContext } from "./administration-context.ts";
import { changesBetween } from "./audit-events.ts";

/** A limit with its value and its origin. */
export interface ShownLimit {
  readonly name: LimitName;
  /** The value in force. */
  readonly value: number;
  /** The value of the configuration. */
  readonly default: number;
  /** Whether the database overrides the configuration. */
  readonly overridden: boolean;
}

/** All limits of a database, in the order of the configuration. */
export async function readLimits({
  database,
  r,
}: Pick<AdministrationContext, "database" | "r">): Promise<readonly ShownLimit[]> {
  const [defaults, stored] = [valuesOf(database.policy), await storedLimits(r)];
  return limitNames.map((name) => ({
    name,
    value: stored[name] ?? defaults[name],
    default: defaults[name],
    overridden: stored[name] !== undefined,
  }));
}

/**
 * Sets limits by name; `null` returns to the configuration. All servers apply them from the next request. Open sessions
 * stay, and log-ins in progress use the earlier limits. Values already in force are not a change. 307 for an unknown name, a value out of range, and a limit per
 * user above the limit of the database.
 */
export async function setLimits(
  { database, unit, eventOf }: Pick<AdministrationContext, "database" | "unit" | "eventOf">,
  changes: ReadonlyMap<string, number | null>,
): Promise<void> {
  for (const [name, value] of changes) acceptLimit(name, value);
  await unit.transaction(async (r) => {
    const audited = await untilDone(async () => {
      const [record] = await r.records.get(limitsKind, [currentLimits]);
      const stored = new Map<string, number | null>(Object.entries(record?.value ?? {}));
      if ([...changes].every(([name, value]) => (stored.get(name) ?? null) === value)) return [];
      const merged = new Map([...stored, ...changes]);
      const limits: StoredLimits = Object.fromEntries([...merged].filter(([, value]) => value !== null));
      acceptTogether({ ...valuesOf(database.policy), ...acceptedLimits(limits) });
      const ifVersion = record?.version ?? ("none" as const);
      const outcome = await r.records.put(limitsKind, currentLimits, limits, { ifVersion });
      return outcome === "stored" ? changesBetween(record?.value ?? null, limits) : undefined;
    });
    if (audited.length === 0) return;
    await r.settings.raise();
    await r.audit.append(eventOf({ type: "limits.changed", changes: audited }));
  });
}

function acceptLimit(name: string, value: number | null): void {
  const range = limitRanges.get(name);
  if (range === undefined) throw faultAt(`/${name}`, "is not the name of a limit");
  if (value !== null && !isWithin(value, range))
    throw faultAt(`/${name}`, `must be an integer from ${range.min} to ${range.max}`);
}

/** The same rule as in the configuration. */
function acceptTogether(values: LimitValues): void {
  const total = values["sessions.limit"];
  if (total > 0 && values["sessions.perUserLimit"] > total)
    throw faultAt("/sessions.perUserLimit", "must not be greater than sessions.limit");
}
