import {
  type Attributes,
  isVisible,
  type ObjectChange,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
  type Writing,
} from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const kept = "keep the members of a collection that its writer does not see, behind those that he gives";

/** An update that sees to the members itself, and has nothing kept for it. */
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

/** The members of the team as they were, and as they are given. */
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

/** Faults in what stays of collections that are written. */
export const brokenMembers: readonly BrokenAdapter[] = [
  broken(
    "drops members that the writer does not see",
    kept,
    seeing(() => seesAll),
  ),
  broken(
    "looks at the classes of members alone",
    kept,
    seeing((asked) => ({ ...asked, principals: null })),
  ),
  broken(
    "looks at the readers of members alone",
    kept,
    seeing((asked) => ({ ...asked, classes: null })),
  ),
  broken(
    "puts what it keeps in front",
    kept,
    teams((given, hidden) => [...hidden, ...given]),
  ),
  broken(
    "keeps what the writer sees",
    kept,
    teams((given, _hidden, old) => [...new Set([...given, ...old])]),
  ),
  broken(
    "keeps members twice",
    "keep a member once that its writer gives though he does not see it",
    teams((given, hidden) => [...given, ...hidden]),
  ),
  broken(
    "keeps the members of one collection alone",
    "keep the members of each collection of each object that is written, and no others",
    teams((given, hidden) => [...new Set([...given, ...hidden])]),
  ),
  broken("forgets recycled members", "keep recycled members, whoever writes", () => (r) => ({
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
    "keep nothing of references, and of collections that become null",
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
    "looks for members before it writes",
    "keep members that others add while they are written",
    teams((given, hidden) => [...new Set([...given, ...hidden])]),
  ),
  broken(
    "does not look at the class of what it changes",
    "are refused with 304 when they are not of the class that the writer takes them for",
    () => (r) => ({
      objects: { update: (changes, { className: _any, ...by }) => r.objects.update(changes, by) },
    }),
  ),
];
