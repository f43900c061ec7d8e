import {
  type ExpectedRecord,
  explained,
  type Finding,
  type RecordKind,
  type Repositories,
  ServiceError,
  type StoredRecord,
} from "@sallyport/storage";
import type { Database } from "../../request/index.ts";
import {
  type AppRules,
  appRulesKind,
  type Ban,
  banKind,
  deviceKind,
  isAllowed,
  isInForce,
  refusalOf,
  registrationIds,
  type RuleIds,
  ruleIdsOf,
  type Visit,
} from "./access-rules.ts";

/** Attempts to open a session while rules about it change. Each attempt waits for the rules to be committed. */
const maxAttempts = 50;

/**
 * Checks bans, the device policy and app rules for one visit. The decision depends on records by their ids, so the
 * number of rules does not matter. Storage verifies in the statement that opens the session that none has changed. A
 * visit that no rule concerns therefore needs no read.
 */
export class AccessCheck {
  private readonly ids: RuleIds;
  /** Whether the check must read before the session opens, since absent records mean a refusal. */
  readonly needsRead: boolean;
  private readonly registrations: readonly string[];
  private basis: readonly ExpectedRecord[];

  constructor(
    private readonly database: Pick<Database, "clock" | "digests" | "policy">,
    private readonly visit: Visit,
    { onAnyDevice = false }: { readonly onAnyDevice?: boolean } = {},
  ) {
    this.ids = ruleIdsOf(visit, database.digests);
    this.needsRead = database.policy.devices.policy === "registered" && !onAnyDevice;
    this.registrations = this.needsRead ? registrationIds(visit, database.digests) : [];
    this.basis = this.expected(new Map());
  }

  /** Reads the rules. Throws 318 for a ban or a device that is not registered, 403 for a forbidden app name. */
  async read({ records }: Pick<Repositories, "records">): Promise<void> {
    const versions = new Map<string, ReadonlyMap<string, number>>();
    const find = async <Value>(kind: RecordKind<Value>, ids: readonly string[]) => {
      const storedRecords: StoredRecord<Value>[] = ids.length === 0 ? [] : await records.get(kind, ids);
      versions.set(kind, new Map(storedRecords.map(({ id, version }) => [id, version])));
      return new Map(storedRecords.map(({ id, value }) => [id, value]));
    };
    const [bans, rules, devices] = await Promise.all([
      find(banKind, this.ids.bans),
      find(appRulesKind, this.ids.rules.flat()),
      find(deviceKind, this.registrations),
    ]);
    const now = bans.size === 0 ? 0 : await this.database.clock.now({ joined: false });
    this.basis = this.expected(versions);
    const isRegistered = !this.needsRead || [...devices.values()].some(({ registered }) => registered);
    const refusal = refusalOf(this.visit, this.ids, { bans, rules }, (ban) => isInForce(ban, now));
    if (refusal !== 318 && !isRegistered)
      throw new ServiceError(318, { detail: "The database admits registered devices only." });
    if (refusal === 318) throw explained(new ServiceError(318), ...banFindings(bans.values(), now));
    if (refusal === 403) throw explained(new ServiceError(403), ...this.ruleFindings(rules));
  }

  /**
   * Opens a session on the basis of the read rules, or of none. Reads them again whenever one has changed. Throws as
   * `read`, and 706 if they change all the time.
   */
  async whileUnchanged<T>(
    r: Pick<Repositories, "records">,
    open: (basis: readonly ExpectedRecord[]) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await open(this.basis);
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 318)) throw error;
        if (attempt === maxAttempts)
          throw new ServiceError(706, { detail: "The rules change too often.", retryAfter: 1, cause: error });
        await this.read(r);
      }
    }
  }

  private ruleFindings(rules: ReadonlyMap<string, AppRules>): Finding[] {
    return this.visit.appNames.map((app) => ({
      asked: `Do the app rules allow "${app}"?`,
      found: isAllowed(app, this.ids, rules) ? "Yes." : "No.",
    }));
  }

  /** The records on which the decision depends, in the versions that were read by kind and id; of others there must be none. */
  private expected(versions: ReadonlyMap<string, ReadonlyMap<string, number>>): ExpectedRecord[] {
    const expected: ExpectedRecord[] = [];
    for (const [kind, ids] of [
      [banKind, this.ids.bans],
      [appRulesKind, this.ids.rules.flat()],
      [deviceKind, this.registrations],
    ] as const)
      for (const id of ids) expected.push({ kind, id, version: versions.get(kind)?.get(id) ?? 0 });
    return expected;
  }
}

/** The bans in force. A reason is a text of an administrator. */
function banFindings(bans: Iterable<Ban>, now: number): Finding[] {
  return [...bans]
    .filter((ban) => isInForce(ban, now))
    .map(({ subject, until, reason }) => ({
      asked: `Is the ${bannedWords[subject.kind]} banned?`,
      found: `Yes, ${until === null ? "without an end" : `until ${new Date(until).toISOString()}`}: ${reason || "no reason given"}`,
    }));
}

const bannedWords = {
  user: "user",
  device: "device",
  userOnDevice: "user on this device",
  address: "address",
} as const;
