import {
  acceptStorable,
  channelOf,
  isStorableText,
  isUuid,
  type LiveSession,
  type NewSession,
  objectIdOf,
  objectNumber,
  type SessionPolicy,
  type SessionRepository,
  type SessionsOf,
} from "@sallyport/storage";
import { type SqlRunner, type SqlValue, type Statement, statement } from "./sql-runner.ts";

export function sqlSessionRepository(
  sql: SqlRunner,
  statements: SessionStatements,
  offset: () => number,
  sweepLocks: SweepLocks,
): SessionRepository {
  return {
    async open(session, policy) {
      acceptStorable([session.deviceId, session.address, session.appNames, policy.basis]);
      const channel = channelOf(session);
      const values = valuesOf(session, policy);
      if (channel === null) {
        await sql.run(statements.open, values);
        return;
      }
      const secured = [...values, channel.wrappedKey, Buffer.from(channel.ivPrefix)];
      await sql.atomically((transaction) =>
        Promise.all(statements.openSecure.map((each) => transaction.run(each, secured))),
      );
    },

    async end(selector) {
      const ending = endingOf(selector);
      if (ending === null) return 0;
      const { rows } = await sql.run<Ended>(...ending);
      return sumOf(rows.map(({ live }) => live));
    },

    async renew(digest, secretVersion) {
      const { rowCount } = await sql.run(statements.renew, [Buffer.from(digest, "hex"), offset(), secretVersion]);
      return rowCount === 1;
    },

    async changeAppNames(digest, change) {
      acceptStorable(change);
      const values =
        "release" in change
          ? [null, null, JSON.stringify(change.release)]
          : [JSON.stringify(change.reserve), JSON.stringify(change.limits), null];
      const basis = "release" in change ? null : listOrNull(change.basis);
      const parameters = [Buffer.from(digest, "hex"), ...values, offset(), basis];
      const { rows } = await sql.run<{ outcome: AppNameOutcome }>(statements.changeAppNames, parameters);
      return (rows[0] as { outcome: AppNameOutcome }).outcome;
    },

    async list({ after, limit }, selector, { holdsOpenings = false } = {}) {
      if (holdsOpenings) await sql.run(statements.lockRules);
      const page: SqlValue[] = [after === null ? Buffer.alloc(0) : Buffer.from(after, "hex"), limit, offset()];
      if (selector === undefined) {
        const { rows } = await sql.run<LiveRow>(statements.page.all, page);
        return rows.map(liveSessionOf);
      }
      if ("matching" in selector) {
        const { userId, deviceId = null, appName = null } = selector.matching;
        if (!isStorableText(deviceId ?? "") || !isStorableText(appName ?? "")) return [];
        const match = [userId === undefined ? null : objectNumber(userId), deviceId, appName];
        const { rows } = await sql.runOnce<LiveRow>(statements.matching, [...page, ...match]);
        return rows.map(liveSessionOf);
      }
      const selection = selectionOf(selector);
      if (selection === null) return [];
      const [name, ...values] = selection;
      const { rows } = await sql.run<LiveRow>(statements.page[name], [...page, ...values]);
      return rows.map(liveSessionOf);
    },

    async count(seats, which = "number") {
      if (seats !== undefined && !isStorableText(seats.name)) return 0;
      const { all, seats: ofName } = statements.count[which];
      const { rows } = await (seats === undefined
        ? sql.run<{ count: string }>(all, [offset()])
        : sql.run<{ count: string }>(ofName, [offset(), seats.name, seats.kind]));
      return Number(rows[0]?.count);
    },

    async sweep(limit) {
      const { rows } = await sql.run<{ all: string | number }>(statements.sweep, [limit, offset()]);
      const swept = sumOf(rows.map(({ all }) => all));
      return swept < limit ? swept + (await sweepLocks(sql, limit - swept)) : swept;
    },
  };

  /** The statement that ends the sessions, with its values; `null` if there can be none. */
  function endingOf(selector: Parameters<SessionRepository["end"]>[0]): [Statement, SqlValue[]] | null {
    if ("digests" in selector) return [statements.endListed, [selector.digests, offset()]];
    const selection = selectionOf(selector);
    if (selection === null) return null;
    const [name, value, except] = selection;
    const ending = {
      one: statements.endOne,
      user: statements.endAllOfUser,
      link: statements.endAllOfLink,
      customAccount: statements.endAllOfCustomAccount,
    }[name];
    return [ending, name === "one" ? [value, offset()] : [value, offset(), except]];
  }

  function valuesOf(
    { digest, mode, appKeyId, userId, secretVersion, appNames, deviceId, authenticationMethod, address }: NewSession,
    policy: SessionPolicy,
  ): SqlValue[] {
    const custom = authenticationMethod.kind === "custom" ? authenticationMethod : null;
    const link = authenticationMethod.kind === "provider" ? authenticationMethod.link : null;
    return [
      Buffer.from(digest, "hex"),
      mode,
      appKeyId,
      objectNumber(userId),
      JSON.stringify(appNames),
      deviceId,
      policy.idleTimeout,
      policy.absoluteLifetime,
      offset(),
      secretVersion,
      policy.limit,
      policy.perUserLimit,
      custom?.accountId ?? null,
      custom?.secretVersion ?? null,
      link?.id ?? null,
      link?.createdVersion ?? null,
      policy.perDevice,
      listOrNull(policy.seats),
      listOrNull(policy.basis),
      address ?? null,
    ];
  }
}

