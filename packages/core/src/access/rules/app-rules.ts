import { type Digest, type PageRequest, ServiceError } from "@sallyport/storage";
import { type AdministrationContext, changesBetween } from "../../request/index.ts";
import { requireApplications } from "../appkeys/create-application.ts";
import { type AppRule, type AppRules, appRulesKind } from "./access-rules.ts";
import { acceptReason } from "./bans.ts";
import { type AppliedRule, applyRuleChange } from "./apply-rule-change.ts";
import {
  type NamedSubject,
  requireSubject,
  type RuleSubject,
  sessionsOf,
  type ShownSubject,
  showSubjects,
  subjectId,
  subjectOwner,
} from "./rule-subjects.ts";

export interface SetAppRuleInput extends NamedSubject {
  readonly app: string;
  /** `null` removes the rule of the subject. */
  readonly access: AppRule["access"] | null;
  readonly reason: string;
  /** Returns the sessions that the change would end, and writes nothing. */
  readonly rehearse?: boolean;
  /** The session of the administrator, which the change must not end: 307. */
  readonly own?: Digest;
}

/**
 * Allows or forbids an app name for a user, a device, a user on a device, a group, or everyone, and ends the sessions
 * that have the name and may no longer have it. Unknown app name: 208. Unknown user, group or rule: 304. A group with a
 * user or a device, a reason that is too long, or a rule that excludes the last administrator: 307.
 */
export async function setAppRule(
  context: AdministrationContext,
  { app, access, reason: reasonText, rehearse = false, own, ...named }: SetAppRuleInput,
): Promise<AppliedRule> {
  const { database, r: outside, eventOf } = context;
  const reason = acceptReason(reasonText);
  await requireApplications(outside, [app]);
  const subject = await requireSubject(outside, named);
  const id = subjectId(subject, database.digests);
  const ended = await applyRuleChange(context, {
    matching: { ...sessionsOf(subject), appName: app },
    rehearse,
    own,
    guardsAdministrators: access !== "allow" && !("deviceId" in subject),
    change: async (r) => {
      const [current] = await r.records.get(appRulesKind, [id]);
      const others = current?.value.rules.filter((rule) => rule.app !== app) ?? [];
      if (access === null && others.length === (current?.value.rules.length ?? 0))
        throw new ServiceError(304, { detail: `There is no such rule about "${app}".` });
      const rules = access === null ? others : [...others, { app, access, reason }];
      // The lock of the rules keeps other changes out.
      if (rules.length === 0) await r.records.remove(appRulesKind, { ids: [id] });
      else await r.records.put(appRulesKind, id, ruleRecord(subject, rules), { owner: subjectOwner(subject) });
      const subjectUser = "userId" in subject ? subject.userId : null;
      const former = current?.value.rules.find((rule) => rule.app === app);
      const changes = changesBetween(
        { rule: former === undefined ? null : { ...subject, access: former.access, reason: former.reason } },
        { rule: access === null ? null : { ...subject, access, reason } },
      );
      const type = eventTypes[access ?? "none"];
      await r.audit.append(eventOf({ type, appNames: [app], subjectId: subjectUser, changes }));
    },
  });
  return { ...ended, id };
}

const eventTypes = { allow: "appRule.allowed", forbid: "appRule.forbidden", none: "appRule.removed" } as const;

function ruleRecord(subject: RuleSubject, rules: readonly AppRule[]): AppRules {
  return { subject, rules: rules.toSorted((one, other) => (one.app < other.app ? -1 : 1)) };
}

export interface ListedAppRules extends ShownSubject {
  readonly id: string;
  readonly rules: readonly AppRule[];
}

/** Lists the rules of at most `limit` subjects after an id. */
export async function listAppRules(
  { r }: Pick<AdministrationContext, "r">,
  page: PageRequest,
): Promise<ListedAppRules[]> {
  const listed = await r.records.list(appRulesKind, page);
  const shown = await showSubjects(
    r,
    listed.map(({ value }) => value.subject),
  );
  return listed.flatMap(({ id, value: { rules } }, index) => {
    const subject = shown[index];
    return subject === undefined ? [] : [{ ...subject, id, rules }];
  });
}
