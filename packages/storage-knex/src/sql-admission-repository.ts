import { setImmediate as turn } from "node:timers/promises";
import {
  type Admission,
  type AdmissionRepository,
  type AppKey,
  type AuthenticationMethod,
  type Digest,
  type IdentityLink,
  objectIdOf,
  passwordAuthentication,
  type Principal,
  type ReadPosition,
  type RecordValue,
  type Session,
  type SessionMode,
  type Settings,
  touchInterval,
} from "@sallyport/storage";
import { withSettings } from "./sql-errors.ts";
import type { SqlRunner, Statement } from "./sql-runner.ts";

/** Without `renewals`, in a transaction, it extends a session in place. */
export const sqlAdmissionRepository = (
  sql: SqlRunner,
  statements: AdmissionStatements,
  offset: () => number,
  renewals: SessionRenewals | null,
  /** The state that the `position` of a row stands for. */
  positionOf?: (position: string | null) => ReadPosition | undefined,
): AdmissionRepository => ({
  async admit({ appKey, session, mode = "session", idleTimeout, lock = false }) {
    const keyDigest = bytesOf(appKey);
    const sessionDigest = bytesOf(session);
    const ahead = offset();
    const due = dueBelow(idleTimeout);
    // A statement of its own: the next one then sees what it waited for.
    if (lock) await sql.run(statements.lock, [sessionDigest]);
    const { rows } = await (session === null
      ? sql.run<AdmissionRow>(statements.admitKey, [keyDigest])
      : sql.run<AdmissionRow>(statements.admit[mode], [keyDigest, sessionDigest, ahead, due]));
    const row = withSettings(rows);
    if (session !== null && row.mode !== null && row.remaining !== null) {
      const isLate = Number(row.remaining) <= idleTimeout - touchInterval(idleTimeout);
      const isStored = (await renewals?.renew(session, idleTimeout, isLate)) ?? false;
      if (isLate && !isStored) await sql.run(statements.touch, [sessionDigest, idleTimeout, ahead, due]);
    }
    const position = positionOf?.(row.position ?? null);
    return position === undefined ? admissionOf(row) : { ...admissionOf(row), position };
  },

  async admitCallback(state) {
    const { rows } = await sql.run<CallbackRow>(statements.admitCallback, [state, offset()]);
    const row = withSettings(rows);
    return { ...settingsOf(row), appKey: appKeyOf(row), state: row.payload };
  },
});

/** Share of the touch interval after which a session is extended in the background. */
const earliest = 5 / 6;

/** Milliseconds of remaining life below which an extension is due. */
function dueBelow(lifetime: number, idleTimeout = lifetime): number {
  return lifetime - earliest * touchInterval(idleTimeout);
}

/** Milliseconds that a renewal in the background waits for others. */
const renewalDelay = 1_000;

/** Renewals per statement, and renewals that wait. */
const renewalBatch = 1_000;

interface Renewal {
  readonly idleTimeout: number;
  /** Clock offset and `performance.now()` at the request. */
  readonly ahead: number;
  readonly at: number;
}

/**
 * Extends sessions in batches. A late session, whose last extension is a touch interval ago, could end too early if its
 * renewal were lost: its request waits for the batch, which begins at once or after the previous one. The renewal of
 * another session may be lost with this process or the database server, because a further request repeats it: it waits for
 * others, and its commit does not wait for the disk.
 */
