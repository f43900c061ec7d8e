import { type Repositories, seesAll } from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

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
  return () => (r: Repositories) => ({ contents: { isEmpty: () => isEmpty(r) } });
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

  broken("stores other app names", "are refused in app keys and app names", () => (r) => ({
    applications: { create: (application) => r.applications.create(mangledDeep(application)) },
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
      "are not empty with an app key",
      "are not empty with an app name",
      "are not empty with an account",
      "are not empty with a macro",
      "are not empty with a macro that was removed",
      "are not empty with a class",
      "are not empty with a built-in class that was changed",
    ],
    emptyWhen(async ({ objects }) => (await objects.count({ classes: ["User", "File", "Unknown"] }, seesAll)) === 0),
  ),

  broken(
    "looks at objects of the classes that the model names",
    [
      "are not empty with an object of a class that the model does not name",
      "are not empty with an object that only some may read",
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
    "are not empty with an object",
    emptyWhen(async ({ model }) => (await model.load()).generation === 1),
  ),

  broken(
    "looks at the macros that are there",
    "are not empty with a macro that was removed",
    emptyWhen(
      async ({ contents, macros }) =>
        (await contents.isEmpty()) ||
        ((await macros.load()).macros.length === 0 && (await macros.load()).generation > 0),
    ),
  ),

  broken(
    "is never empty",
    ["stay empty with what is only recorded", "are seen as the transaction has them"],
    emptyWhen(async () => false),
  ),
];
