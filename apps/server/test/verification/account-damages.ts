import { confusableKeyOf, identityLinkKind, type RecordValue } from "@sallyport/storage";
import {
  administrationKeys,
  applicationKind,
  banKind,
  banTimerKind,
  currentMacroKind,
  deviceKind,
  keyRingKind,
  macroVersionKind,
  reservationOf,
  reservedNames,
  secondFactorKind,
  requestResultKind,
  changeResultKind,
  syncSchemaKind,
} from "@sallyport/core";
import { openSession } from "../open-session.ts";
import { byNewRecord, byRecord, bySql, type Damages, type Kept } from "./damage.ts";
import { digests, type Scene } from "./scene.ts";

const link = ({ records }: Scene) => records.link;
const ban = ({ records }: Scene) => records.ban;

const changed = (value: unknown, member: object) => ({ ...(value as object), ...member }) as RecordValue;

/** A value with another member. */
const withMember =
  (member: object) =>
  ({ value }: Kept) => ({ value: changed(value, member) });

/** A list with another member in each value. */
const withEach =
  (member: object) =>
  ({ value }: Kept) => ({
    value: (value as readonly RecordValue[]).map((each) => changed(each, member)),
  });

function factorOf(subject: string) {
  const value = { subject, appName: "demo-app", sealedSecret: "", confirmed: true, lastStep: 0, recoveryCodes: [] };
  return { id: `${subject} demo-app`, owner: subject, value };
}

let secure: string;