/** The column, its value, and the digest to leave out; `null` if no session can match. */
function selectionOf(
  selector: SessionsOf,
): [name: "one" | "user" | "link" | "customAccount", value: SqlValue, except: SqlValue] | null {
  const except = "except" in selector && selector.except !== undefined ? Buffer.from(selector.except, "hex") : null;
  if ("digest" in selector) return ["one", Buffer.from(selector.digest, "hex"), null];
  if ("userId" in selector) return ["user", objectNumber(selector.userId), except];
  if ("linkId" in selector) return isStorableText(selector.linkId) ? ["link", selector.linkId, except] : null;
  return isUuid(selector.customAccountId) ? ["customAccount", selector.customAccountId, except] : null;
}

interface LiveRow {
  readonly digest: Buffer;
  readonly mode: LiveSession["mode"];
  readonly app_key_id: string;
  readonly user_id: string;
  readonly app_names: string[];
  readonly reserved_names: string[] | null;
  readonly enrolling: boolean;
  readonly device_id: string | null;
  readonly custom_account: string | null;
  readonly link_id: string | null;
  readonly address: string | null;
  readonly wrapped_key: string | null;
  readonly opened: string | number;
  readonly expires: string | number;
  readonly ends: string | number;
}

function liveSessionOf(row: LiveRow): LiveSession {
  const method = row.custom_account !== null ? "custom" : row.link_id === null ? "password" : "provider";
  return {
    digest: row.digest.toString("hex"),
    mode: row.mode,
    appKeyId: row.app_key_id,
    userId: objectIdOf(Number(row.user_id)),
    appNames: row.app_names,
    reservedNames: row.reserved_names ?? [],
    enrolling: row.enrolling,
    deviceId: row.device_id,
    method,
    customAccountId: row.custom_account,
    address: row.address,
    wrappedKey: row.wrapped_key,
    openedAt: Number(row.opened),
    expiresAt: Number(row.expires),
    endsAt: Number(row.ends),
  };
}

/** The statements that list sessions: by selection, and of those that match. */
export function listStatements(
  { channels, sessions }: { readonly channels: string; readonly sessions: string },
  {
    now,
    milliseconds,
    other,
    named,
    types = {},
  }: {
    readonly now: string;
    readonly milliseconds: (time: string) => string;
    /** Compares the digest with a parameter that can be null. */
    readonly other: string;
    /** Whether a session has the app name of the sixth parameter. */
    readonly named: string;
    /** Casts of parameters by column. */
    readonly types?: Readonly<Record<string, string>>;
  },
): Pick<SessionStatements, "page" | "matching"> {
  const columns =
    "digest, mode, app_key_id, user_id, app_names, reserved_names, enrolling, device_id, custom_account, link_id, address, wrapped_key";
  const times = ["opened", "expires", "ends"].map((time) => `${milliseconds(`${time}_at`)} as ${time}`).join(", ");
  const parameter = (number: number, column: string) => `$${number}${types[column] ?? ""}`;
  const text = (condition: string) =>
    `select ${columns}, ${times} from ${sessions} left join ${channels} on session = digest
      where digest > ${parameter(1, "digest")} and expires_at > ${now}${condition}
      order by digest limit ${parameter(2, "limit")}`;
  const listed = (name: string, column: string) =>
    statement(`session_page_${name}`, text(` and ${column} = ${parameter(4, column)} and ${other}`));
  const matches = [
    [parameter(4, "user_id"), `user_id = ${parameter(4, "user_id")}`],
    [parameter(5, "device_id"), `device_id = ${parameter(5, "device_id")}`],
    [parameter(6, "app_name"), named],
  ].map(([value, condition]) => ` and (${value} is null or ${condition})`);
  return {
    page: {
      all: statement("session_page_all", text("")),
      one: listed("one", "digest"),
      user: listed("user", "user_id"),
      link: listed("link", "link_id"),
      customAccount: listed("custom", "custom_account"),
    },
    matching: text(matches.join("")),
  };
}

