import type { SessionMode } from "@sallyport/storage";
import { statement } from "../../../sql-runner.ts";
import type { AdmissionStatements } from "../../../sql-admission-repository.ts";
import type { Tables } from "../tables.ts";
import { addMilliseconds, storageTime } from "../expressions.ts";

/** Renewals as a table. */
const listed =
  "json_table($1, '$[*]' columns (digest char(64) path '$.digest', lifetime double path '$.lifetime', due double path '$.due')) listed";

export function admissionStatements(tables: Tables): AdmissionStatements {
  const now = storageTime(3);
  const due = (s: string) => `(${s}.expires_at < ${s}.ends_at and ${s}.expires_at <= ${addMilliseconds(now, "$4")})`;
  // A subquery by primary key: in a join the engine could choose the index by birth.
  const linkValue = `(select case when il.born = s.link_born and il.expires_at > ${now} then il.value end
        from ${tables.records} il where il.kind = 'identityLink' and il.id = s.link_id)`;
  const ofCustomAccount = `from ${tables.customAccounts} ca where ca.id = s.custom_account and ca.secret_version = s.custom_version and not ca.disabled`;
  // Not a join, so that password sessions never read these tables in any plan.
  const link = `s.link_id, s.link_born, case when s.link_id is not null then ${linkValue} end as link_value`;
  const isAuthenticated = `(s.custom_account is null or exists (select 1 ${ofCustomAccount}))
          and (s.link_id is null or ${linkValue} is not null)`;
  const settings = `g.maintenance, g.model_generation, g.macro_generation,
        k.id as key_id, k.name as key_name, k.enabled as key_enabled, k.app_names as key_app_names, k.origins as key_origins,
        k.return_addresses as key_return_addresses`;
  const ofKey = `from ${tables.settings} g
      left join ${tables.appKeys} k on k.digest = $1`;
  const admit = (mode: SessionMode, channel = { columns: "", join: "" }) =>
    statement(
      `admit_${mode}`,
      `select ${settings},
        s.mode, s.user_id, s.app_names, s.reserved_names, s.enrolling, s.device_id, s.custom_account, s.custom_version, ${link}, case when ${due("s")} then timestampdiff(microsecond, ${now}, s.expires_at) / 1000 end as remaining, a.administrator,
        json_extract(u.attributes, '$.Groups') as \`groups\`${channel.columns}
      ${ofKey}
      left join (
        ${tables.sessions} s
        join ${tables.accounts} a on a.user_id = s.user_id and a.secret_version = s.secret_version and not a.disabled${channel.join}
      ) on s.digest = $2 and s.mode = '${mode}' and s.app_key_id = k.id and s.expires_at > ${now}
        and ${isAuthenticated}
      left join ${tables.objects} u on u.oid = a.user_id`,
    );
  return {
    admitKey: statement("admit_key", `select ${settings}, null as mode ${ofKey}`),
    admit: {
      session: admit("session"),
      token: admit("token"),
      secure: admit("secure", {
        columns: ", c.wrapped_key, c.iv_prefix",
        join: `\n        join ${tables.channels} c on c.session = s.digest`,
      }),
    },
    // A shared lock could not become that of an extension while others have it.
    lock: statement("lock_session", `select 1 from ${tables.sessions} s where s.digest = $1 for update`),
    touch: statement(
      "touch",
      `update ${tables.sessions} s set s.expires_at = least(s.ends_at, ${addMilliseconds(now, "$2")})
      where s.digest = $1 and s.expires_at > ${now} and ${due("s")}`,
    ),
    renew: statement(
      "renew_sessions",
      `update ${tables.sessions} s join ${listed} on s.digest = unhex(listed.digest)
      set s.expires_at = least(s.ends_at, ${addMilliseconds(storageTime(2), "listed.lifetime")})`,
    ),
    lockDue: statement(
      "lock_due_sessions",
      `select listed.digest from ${listed} straight_join ${tables.sessions} s on s.digest = unhex(listed.digest)
      where s.expires_at > ${storageTime(2)} and s.expires_at < s.ends_at
        and s.expires_at <= ${addMilliseconds(storageTime(2), "listed.due")}
      for update skip locked`,
    ),
    admitCallback: statement("admit_callback", `call ${tables.admitCallback}($1, $2)`),
  };
}