/** Damage of accounts, sessions, and the records that belong to them. */
export const accountDamages: Damages = [
  [
    bySql("an account of no user", {
      damage: ({ numbers }) =>
        `insert into accounts (user_id, login_name, confusable_key, secret, administrator) values (${numbers.ada}, 'x', 'x', 'x', false)`,
      repair: "delete from accounts where login_name = 'x'",
      finding: /^accounts: The account "x" belongs to \w+, which is not a user/,
    }),
  ],
  [
    bySql("an account without its protected name", {
      damage: "update accounts set confusable_key = 'other' where login_name = 'admin'",
      repair: `update accounts set confusable_key = '${confusableKeyOf("admin")}' where login_name = 'admin'`,
      finding: /^accounts: The account "admin" is not protected/,
    }),
  ],
  [
    bySql("a custom user of no account", {
      damage: ({ numbers }) => `update custom_accounts set user_id = ${numbers.user} where login_name = 'shopper'`,
      repair: ({ administrator }) =>
        `update custom_accounts set user_id = ${administrator} where login_name = 'shopper'`,
      finding: /^accounts: The custom user "shopper" acts as \w+, which has no account/,
    }),
  ],
  [
    byRecord("a linked account of another user", identityLinkKind, link, {
      change: withMember({ userId: "1" }),
      finding: /^identities: The record \w+ of the kind identityLink must be/,
    }),
    byRecord("a linked account under the id of another one", identityLinkKind, link, {
      change: withMember({ subject: "eve" }),
      finding: /^identities: The record \w+ of the kind identityLink must be/,
    }),
    byRecord("a linked account whose user has no account", identityLinkKind, link, {
      change: (kept, { ids }) => ({ ...withMember({ userId: ids.user })(kept), owner: `user:${ids.user}` }),
      finding: /^identities: The record \w+ of the kind identityLink belongs to user:\w+, which has no account/,
    }),
  ],
  [
    {
      about: "two linked accounts with one id",
      damage: async (scene) => {
        const [{ value, owner = null } = {}] = await scene.r.records.get(identityLinkKind, [link(scene)]);
        if (value !== undefined) await scene.r.records.put(identityLinkKind, "stray", value, { owner });
      },
      repair: ({ r }) => r.records.remove(identityLinkKind, { ids: ["stray"] }),
      finding: /^identities: Several linked accounts have the id \S+/,
    },
  ],
  [
    byNewRecord("a second factor of a custom user that is gone", secondFactorKind, {
      ...factorOf("custom:0"),
      finding: /^identities: The record custom:0 demo-app of the kind secondFactor belongs to custom:0/,
    }),
  ],
  [
    byNewRecord("a second factor of a linked account that is gone", secondFactorKind, {
      ...factorOf("link:0"),
      finding: /^identities: The record link:0 demo-app of the kind secondFactor belongs to link:0/,
    }),
  ],
  [
    byRecord("a second factor of another app name", secondFactorKind, ({ owner }) => `${owner} demo-app`, {
      change: withMember({ appName: "other" }),
      finding: /^identities: The record \S+ demo-app of the kind secondFactor must be/,
    }),
  ],
  [
    byRecord("a ban that does not end", banTimerKind, ban, {
      change: null,
      finding: /^rules: The ban of \S+ has no timer/,
    }),
    byRecord("a ban of another device", banKind, ban, {
      change: withMember({ subject: { kind: "device", deviceId: "found" } }),
      finding: /^rules: The record \S+ of the kind ban must be/,
    }),
  ],
  [
    byNewRecord("a ban of another form", banKind, {
      id: "stray",
      value: {},
      finding: /^records: The record stray of the kind ban has another form/,
    }),
  ],
  [
    byRecord("a device under another id", deviceKind, ({ records }) => records.device, {
      change: withMember({ deviceId: "other" }),
      finding: /^rules: The record \S+ of the kind device must be/,
    }),
  ],
  [
    byRecord("an app name under another one", applicationKind, () => "limited", {
      change: withMember({ name: "other" }),
      finding: /^seats: The record limited of the kind application must be/,
    }),
  ],
  [
    byNewRecord("an administration key of no app key", administrationKeys, {
      id: "stray",
      value: true,
      finding: /^keys: The administration key "stray" is unknown/,
    }),
  ],
  [
    byRecord("a macro that is not its latest version", currentMacroKind, () => "Verified", {
      change: withMember({ version: 1 }),
      finding: /^macros: The current macro Verified is not its latest version, 2/,
    }),
    byRecord("a macro without its current version", currentMacroKind, () => "Verified", {
      change: null,
      finding: /^macros: The current macro Verified is not its latest version, 2/,
    }),
  ],
  [
    byNewRecord("a macro without a version", currentMacroKind, {
      id: "Stray",
      value: { name: "Stray", version: 1 },
      finding: /^macros: The macro Stray has no version/,
    }),
  ],
  [
    byNewRecord("a version of another macro", macroVersionKind, {
      id: "Verified 0",
      value: { name: "Other", version: 1, text: null },
      finding: /^macros: The record Verified 0 of the kind macroVersion must be/,
    }),
  ],
  [
    byRecord("two current keys", keyRingKind, () => "verified", {
      change: withEach({ acceptedUntil: null }),
      finding: /^keys: The first key of verified is not the only current one/,
    }),
    byRecord("two keys with one id", keyRingKind, () => "verified", {
      change: withEach({ keyId: "1" }),
      finding: /^keys: Several keys of verified have the same id/,
    }),
  ],
  [requestResultKind, changeResultKind].flatMap((kind) => [
    byRecord(`a ${kind} of an unknown object`, kind, () => "verified", {
      change: withMember({ outcome: { objectId: "ZZZZZZZZ", version: 1 } }),
      finding: /^results: The record verified of the kind \w+ has written ZZZZZZZZ, which is unknown/,
    }),
    byRecord(`a ${kind} whose write is lost`, kind, () => "verified", {
      change: (kept, { ids }) => withMember({ outcome: { objectId: ids.ada, version: 9 } })(kept),
      finding:
        /^results: The record verified of the kind \w+ has written the version 9 of \w+, which has the version 1/,
    }),
  ]),
  [
    byNewRecord("a schema of another form", syncSchemaKind, {
      id: "Stray",
      value: {},
      finding: /^synchronization: The record of the schema Stray is none/,
    }),
  ],
  [
    byRecord("a user whose name is not reserved", reservedNames, () => reservationOf("Verified user", digests), {
      change: null,
      finding: /^names: The name of the user \w+ is not reserved/,
    }),
  ],
  [
    byNewRecord("a name that is reserved for no one", reservedNames, {
      id: "stray",
      value: "ZZZZZZZZ",
      owner: "object:ZZZZZZZZ",
      finding: /^names: A user name is reserved for ZZZZZZZZ, which does not have it/,
    }),
  ],
  [
    bySql("a bound of seats below those taken", {
      damage: "update seat_counts set taken = taken - 1000 where app_name = 'counted'",
      repair: "update seat_counts set taken = taken + 1000 where app_name = 'counted'",
      finding: /^seats: The upper bound of the seats of "counted" is -\d+ instead of 1/,
    }),
  ],
  [
    bySql("a bound of sessions below their number", {
      damage: "update session_counts set sessions = sessions - 1000",
      repair: "update session_counts set sessions = sessions + 1000",
      finding: /^seats: The upper bound of the sessions is -\d+ instead of \d+/,
      on: ["Postgres", "embedded"],
    }),
  ],
  [
    bySql("a session without the names that it has", {
      damage:
        "create table kept_names as select * from session_names; delete from session_names where app_name = 'demo-app'",
      repair: "insert ignore into session_names select * from kept_names; drop table kept_names",
      finding: /^seats: The count of taken seats of the app name "demo-app" is \d+ instead of \d+/,
      on: ["MariaDB"],
    }),
  ],
  [
    bySql("an audit event above the highest number", {
      damage: `insert into audit (sequence, at, type, request_id, outcome, app_key_id, address, app_names)
        overriding system value values (4000000000, now(), 'login', 'above', 0, 'above', 'above', '[]')`,
      repair: "delete from audit where request_id = 'above'",
      finding: /^audit: The audit event 4000000000 is above the highest number, \d+/,
      // MariaDB raises the number by itself.
      on: ["Postgres", "embedded"],
    }),
  ],
  [
    {
      about: "a secure session without its channel",
      damage: async ({ server, sql, r }) => {
        const before = new Set((await r.sessions.list({ after: null, limit: 500 })).map(({ digest }) => digest));
        await openSession(server, "secure", "demo");
        const opened = await r.sessions.list({ after: null, limit: 500 });
        secure = opened.find(({ digest }) => !before.has(digest))?.digest ?? "";
        await sql("delete from channels");
      },
      repair: ({ r }) => r.sessions.end({ digest: secure }),
      finding: /^sessions: The session \w+ of the mode secure has no channel/,
    },
  ],
];
