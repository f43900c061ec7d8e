import { faultAt } from "../errors/index.ts";
import type { AuditEvent, RecordKind, Repositories, SessionPolicy } from "../storage/index.ts";
import type { AdministrationContext } from "./administration-context.ts";
import { type RateKind, type RatePolicy, RequestRates, rateKinds } from "./request-rates.ts";

/** The limits that a database can override. */
export interface LimitPolicy {
  readonly sessions: SessionPolicy;
  /** Default: no limits. */
  readonly rates?: RatePolicy;
}

const many = { min: 0, max: 10_000_000 };

/** Minimum and maximum of each limit, by its path in the configuration. */
const ranges = {
  "sessions.limit": many,
  "sessions.perUserLimit": many,
  "sessions.perDevice": { min: 1, max: 10_000 },
  "rates.address.perMinute": many,
  "rates.address.burst": many,
  "rates.appKey.perMinute": many,
  "rates.appKey.burst": many,
  "rates.session.perMinute": many,
  "rates.session.burst": many,
} as const satisfies Readonly<Record<string, { readonly min: number; readonly max: number }>>;

export type LimitName = keyof typeof ranges;

/** The names of all limits, in the order of the configuration. */
export const limitNames = Object.keys(ranges) as readonly LimitName[];

const knownRanges: ReadonlyMap<string, { readonly min: number; readonly max: number }> = new Map(
  Object.entries(ranges),
);

type Values = Readonly<Record<LimitName, number>>;

/** The limits that a database overrides. */
type StoredLimits = Partial<Values>;

const limitsKind: RecordKind<StoredLimits> = "limits";
const currentLimits = "current";

const unlimited = { perMinute: 0, burst: 0 };
const noRates: RatePolicy = { address: unlimited, appKey: unlimited, session: unlimited };

/** The limits of a database at one generation of its settings. */
export interface EffectiveLimits {
  readonly generation: number;
  readonly sessions: SessionPolicy;
  /** `null` if no rate is limited. */
  readonly rates: RequestRates | null;
}

/** The context of a request, as far as limits need it. */
interface LimitContext {
  readonly r: Pick<Repositories, "records">;
  readonly settingsGeneration: number;
}

interface Loading {
  readonly generation: number;
  readonly limits: Promise<EffectiveLimits>;
}

/** Caches the limits of one database until admission reports another generation of its settings. */
export class DatabaseLimits {
  /** Keeps its counts when other limits change. */
  readonly rates: RequestRates;
  private cached: EffectiveLimits | undefined;
  private loading: Loading | undefined;

  /** @param records where servers share the counts of rates; `null` if no other process uses the database */
  constructor(
    private readonly defaults: LimitPolicy,
    records: Repositories["records"] | null,
  ) {
    this.rates = new RequestRates(records);
  }

  /** The limits at the generation of the request, or newer ones. */
  current(context: LimitContext): EffectiveLimits | Promise<EffectiveLimits> {
    if (this.cached?.generation === context.settingsGeneration) return this.cached;
    return this.load(context);
  }

  /** The limits of the latest request, for a request that is not admitted yet. */
  latest({ r }: Pick<LimitContext, "r">): EffectiveLimits | Promise<EffectiveLimits> {
    return this.cached ?? this.load({ r, settingsGeneration: -1 });
  }

  private load({ r, settingsGeneration: generation }: LimitContext): Promise<EffectiveLimits> {
    if (this.loading?.generation === generation) return this.loading.limits;
    const loading: Loading = { generation, limits: this.read(r, generation, () => this.loading === loading) };
    this.loading = loading;
    return loading.limits;
  }

  /** `isLatest`: a load that began later may already have applied newer limits. */
  private async read(r: LimitContext["r"], generation: number, isLatest: () => boolean): Promise<EffectiveLimits> {
    try {
      const { sessions, rates } = policyOf({ ...valuesOf(this.defaults), ...(await storedLimits(r)) });
      if (isLatest()) this.rates.apply(rates);
      const limits = {
        generation,
        sessions: { ...this.defaults.sessions, ...sessions },
        rates: this.rates.active ? this.rates : null,
      };
      if (isLatest()) this.cached = limits;
      return limits;
    } finally {
      if (isLatest()) this.loading = undefined;
    }
  }
}

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
 * stay, and log-ins in progress use the earlier limits. 307 for an unknown name, a value out of range, and a limit per
 * user above the limit of the database.
 */
export async function setLimits(
  { database, unit, eventOf }: Pick<AdministrationContext, "database" | "unit" | "eventOf">,
  changes: ReadonlyMap<string, number | null>,
): Promise<void> {
  for (const [name, value] of changes) acceptLimit(name, value);
  await unit.transaction(async (r) => {
    for (;;) {
      const [found] = await r.records.get(limitsKind, [currentLimits]);
      const merged = new Map<string, number | null>([...Object.entries(found?.value ?? {}), ...changes]);
      const limits: StoredLimits = Object.fromEntries([...merged].filter(([, value]) => value !== null));
      acceptTogether({ ...valuesOf(database.policy), ...accepted(limits) });
      const ifVersion = found?.version ?? ("none" as const);
      if ((await r.records.put(limitsKind, currentLimits, limits, { ifVersion })) === "stored") break;
    }
    await r.settings.raise();
    await r.audit.append(eventOf({ type: "limits.changed" }) satisfies AuditEvent);
  });
}

function acceptLimit(name: string, value: number | null): void {
  const range = knownRanges.get(name);
  if (range === undefined) throw faultAt(`/${name}`, "is not the name of a limit");
  if (value !== null && !isWithin(value, range))
    throw faultAt(`/${name}`, `must be an integer from ${range.min} to ${range.max}`);
}

function isWithin(value: unknown, { min, max }: { readonly min: number; readonly max: number }): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

/** The same rule as in the configuration. */
function acceptTogether(values: Values): void {
  const total = values["sessions.limit"];
  if (total > 0 && values["sessions.perUserLimit"] > total)
    throw faultAt("/sessions.perUserLimit", "must not be greater than sessions.limit");
}

async function storedLimits({ records }: LimitContext["r"]): Promise<StoredLimits> {
  const [found] = await records.get(limitsKind, [currentLimits]);
  return accepted(found?.value ?? {});
}

/** What another version of the server stored may be unknown here. The configuration applies instead. */
function accepted(stored: Readonly<Record<string, unknown>>): StoredLimits {
  return Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => {
      const range = knownRanges.get(name);
      return range !== undefined && isWithin(value, range);
    }),
  );
}

function valuesOf({ sessions, rates = noRates }: LimitPolicy): Values {
  const { limit, perUserLimit, perDevice } = sessions;
  return {
    "sessions.limit": limit,
    "sessions.perUserLimit": perUserLimit,
    "sessions.perDevice": perDevice,
    "rates.address.perMinute": rates.address.perMinute,
    "rates.address.burst": rates.address.burst,
    "rates.appKey.perMinute": rates.appKey.perMinute,
    "rates.appKey.burst": rates.appKey.burst,
    "rates.session.perMinute": rates.session.perMinute,
    "rates.session.burst": rates.session.burst,
  };
}

function policyOf(values: Values) {
  const rateOf = (kind: RateKind) => ({
    perMinute: values[`rates.${kind}.perMinute`],
    burst: values[`rates.${kind}.burst`],
  });
  return {
    sessions: {
      limit: values["sessions.limit"],
      perUserLimit: values["sessions.perUserLimit"],
      perDevice: values["sessions.perDevice"],
    },
    rates: Object.fromEntries(rateKinds.map((kind) => [kind, rateOf(kind)])) as RatePolicy,
  };
}
