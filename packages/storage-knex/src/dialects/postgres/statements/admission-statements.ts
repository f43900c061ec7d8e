import type { SessionMode } from "@sallyport/core";
import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

export interface AdmissionStatements {
  /** 1 digest of the app key, 2 digest of the session, 3 offset of the clock, 4 least life left that needs no extension. */
  readonly admit: { readonly [mode in SessionMode]: Statement };
  /** 1 digest of the session, 2 idle time-out, 3 offset of the clock, 4 as above. */
  readonly touch: Statement;
}

/** One row always; what is unknown or not live is null in it. */
export interface AdmissionRow {
  readonly maintenance: boolean;
  readonly model_generation: string;
  readonly key_id: string | null;
  readonly key_name: string;
  readonly key_enabled: boolean;
  readonly key_app_names: string[] | null;
  readonly key_origins: string[];
  readonly mode: SessionMode | null;
  readonly user_id: string;
  readonly app_names: string[];
  readonly device_id: string | null;
  readonly due: boolean;
  /** Of secure sessions only. */
  readonly wrapped_key?: string;
  readonly iv_prefix: Buffer;
  readonly administrator: boolean;
  readonly groups: unknown;
}

export function admissionStatements(tables: Tables): AdmissionStatements {
  const now = storageTime(3);
  const due = `expires_at < ends_at and expires_at <= ${now} + $4::float8 * interval '1 millisecond'`;
  const admit = (mode: SessionMode, channel = { columns: "", join: "" }) =>
    statement(
      `admit_${mode}`,
      `select g.maintenance, g.model_generation,
        k.id as key_id, k.name as key_name, k.enabled as key_enabled, k.app_names as key_app_names, k.origins as key_origins,
        s.mode, s.user_id, s.app_names, s.device_id, s.due, a.administrator, u.attributes -> 'Groups' as groups${channel.columns}
      from ${tables.settings} g
      left join ${tables.appKeys} k on k.digest = $1::bytea
      left join (
        (select *, ${due} as due from ${tables.sessions}) s
        join ${tables.accounts} a on a.user_id = s.user_id and a.secret_version = s.secret_version and not a.disabled${channel.join}
      ) on s.digest = $2::bytea and s.mode = '${mode}' and s.app_key_id = k.id and s.expires_at > ${now}
      left join ${tables.objects} u on u.oid = a.user_id`,
    );
  return {
    admit: {
      session: admit("session"),
      token: admit("token"),
      secure: admit("secure", {
        columns: ", c.wrapped_key, c.iv_prefix",
        join: `\n        join ${tables.channels} c on c.session = s.digest`,
      }),
    },
    touch: statement(
      "touch",
      `update ${tables.sessions}
      set expires_at = least(ends_at, ${now} + $2::float8 * interval '1 millisecond')
      where digest = $1::bytea and expires_at > ${now} and ${due}`,
    ),
  };
}
