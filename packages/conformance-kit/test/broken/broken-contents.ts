import { type Repositories, seesAll } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** Replaces lone surrogates and drops zero characters, as many databases do. */
function mangled(text: string): string {
  return text.replaceAll("\0", "").replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

function mangledDeep<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === "string" ? mangled(member) : member,
  ) as T;
}

function mangledNames<T>(value: T): T {
  const rename = (member: unknown): unknown =>
    typeof member !== "object" || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).map(([name, inner]) => [mangled(name), inner]));
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) => rename(member)) as T;
}

type Emptiness = (r: Repositories) => Promise<boolean>;

function emptyWhen(isEmpty: Emptiness) {
  return () => (r: Repositories) => ({ settings: { isEmpty: () => isEmpty(r) } });
}

/** Faults in stored texts and in the emptiness check. */
export const brokenContents: readonly BrokenAdapter[] = [
  broken("alters unstorable texts in objects", "refuses unstorable texts in objects at any depth", () => (r) => ({
    objects: { insert: (objects) => r.objects.insert(mangledDeep(objects)) },
  })),

  broken("alters unstorable attribute names", "refuses unstorable texts in objects at any depth", () => (r) => ({
    objects: { insert: (objects) => r.objects.insert(mangledNames(objects)) },
  })),

  broken(
    "treats an escape sequence as its character",
    "distinguishes unstorable texts from their escape sequences",
    () => (r) => ({
      objects: {
        insert: (objects) =>
          r.objects.insert(
            JSON.parse(JSON.stringify(objects), (_name, member: unknown) =>
              typeof member === "string" ? member.replaceAll("\\u0000", "") : member,
            ),
          ),
      },
    }),
  ),

  broken("alters unstorable names of accounts", "refuses unstorable texts in accounts", () => (r) => ({
    accounts: { create: (account, key) => r.accounts.create(mangledDeep(account), mangled(key)) },
  })),

  broken("alters unstorable texts in app keys", "refuses unstorable texts in app keys and app names", () => (r) => ({
    appKeys: { create: (appKey, digest) => r.appKeys.create(mangledDeep(appKey), digest) },
  })),

  broken("alters unstorable IDs of records", "refuses unstorable texts in app keys and app names", () => (r) => ({
    records: { put: (kind, id, value, options) => r.records.put(kind, mangled(id), mangledDeep(value), options) },
  })),

  broken("alters unstorable texts in sessions", "refuses unstorable texts in sessions", () => (r) => ({
    sessions: {
      open: (session, policy) =>
        r.sessions.open(
          { ...session, ...mangledDeep({ deviceId: session.deviceId, appNames: session.appNames }) },
          policy,
        ),
    },
  })),

  broken("alters unstorable texts in the model", "refuses unstorable texts in the model", () => (r) => ({
    model: { change: (delta, generation) => r.model.change(mangledDeep(delta), generation) },
  })),

  broken(
    "checks only objects for emptiness",
    [
      "reports a database with an app key as not empty",
      "reports a database with an account as not empty",
      "reports a database with a new class as not empty",
      "reports a database with a changed built-in class as not empty",
    ],
    emptyWhen(async ({ objects }) => (await objects.count({ classes: ["User", "File", "Unknown"] }, seesAll)) === 0),
  ),

  broken(
    "checks only objects of defined classes for emptiness",
    [
      "reports a database with an object of an undefined class as not empty",
      "reports a database with a restricted object as not empty",
    ],
    emptyWhen(async (r) => {
      const { generation, classes } = await r.model.load();
      const names = classes.map(({ name }) => name);
      return (
        generation === 1 && (await r.objects.count({ classes: names }, { classes: null, principals: new Set() })) === 0
      );
    }),
  ),

  broken(
    "checks only the model for emptiness",
    "reports a database with an object as not empty",
    emptyWhen(async ({ model }) => (await model.load()).generation === 1),
  ),

  broken(
    "never reports an empty database",
    [
      "reports a database with operational data only as empty",
      "shows a transaction its own writes in the emptiness check",
    ],
    emptyWhen(async () => false),
  ),

  broken("drops the settings generation", "reads settings as set", () => (r) => ({
    settings: { read: async () => ({ ...(await r.settings.read()), settingsGeneration: 0 }) },
  })),

  broken(
    "increases the settings generation once for concurrent calls",
    "increases the settings generation by one for each of several concurrent calls",
    () => {
      let raising: Promise<void> | null = null;
      return (r) => ({
        settings: {
          raise: () =>
            (raising ??= pause()
              .then(() => r.settings.raise())
              .finally(() => {
                raising = null;
              })),
        },
      });
    },
  ),
];
