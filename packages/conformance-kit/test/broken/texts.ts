import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, type Create, type Fault, withFaults } from "./broken-adapter.ts";

/** Applies a function to every text of an argument, except names of members. */
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (value instanceof Set) return new Set([...value].map((each) => mapped(each, change)));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapped(member, change)]));
}

/** A memory storage that gets every text of every call in another form. */
function changing(makeChange: () => (text: string) => string): Create {
  return (options) => {
    const storage = new MemoryStorage(options);
    const change = makeChange();
    const around = <R extends object>(r: R): R =>
      Object.fromEntries(
        Object.entries(r).map(([name, repository]) => [
          name,
          new Proxy(repository as object, {
            get: (target, method) => {
              const call = Reflect.get(target, method) as (...args: unknown[]) => unknown;
              return (...args: unknown[]) => Reflect.apply(call, target, mapped(args, change) as unknown[]);
            },
          }),
        ]),
      ) as R;
    return brokenStorage(storage, {
      repositories: around(storage.repositories),
      transaction: (work) => storage.transaction((r, attempt) => work(around(r), attempt)),
      batch: (work) => storage.batch((r) => work(around(r))),
    });
  };
}

/** A memory storage that takes texts of the same form for equal: the first one stands for all of them. */
function confusing(form: (text: string) => string): Create {
  return changing(() => {
    const first = new Map<string, string>();
    return (text) => {
      const known = first.get(form(text)) ?? text;
      first.set(form(text), known);
      return known;
    };
  });
}

/** A memory storage that lists accounts, app keys and records in another order of texts. */
function ordering(compare: (one: string, other: string) => number): Create {
  const page = <T>(all: readonly T[], textOf: (each: T) => string, after: string | null, limit: number): T[] =>
    all
      .filter((each) => after === null || compare(textOf(each), after) > 0)
      .toSorted((one, other) => compare(textOf(one), textOf(other)))
      .slice(0, limit);
  const fault: Fault = ({ accounts, appKeys, records }) => ({
    accounts: {
      list: async (realm, after, limit) =>
        page(await accounts.list(realm, null, 10_000), ({ loginName }) => loginName, after, limit),
    },
    appKeys: {
      list: async (after, limit) => page(await appKeys.list(null, 10_000), ({ name }) => name, after, limit),
    },
    records: {
      list: async (kind, { after, limit, ...selection }) => {
        const all = await records.list(kind, { ...selection, after: null, limit: 10_000 });
        return page(all, ({ id }) => id, after, limit) as never;
      },
    },
  });
  return withFaults(() => fault);
}

