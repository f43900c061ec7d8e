import {
  type Attributes,
  isVisible,
  type ObjectChange,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
  type Writing,
} from "@sallyport/storage";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const kept = "keeps the collection members that the writer cannot see, after the given ones";

/** An update that handles collection members itself. */
function merging(
  merge: (change: ObjectChange, before: StoredObject | undefined, hidden: (id: string) => boolean) => Attributes,
) {
  return () => (r: Repositories) => ({
    objects: {
      update: async (changes: readonly ObjectChange[], { visibility = seesAll, ...by }: Writing) => {
        const before = new Map(
          (
            await r.objects.get(
              changes.map(({ id }) => id),
              visibility,
            )
          ).map((object) => [object.id, object]),
        );
        const listed = [...before.values()].flatMap(({ attributes }) =>
          Object.values(attributes).flatMap((value) => (Array.isArray(value) ? value : [])),
        );
        const live = await r.objects.get(
          listed.filter((id) => typeof id === "string"),
          seesAll,
        );
        const hidden = new Set(live.filter((object) => !isVisible(object, visibility)).map(({ id }) => id));
        const merged = changes.map((change) => {
          const attributes = { ...change.attributes, ...merge(change, before.get(change.id), (id) => hidden.has(id)) };
          const links = Object.keys(change.links).map(
            (name) => [name, [attributes[name] ?? []].flat() as string[]] as const,
          );
          return { ...change, attributes, links: Object.fromEntries(links) };
        });
        return r.objects.update(merged, by);
      },
    },
  });
}

/** The previous and the given members of the team. */
function teamsOf(
  { attributes }: ObjectChange,
  before: StoredObject | undefined,
): { readonly old: string[]; readonly given: string[] } | null {
  const [old, given] = [before?.attributes["Team"], attributes["Team"]];
  return Array.isArray(old) && Array.isArray(given) ? { old, given } : null;
}

function teams(join: (given: readonly string[], hidden: readonly string[], old: readonly string[]) => string[]) {
  return merging((change, before, hidden) => {
    const found = teamsOf(change, before);
    return found === null ? {} : { Team: join(found.given, found.old.filter(hidden), found.old) };
  });
}

function seeing(visibility: (asked: Visibility) => Visibility) {
  return () => (r: Repositories) => ({
    objects: {
      update: (changes: readonly ObjectChange[], by: Writing) =>
        r.objects.update(changes, { ...by, visibility: visibility(by.visibility ?? seesAll) }),
    },
  });
}

/** Faults in collection members that an update keeps. */
export const brokenMembers: readonly BrokenAdapter[] = [
  broken(
    "drops members that the writer cannot see",
    kept,
    seeing(() => seesAll),
  ),
  broken(
    "checks only the classes of members",
    kept,
    seeing((asked) => ({ ...asked, principals: null })),
  ),
  broken(
    "checks only the readers of members",
    kept,
    seeing((asked) => ({ ...asked, classes: null })),
  ),
  broken(
    "puts kept members first",
    kept,
    teams((given, hidden) => [...hidden, ...given]),
  ),
  broken(
    "keeps members that the writer can see",
    kept,
    teams((given, _hidden, old) => [...new Set([...given, ...old])]),
  ),
  broken(
    "keeps members twice",
    "keeps an invisible member once if the writer names it",
    teams((given, hidden) => [...given, ...hidden]),
  ),
  broken(
    "keeps the members of one collection only",
    "keeps the invisible members of exactly the written collections of each object",
    teams((given, hidden) => [...new Set([...given, ...hidden])]),
  ),
  broken("drops recycled members", "keeps recycled members for every writer", () => (r) => ({
    objects: {
      update: async (changes, by) => {
        await r.objects.update(
          changes.map((change) => ({ ...change, attributes: { Team: null }, links: { Team: [] } })),
          by,
        );
        return r.objects.update(changes, by);
      },
    },
  })),
  broken(
    "keeps references and lists that become null",
    "keeps no invisible targets of references and of collections that become null",
    merging((change, before, hidden) => {
      const { Boss: boss, Team: team } = before?.attributes ?? {};
      const hiddenBoss =
        typeof boss === "string" && hidden(boss) && Object.hasOwn(change.attributes, "Boss") ? { Boss: boss } : {};
      return change.attributes["Team"] === null && Array.isArray(team)
        ? { ...hiddenBoss, Team: team.filter((id) => typeof id === "string" && hidden(id)) }
        : hiddenBoss;
    }),
  ),
  broken(
    "reads members before it writes",
    "keeps members that a concurrent update adds",
    teams((given, hidden) => [...new Set([...given, ...hidden])]),
  ),
  broken(
    "ignores the expected class of an update",
    "refuses an update with 304 if an object is not of the expected class",
    () => (r) => ({
      objects: { update: (changes, { className: _any, ...by }) => r.objects.update(changes, by) },
    }),
  ),
];