export class SessionRenewals {
  private waiting = new Map<Digest, Renewal>();
  private hasLate = false;
  private timer: NodeJS.Timeout | undefined;
  private next: Promise<ReadonlySet<Digest>> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: () => Pick<AdmissionStatements, "renew" | "lockDue">,
    private readonly offset: () => number,
  ) {}

  /**
   * Takes the renewal of a session. Returns at once, or for a late session after its batch. Returns whether it is stored: a
   * batch skips sessions that another transaction has locked.
   */
  async renew(digest: Digest, idleTimeout: number, isLate: boolean): Promise<boolean> {
    this.waiting.set(digest, { idleTimeout, ahead: this.offset(), at: performance.now() });
    if (isLate) {
      this.hasLate = true;
      return (await this.store()).has(digest);
    }
    if (this.waiting.size >= renewalBatch) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), renewalDelay).unref();
    return false;
  }

  /** Sends what waits before it returns. Resolves when it is stored. Never rejects: further requests repeat what is lost. */
  async flush(): Promise<void> {
    if (this.waiting.size > 0) await this.storeAll().catch(() => {});
  }

  /** Stores the waiting renewals in the next batch. Returns the stored ones. */
  private store(): Promise<ReadonlySet<Digest>> {
    if (this.next === undefined) {
      // Those of the same turn of the event loop share the batch.
      this.next = this.last.then(turn).then(() => {
        this.next = undefined;
        return this.storeAll();
      });
      this.last = this.next.catch(() => {});
    }
    return this.next;
  }

  private async storeAll(): Promise<ReadonlySet<Digest>> {
    const [renewals, hasLate] = [[...this.waiting], this.hasLate];
    this.waiting = new Map();
    this.hasLate = false;
    clearTimeout(this.timer);
    this.timer = undefined;
    const stored = new Set<Digest>();
    for (let first = 0; first < renewals.length; first += renewalBatch) {
      const part = renewals.slice(first, first + renewalBatch);
      for (const { digest } of await this.storePart(part, hasLate)) stored.add(digest);
    }
    return stored;
  }

  private async storePart(
    renewals: readonly (readonly [Digest, Renewal])[],
    hasLate: boolean,
  ): Promise<readonly RenewedRow[]> {
    const [now, ahead] = [performance.now(), this.offset()];
    const listed = renewals.map(([digest, { idleTimeout, ...requested }]) => {
      const lifetime = idleTimeout - (now - requested.at) + requested.ahead - ahead;
      return { digest, lifetime, due: dueBelow(lifetime, idleTimeout) };
    });
    const { lockDue, renew } = this.statements();
    if (lockDue === null) return (await this.sql.run<RenewedRow>(renew, [JSON.stringify(listed), ahead, hasLate])).rows;
    return this.sql.atomically(async (transaction) => {
      const { rows } = await transaction.run<RenewedRow>(lockDue, [JSON.stringify(listed), ahead]);
      const locked = new Set(rows.map(({ digest }) => digest));
      const renewed = listed.filter(({ digest }) => locked.has(digest));
      if (renewed.length > 0) await transaction.run(renew, [JSON.stringify(renewed), ahead]);
      return rows;
    });
  }
}

interface RenewedRow {
  readonly digest: Digest;
}

/** The digest of nothing. A null instead would let Postgres plan each request anew: a plan for null always looks cheaper. */
const noBytes = Buffer.alloc(0);

function bytesOf(digest: Digest | null): Buffer {
  return digest === null ? noBytes : Buffer.from(digest, "hex");
}

function appKeyOf(row: AppKeyRow): AppKey | null {
  if (row.key_id === null) return null;
  return {
    id: row.key_id,
    name: row.key_name,
    enabled: row.key_enabled,
    appNames: row.key_app_names,
    origins: row.key_origins,
    returnAddresses: row.key_return_addresses,
  };
}

interface SettingsRow {
  readonly maintenance: boolean;
  readonly model_generation: string | number;
  readonly macro_generation: string | number;
}

function settingsOf({ maintenance, model_generation, macro_generation }: SettingsRow): Settings {
  return { maintenance, modelGeneration: Number(model_generation), settingsGeneration: Number(macro_generation) };
}

function admissionOf(row: AdmissionRow): Admission {
  const hasSession = row.mode !== null;
  return {
    // A spread after the other members: V8 makes a hidden class for each object that begins with one and goes on.
    appKey: appKeyOf(row),
    session: hasSession ? sessionOf(row) : null,
    principal: hasSession ? principalOf(row) : null,
    ...settingsOf(row),
  };
}