/** Faults in comparing, ordering and storing texts, everywhere at once. */
export const brokenTexts: readonly BrokenAdapter[] = [
  {
    fault: "compares texts case-insensitively",
    create: confusing((text) => text.toLowerCase()),
    caughtBy: [
      "compares app key names exactly",
      "reports the listed origins of app keys by exact comparison",
      "finds accounts by their exact names only, and none for invalid names",
      "lists accounts page by page in code point order, without secrets",
      "finds an account for a proof by its exact name only",
      "removes records of every kind that the user owns with the account, and no others",
      "finds accounts by their exact names only, and none for invalid names (custom accounts)",
      "keeps the sessions of another user, app key or device",
      "compares ids of a basis exactly",
      "ends the sessions that match a user, a device and an app name",
      "shares a concurrent seat among the sessions of a user on a device",
      "shares a seat of a user among all sessions of the user",
      "counts sessions that were opened under other seats",
      "counts the taken seats of an app name",
      "releases all app names or none",
      "keeps the records of different kinds separate",
      "compares record IDs exactly",
      "compares record owners exactly",
      "removes all records of an owner in one kind",
      "lists the records of an owner page by page",
      "limits the records of each owner and kind",
      "compares class names exactly in lists",
      "distinguishes texts",
      "finds texts by pattern",
      "finds objects by class",
      "follows a reference to objects of the given classes only",
      "treats unresolved references as empty",
      "follows references to visible objects only",
      "treats references to invisible objects as empty",
      "sorts by visible values only",
      "returns referrers by attributes and classes up to the limit",
      "reads only changes of the given classes, several in one order",
      "distinguishes class names by case",
      "accepts any text of up to 100 characters as a key",
      "keeps the tallies of different keys separate",
      "exports app keys ordered by name, and secrets in stored form",
      "exports custom accounts ordered by name",
      "exports permanent records ordered by kind and ID in code point order",
      "exports audit events and unsettled tallies",
    ],
  },
  {
    fault: "normalizes texts before it compares them",
    create: confusing((text) => text.normalize()),
    caughtBy: [
      "compares app key names exactly",
      "finds accounts by their exact names only, and none for invalid names",
      "finds an account for a proof by its exact name only",
      "finds accounts by their exact names only, and none for invalid names (custom accounts)",
      "compares record IDs exactly",
      "compares record owners exactly",
      "distinguishes texts",
      "finds texts by substring",
    ],
  },
  {
    fault: "ignores accents",
    create: confusing((text) => text.normalize("NFD").replaceAll(/\p{M}/gu, "")),
    caughtBy: [
      "compares app key names exactly",
      "finds accounts by their exact names only, and none for invalid names",
      "finds an account for a proof by its exact name only",
      "finds accounts by their exact names only, and none for invalid names (custom accounts)",
      "compares record IDs exactly",
      "compares record owners exactly",
      "distinguishes texts",
      "finds texts by pattern",
      "finds texts by substring",
      "sorts texts by code points",
    ],
  },
  {
    fault: "ignores spaces at the end",
    create: confusing((text) => text.trimEnd()),
    caughtBy: [
      "compares app key names exactly",
      "finds accounts by their exact names only, and none for invalid names",
      "finds an account for a proof by its exact name only",
      "removes records of every kind that the user owns with the account, and no others",
      "finds accounts by their exact names only, and none for invalid names (custom accounts)",
      "keeps the sessions of another user, app key or device",
      "compares ids of a basis exactly",
      "releases all app names or none",
      "compares record IDs exactly",
      "compares record owners exactly",
      "removes all records of an owner in one kind",
      "limits the records of each owner and kind",
      "compares class names exactly in lists",
      "distinguishes texts",
      "compares texts by code points",
      "accepts any text of up to 100 characters as a key",
      "keeps the tallies of different keys separate",
    ],
  },
  {
    fault: "compares only the start of long texts",
    create: confusing((text) => text.slice(0, 600)),
    caughtBy: [
      "stores long and hostile names and secrets unchanged",
      "stores long and hostile names and secrets unchanged (custom accounts)",
      "distinguishes long texts",
      "compares long texts by their whole length",
      "finds long texts by a part after their start",
      "sorts long texts by their whole length",
    ],
  },
  {
    fault: "alters unstorable texts",
    create: changing(() => (text) => text.replaceAll("\0", "").replaceAll(/\p{Surrogate}/gu, "\ufffd")),
    caughtBy: [
      "rolls back a nested transaction if any of its calls is refused",
      "rolls back a batch if any of its calls fails",
      "finds accounts by their exact names only, and none for invalid names",
      "changes and removes the e-mail address",
      "finds accounts by their exact names only, and none for invalid names (custom accounts)",
      "changes and removes the e-mail address (custom accounts)",
      "refuses to put or settle a record with an unstorable text",
      "treats unstorable IDs and owners as absent in reads and removals",
      "returns no object for another spelling of its ID",
      "returns no object for an unknown or malformed UUID",
      "returns objects by UUIDs, each once, and ignores malformed UUIDs",
      "refuses unstorable texts in updates with 307",
      "refuses unstorable texts in objects at any depth",
      "refuses unstorable texts in accounts",
      "refuses unstorable texts in custom accounts",
      "refuses unstorable texts in app keys and app names",
      "refuses unstorable texts in sessions",
      "refuses unstorable texts in the model",
    ],
  },
  {
    fault: "treats an escape sequence as its character",
    create: changing(() => (text) => text.replaceAll("\\u0000", "")),
    caughtBy: ["distinguishes unstorable texts from their escape sequences"],
  },
  {
    fault: "orders texts by UTF-16 code units",
    create: ordering((one, other) => (one < other ? -1 : Number(one > other))),
    caughtBy: [
      "lists app keys page by page in code point order",
      "lists accounts page by page in code point order, without secrets",
      "lists accounts page by page in code point order, without secrets (custom accounts)",
      "lists records page by page in code point order of their IDs",
      "exports permanent records ordered by kind and ID in code point order",
    ],
  },
  {
    fault: "orders texts by locale",
    create: ordering((one, other) => one.localeCompare(other, "en")),
    caughtBy: [
      "lists app keys page by page in code point order",
      "lists accounts page by page in code point order, without secrets",
      "lists accounts page by page in code point order, without secrets (custom accounts)",
      "lists records page by page in code point order of their IDs",
      "lists the records of an owner page by page",
      "exports permanent records ordered by kind and ID in code point order",
    ],
  },
];
