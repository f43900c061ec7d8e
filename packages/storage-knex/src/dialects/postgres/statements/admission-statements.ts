import type { SessionMode } from "@sallyport/core";
import { briefStatement, statement } from "../../../statement.ts";
import type { AdmissionStatements } from "../../../statements/admission-statements.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

export function admissionStatements(tables: Tables): AdmissionStatements {
  const now = storageTime(3);
  const due = `expires_at < ends_at and expires_at <= ${now} + $4::float8 * interval '1 millisecond'`;
  const ofLink = `from ${tables.identityLinks} il where il.id = s.identity_link`;
  const ofCustomAccount = `from ${tables.customAccounts} ca where ca.id = s.custom_account and ca.secret_version = s.custom_version and not ca.disabled`;
  // Not joined, so that sessions by password never look into these tables, whatever plan there is.
  const shared = `case when s.identity_link is not null then (select il.shared ${ofLink}) end as shared`;
  const holds = `(s.custom_account is null or exists (select ${ofCustomAccount}))
          and (s.identity_link is null or exists (select ${ofLink}))`;
  const settings = "g.maintenance, g.model_generation, g.macro_generation";
  const appKey = `k.id as key_id, k.name as key_name, k.enabled as key_enabled, k.app_names as key_app_names, k.origins as key_origins,
        k.return_addresses as key_return_addresses`;
  const admit = (mode: SessionMode, channel = { columns: "", join: "" }) =>
    briefStatement(
      `admit_${mode}`,
      `select ${settings}, ${appKey},
        s.mode, s.user_id, s.app_names, s.device_id, s.custom_account, s.custom_version, s.identity_link, ${shared}, s.due, a.administrator, u.attributes -> 'Groups' as groups${channel.columns}
      from ${tables.settings} g
      left join ${tables.appKeys} k on k.digest = $1::bytea
      left join (
        (select *, ${due} as due from ${tables.sessions}) s
        join ${tables.accounts} a on a.user_id = s.user_id and a.secret_version = s.secret_version and not a.disabled${channel.join}
      ) on s.digest = $2::bytea and s.mode = '${mode}' and s.app_key_id = k.id and s.expires_at > ${now}
        and ${holds}
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
    admitReturn: statement(
      "admit_return",
      `with spent as (
        delete from ${tables.oneTimeSecrets}
        where kind = 'providerState' and digest = $1::bytea and expires_at > ${storageTime(2)} and not (select maintenance from ${tables.settings})
        returning payload
      )
      select ${settings}, ${appKey}, spent.payload
      from ${tables.settings} g left join spent on true left join ${tables.appKeys} k on k.digest = ${namedKey}`,
    ),
  };
}

/** Of what a state stands for; what is no digest is nobody's. */
const namedKey = `case when spent.payload ->> 'appKey' ~ '^[0-9a-f]{64}$' then decode(spent.payload ->> 'appKey', 'hex') end`;