function sessionOf(row: AdmissionRow): Session {
  return {
    mode: row.mode as SessionMode,
    appKeyId: row.key_id as string,
    userId: objectIdOf(Number(row.user_id)),
    appNames: row.app_names,
    reservedNames: row.reserved_names ?? [],
    enrolling: row.enrolling,
    deviceId: row.device_id,
    authenticationMethod: authenticationMethodOf(row),
    ...(row.wrapped_key === undefined
      ? {}
      : { channel: { wrappedKey: row.wrapped_key, ivPrefix: Uint8Array.from(row.iv_prefix) } }),
  };
}

function authenticationMethodOf({
  custom_account,
  custom_version,
  link_id,
  link_born,
  link_value,
}: AdmissionRow): AuthenticationMethod {
  if (custom_account !== null) return { kind: "custom", accountId: custom_account, secretVersion: custom_version };
  if (link_id === null) return passwordAuthentication;
  return { kind: "provider", link: { id: link_id, createdVersion: Number(link_born), value: link_value } };
}

function principalOf({ user_id, groups, administrator }: AdmissionRow): Principal {
  return {
    userId: objectIdOf(Number(user_id)),
    groups: Array.isArray(groups) ? groups.filter((id) => typeof id === "string") : [],
    administrator,
  };
}

export interface AdmissionStatements {
  /** 1 app key digest. For requests without a session: returns an `AdmissionRow` of null `mode`, without members of sessions. */
  readonly admitKey: Statement;
  /**
   * 1 app key digest, 2 session digest, 3 clock offset, 4 milliseconds of remaining life below which an extension is due.
   */
  readonly admit: { readonly [mode in SessionMode]: Statement };
  /** 1 session digest. Locks the session against its end until the transaction ends. */
  readonly lock: Statement;
  /** 1 session digest, 2 idle time-out, 3 clock offset, 4 as in `admit`. */
  readonly touch: Statement;
  /**
   * 1 JSON list of `digest` in hexadecimal digits, `lifetime` from now and `due` as in `admit`, 2 clock offset, 3 whether
   * the commit waits for the disk. Extends the due sessions. Without `lockDue`, it skips locked ones and returns the
   * `digest` of the others.
   */
  readonly renew: Statement;
  /** 1 and 2 as in `renew`. Locks the due sessions for an engine that cannot skip in an update, and returns each `digest`. */
  readonly lockDue: Statement | null;
  /** 1 state digest, 2 clock offset. Returns a `CallbackRow` and spends the state, unless maintenance is on. */
  readonly admitCallback: Statement;
}

/** Always one row; unknown values are null. */
interface AppKeyRow extends SettingsRow {
  readonly key_id: string | null;
  readonly key_name: string;
  readonly key_enabled: boolean;
  readonly key_app_names: string[] | null;
  readonly key_origins: string[];
  readonly key_return_addresses: string[];
}

interface CallbackRow extends AppKeyRow {
  readonly payload: RecordValue | null;
}

/** Values that are not live are null, too. */
interface AdmissionRow extends AppKeyRow {
  readonly mode: SessionMode | null;
  readonly user_id: string;
  readonly app_names: string[];
  readonly reserved_names: string[] | null;
  readonly enrolling: boolean;
  readonly device_id: string | null;
  readonly custom_account: string | null;
  readonly custom_version: number;
  readonly link_id: string | null;
  readonly link_born: string | number;
  readonly link_value: IdentityLink;
  /** Milliseconds until the idle expiry if its extension is due; otherwise null. */
  readonly remaining: number | string | null;
  /** Secure sessions only. */
  readonly wrapped_key?: string;
  readonly iv_prefix: Buffer;
  readonly administrator: boolean;
  readonly groups: unknown;
  /** With replicas only. */
  readonly position?: string | null;
}
