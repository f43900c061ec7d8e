import {
  type Admission,
  type AdmissionRepository,
  type AppKey,
  type Digest,
  type AuthenticationMethod,
  type IdentityLink,
  objectIdOf,
  passwordAuthentication,
  type Principal,
  type RecordValue,
  type Session,
  type SessionMode,
  touchInterval,
} from "@sallyport/core";
import { settingsOf, type SettingsRow } from "./knex-settings-repository.ts";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export const knexAdmissionRepository = (
  sql: SqlRunner,
  statements: AdmissionStatements,
  offset: () => number,
): AdmissionRepository => ({
  async admit({ appKey, session, mode = "session", idleTimeout, lock = false }) {
    const sessionDigest = bytesOf(session);
    const ahead = offset();
    const enough = idleTimeout - touchInterval(idleTimeout);
    // A statement of its own: the next one then sees what it waited for.
    if (lock) await sql.run(statements.lock, [sessionDigest]);
    const { rows } = await sql.run<AdmissionRow>(statements.admit[mode], [
      bytesOf(appKey),
      sessionDigest,
      ahead,
      enough,
    ]);
    // The settings table always has one row.
    const row = rows[0] as AdmissionRow;
    if (row.mode !== null && row.due) await sql.run(statements.touch, [sessionDigest, idleTimeout, ahead, enough]);
    return admissionOf(row);
  },

  async admitCallback(state) {
    const { rows } = await sql.run<CallbackRow>(statements.admitCallback, [state, offset()]);
    const row = rows[0] as CallbackRow;
    return { ...settingsOf(row), appKey: appKeyOf(row), state: row.payload };
  },
});

function bytesOf(digest: Digest | null): Buffer | null {
  return digest === null ? null : Buffer.from(digest, "hex");
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

function admissionOf(row: AdmissionRow): Admission {
  const found = row.mode !== null;
  return {
    ...settingsOf(row),
    appKey: appKeyOf(row),
    session: found ? sessionOf(row) : null,
    principal: found ? principalOf(row) : null,
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
  /** 1 app key digest, 2 session digest, 3 clock offset, 4 minimum remaining lifetime that needs no extension. */
  readonly admit: { readonly [mode in SessionMode]: Statement };
  /** 1 session digest. Locks the session against its end until the transaction ends. */
  readonly lock: Statement;
  /** 1 session digest, 2 idle time-out, 3 clock offset, 4 as in `admit`. */
  readonly touch: Statement;
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
  readonly due: boolean;
  /** Secure sessions only. */
  readonly wrapped_key?: string;
  readonly iv_prefix: Buffer;
  readonly administrator: boolean;
  readonly groups: unknown;
}
