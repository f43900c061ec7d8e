import { type Repositories, seesAll } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** Half pairs become another character, as they do on their way to many a database; zero characters vanish. */
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

/** Faults in what can be stored, and in what counts as an empty database. */
export const brokenContents: readonly BrokenAdapter[] = [
  broken("stores other texts than it was given", "are refused in objects, at whatever depth", () => (r) => ({
    objects: { insert: (objects) => r.objects.insert(mangledDeep(objects)) },
  })),

  broken("stores other names than it was given", "are refused in objects, at whatever depth", () => (r) => ({
    objects: { insert: (objects) => r.objects.insert(mangledNames(objects)) },
  })),

  broken(
    "takes the spelling of a character for the character",
    "are told from texts that only spell them",
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

  broken("stores other names of accounts", "are refused in accounts", () => (r) => ({
    accounts: { create: (account, key) => r.accounts.create(mangledDeep(account), mangled(key)) },
  })),

  broken("stores other app keys", "are refused in app keys and app names", () => (r) => ({
    appKeys: { create: (appKey, digest) => r.appKeys.create(mangledDeep(appKey), digest) },
  })),

  broken("stores other ids of records", "are refused in app keys and app names", () => (r) => ({
    records: { put: (kind, id, value, options) => r.records.put(kind, mangled(id), mangledDeep(value), options) },
  })),

  broken("stores other sessions", "are refused in sessions", () => (r) => ({
    sessions: {
      open: (session, policy) =>
        r.sessions.open(
          { ...session, ...mangledDeep({ deviceId: session.deviceId, appNames: session.appNames }) },
          policy,
        ),
    },
  })),

  broken("stores another model", "are refused in the model", () => (r) => ({
    model: { change: (delta, generation) => r.model.change(mangledDeep(delta), generation) },
  })),

  broken(
    "looks at objects alone",
    [
      "are not of an empty database with an app key",
      "are not of an empty database with an account",
      "are not of an empty database with a class",
      "are not of an empty database with a built-in class that was changed",
    ],
    emptyWhen(async ({ objects }) => (await objects.count({ classes: ["User", "File", "Unknown"] }, seesAll)) === 0),
  ),

  broken(
    "looks at objects of the classes that the model names",
    [
      "are not of an empty database with an object of a class that the model does not name",
      "are not of an empty database with an object that only some may read",
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
    "looks at the model alone",
    "are not of an empty database with an object",
    emptyWhen(async ({ model }) => (await model.load()).generation === 1),
  ),

  broken(
    "is never empty",
    ["are of an empty database with what is only recorded", "tell a transaction of what it has put in"],
    emptyWhen(async () => false),
  ),

  broken("forgets what the macros are at", "are read as they were set", () => (r) => ({
    settings: { read: async () => ({ ...(await r.settings.read()), macroGeneration: 0 }) },
  })),

  broken(
    "raises the generation of macros only once at a time",
    "raise the generation of macros by one for each, however many raise it at once",
    () => {
      let raising: Promise<void> | null = null;
      return (r) => ({
        settings: {
          raiseMacroGeneration: () =>
            (raising ??= pause()
              .then(() => r.settings.raiseMacroGeneration())
              .finally(() => {
                raising = null;
              })),
        },
      });
    },
  ),
];
