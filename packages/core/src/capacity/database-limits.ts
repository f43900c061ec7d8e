import type { RecordKind, Repositories, SessionPolicy } from "@sallyport/storage";
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

export const limitRanges: ReadonlyMap<string, { readonly min: number; readonly max: number }> = new Map(
  Object.entries(ranges),
);

export type LimitValues = Readonly<Record<LimitName, number>>;

/** The limits that a database overrides. */
export type StoredLimits = Partial<LimitValues>;

export const limitsKind: RecordKind<StoredLimits> = "limits";
export const currentLimits = "current";

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
    now?: () => number,
  ) {
    this.rates = new RequestRates(records, now);
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

export function isWithin(
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

export async function storedLimits({ records }: LimitContext["r"]): Promise<StoredLimits> {
  const [record] = await records.get(limitsKind, [currentLimits]);
  return acceptedLimits(record?.value ?? {});
}

/** Omits values that this version does not accept. Another version stored them; the configuration applies instead. */
export function acceptedLimits(stored: Readonly<Record<string, unknown>>): StoredLimits {
  return Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => {
      const range = limitRanges.get(name);
      return range !== undefined && isWithin(value, range);
    }),
  );
}

export function valuesOf({ sessions, rates = noRates }: LimitPolicy): LimitValues {
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

function policyOf(values: LimitValues) {
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