interface Ended {
  readonly live: string | number;
}

function listOrNull(list: readonly unknown[] | undefined): string | null {
  return list === undefined || list.length === 0 ? null : JSON.stringify(list);
}

/** The sum of counts, which an engine can return in several rows. */
function sumOf(counts: readonly (string | number)[]): number {
  return counts.reduce<number>((sum, count) => sum + Number(count), 0);
}

type AppNameOutcome = Awaited<ReturnType<SessionRepository["changeAppNames"]>>;

/** Deletes at most `limit` locks of ended sessions. Returns their number. */
type SweepLocks = (sql: SqlRunner, limit: number) => Promise<number>;

export interface SessionStatements {
  /**
   * 1 digest, 2 mode, 3 app key, 4 user, 5 app names, 6 device, 7 idle time-out, 8 absolute lifetime, 9 clock offset,
   * 10 secret version. Limits: 11 of the database, 12 of the user (0: none), 17 of the device. Dependencies, each or null:
   * 13 custom account, 14 its secret version, 15 link record, 16 its birth. 18 seat limits and 19 basis, as JSON or null.
   * 20 address or null.
   */
  readonly open: Statement;
  /** Open a session and its channel. Also: 21 wrapped key, 22 prefix. */
  readonly openSecure: readonly Statement[];
  /** Makes the openings on a basis wait until the transaction ends. */
  readonly lockRules: Statement;
  /** Text of a query, planned for its values: 1 to 3 as in `page`; filters, each or null: 4 user id, 5 device, 6 app name. Returns `LiveRow`s. */
  readonly matching: string;
  /** 1 digests in hexadecimal digits, 2 clock offset. Returns the same as `endOne`. */
  readonly endListed: Statement;
  /** 1 digest, 2 clock offset. Returns the number of `live` ones, in any number of rows. */
  readonly endOne: Statement;
  /** 1 user id, 2 clock offset, 3 digest to keep or null. Returns the same as `endOne`. */
  readonly endAllOfUser: Statement;
  /** 1 custom account id, 2 and 3 as in `endAllOfUser`. */
  readonly endAllOfCustomAccount: Statement;
  /** 1 link record id, 2 and 3 as in `endAllOfUser`. */
  readonly endAllOfLink: Statement;
  /** 1 digest, 2 clock offset, 3 secret version. */
  readonly renew: Statement;
  /** 1 digest, 2 names to reserve, 3 their seat limits, 4 names to release, as JSON or null, 5 clock offset, 6 basis as JSON or null. Returns the `outcome`. */
  readonly changeAppNames: Statement;
  /**
   * 1 digest to continue after, 2 limit, 3 clock offset. All but `all`: 4 value of the selection, 5 digest to leave out or
   * null. Returns `LiveRow`s.
   */
  readonly page: Readonly<Record<"all" | "one" | "user" | "link" | "customAccount", Statement>>;
  /** Of `all` sessions: 1 clock offset. Of the `seats` of an app name: also 2 app name, 3 kind of the seats. */
  readonly count: Readonly<Record<"number" | "bound", Readonly<Record<"all" | "seats", Statement>>>>;
  /** 1 limit, 2 clock offset. Returns the number of `all` swept ones, in any number of rows. */
  readonly sweep: Statement;
}

/** The tables that count seats. */
interface SeatTables {
  readonly seatCounts: string;
  readonly sessionCounts: string;
}

/** The number of openings and reservations so far, as a query. */
export function openings({ sessionCounts }: Pick<SeatTables, "sessionCounts">): string {
  return `(select sum(opened) from ${sessionCounts})`;
}

/** The upper bound of the taken seats of an app name, as an expression; null before its first count. */
export function seatBound(
  tables: SeatTables,
  { name, kind }: { readonly name: string; readonly kind: string },
): string {
  return `(select taken - opened from ${tables.seatCounts} where app_name = ${name} and kind = ${kind}) + ${openings(tables)}`;
}
