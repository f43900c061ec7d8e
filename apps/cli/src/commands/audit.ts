import { type AuditedChangeData, type AuditEventData, auditEventTypes } from "@sallyport/client/admin";
import { CommandError, hintFor } from "../failures.ts";
import { findUser } from "../find.ts";
import type { CommandInput, Noun } from "../admin-command.ts";
import { everyItem, listed, type Outcome, timeText } from "../outcome.ts";

const dayMilliseconds = 86_400_000;

/** The type with this name; `undefined` for all types. Throws for an unknown name. */
function typeNamed(word: string | undefined): AuditEventData["type"] | undefined {
  if (word === undefined) return undefined;
  const type = auditEventTypes.find((each) => each === word);
  if (type !== undefined) return type;
  const hint = hintFor(word, auditEventTypes);
  throw new CommandError(`There is no type "${word}".${hint} "sallyport audit list --help" lists the types.`);
}

/** The things that an event is about: app names, class, macro and provider. */
function thingsText({ appNames, className, macroName, providerName }: AuditEventData): string {
  return [...appNames, className, macroName, providerName].filter((each) => each !== null).join(", ") || "none";
}

/** The types by their first word, for the help. */
function typesText(): string {
  const groups = new Map<string, string[]>();
  for (const type of auditEventTypes) {
    const group = type.slice(0, type.indexOf("."));
    groups.set(group, [...(groups.get(group) ?? []), type.slice(group.length + 1)]);
  }
  return ["Types:", ...Array.from(groups, ([group, ends]) => `  ${group}. ${ends.join(" ")}`)].join("\n");
}

async function listEvents(input: CommandInput): Promise<Outcome> {
  const { admin } = input;
  const idOf = async (name: string | undefined) =>
    name === undefined ? undefined : (await findUser(admin, name)).userId;
  const conditions = {
    type: typeNamed(input.text("type")),
    subject: await idOf(input.text("user")),
    actor: await idOf(input.text("by")),
    since: input.time("since", "past") ?? new Date(Date.now() - dayMilliseconds),
    until: input.time("until", "past"),
  };
  const address = input.text("address");
  const events = await everyItem(
    "events",
    (page) => admin.audit.read({ ...page, ...conditions }),
    (event) => address === undefined || event.address === address,
  );
  if (input.flag("byAddress")) return listAddresses(events);
  const names = await namesIn(input, events);
  const nameOf = (id: string | null) => (id === null ? "none" : (names.get(id) ?? id));
  return listed(
    "events",
    events,
    {
      AT: { whole: ({ at }) => timeText(at) },
      TYPE: ({ type }) => type,
      CODE: ({ outcome }) => String(outcome),
      USER: ({ subjectId }) => nameOf(subjectId),
      // The operator and the server itself act outside of requests.
      BY: ({ actorId, requestId }) => (actorId === null && requestId === "" ? "system" : nameOf(actorId)),
      ABOUT: thingsText,
      ADDRESS: { whole: (event) => event.address },
    },
    (event) => changesOf(event).map((change) => changeText(change, nameOf)),
  );
}

/** The names of users by id, and of groups if an event has changes. */
async function namesIn(
  { admin }: CommandInput,
  events: readonly AuditEventData[],
): Promise<ReadonlyMap<string, string>> {
  if (events.length === 0) return new Map();
  const users = await everyItem("users", (page) => admin.users.list(page));
  const groups = events.some((event) => changesOf(event).length > 0)
    ? await everyItem("groups", (page) => admin.groups.list(page))
    : [];
  return new Map([
    ...users.map(({ userId, name }) => [userId, name] as const),
    ...groups.map(({ groupId, name }) => [groupId, name] as const),
  ]);
}

/** Servers of earlier versions send no changes. */
function changesOf({ changes = [] }: Partial<Pick<AuditEventData, "changes">>): AuditEventData["changes"] {
  return changes;
}

type NameOf = (id: string) => string;

/** Name of the last change of an event that has more changes than it can store. */
const furtherChanges = "…";

/** A change, such as `rights.read: Sales → Sales, Support`. */
function changeText({ name, before, after }: AuditedChangeData, nameOf: NameOf): string {
  if (name === furtherChanges) return name;
  const textOf = (value: unknown) => valueText(name, value, nameOf) || "none";
  return `${name}: ${textOf(before)} → ${textOf(after)}`;
}

/** The value of a property, with names in place of ids. */
function valueText(property: string, value: unknown, nameOf: NameOf): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.map((each) => valueText(property, each, nameOf)).join(", ");
  if (typeof value !== "object") return holdsIds(property) ? nameOf(String(value)) : String(value);
  const members = Object.entries(value as object).filter(([, each]) => each !== null && each !== "");
  return members.map(([member, each]) => `${member} ${valueText(member, each, nameOf)}`).join(", ");
}

/** Whether the values of a property are ids of users and groups. A property that this does not list is shown with ids. */
function holdsIds(property: string): boolean {
  return /^(?:rights\..+|groups|groupId|userId|defaultUserId)$/.test(property);
}

/** The addresses of the events, the busiest first. An event can stand for several attempts. */
function listAddresses(events: readonly AuditEventData[]): Outcome {
  const addresses = new Map<string, AuditEventData[]>();
  for (const event of events) {
    const earlier = addresses.get(event.address);
    if (earlier === undefined) addresses.set(event.address, [event]);
    else earlier.push(event);
  }
  const rows = Array.from(addresses, ([address, group]) => ({
    address,
    events: group.length,
    attempts: group.reduce((sum, { attempts }) => sum + attempts, 0),
    last: group.at(-1)?.at ?? null,
  }));
  const sorted = rows.toSorted((a, b) => b.attempts - a.attempts);
  return listed("addresses", sorted, {
    ADDRESS: ({ address }) => address,
    ATTEMPTS: ({ attempts }) => String(attempts),
    EVENTS: (row) => String(row.events),
    LAST: { whole: ({ last }) => timeText(last) },
  });
}

export const auditNoun: Noun = {
  name: "audit",
  description: "read the audit",
  examples: [
    ["See addresses that guess passwords", "sallyport audit list --type login.refused --since 2h --by-address"],
    ["See whose password such an address knows", "sallyport audit list --address 203.0.113.7 --type login.accepted"],
    ["Change such a password, and end the sessions of its user", "sallyport user set-password bob"],
    ["Keep it out permanently; the lockout only delays its log-ins", "sallyport ban add --address 203.0.113.7"],
    ["See who changed a user", "sallyport audit list --user bob --since 30d"],
  ],
  commands: [
    {
      name: "audit list",
      description: "list audited events and their changes, the oldest first; --json has the request ids",
      options: [
        ["--type <type>", "only events of this type, such as login.refused or account.disabled"],
        ["--user <name>", "only events about this user"],
        ["--by <name>", "only events of this acting user"],
        ["--since <time|duration>", "only events since then: 30m, 2h, 7d, 18:00 or a time (default: 24h)"],
        ["--until <time|duration>", "only events before then"],
        ["--address <address>", "only events from this network address"],
        ["--by-address", "count the events of each address"],
      ],
      details: typesText(),
      call: listEvents,
    },
  ],
};
