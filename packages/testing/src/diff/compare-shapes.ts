import type { ResponseShape } from "./response-shapes.ts";

/** The union of all responses of a route. */
interface RouteShape {
  readonly codes: Set<string>;
  /** Types by code and member. */
  readonly members: Map<string, Set<string>>;
  /** By code and header. */
  readonly headers: Set<string>;
}

/**
 * The changes of each route that both runs have called, as lines. `+`: only the new server; `-`: only the old one; `~`: another
 * type. Empty without a change.
 */
export function shapeChanges(before: readonly ResponseShape[], after: readonly ResponseShape[]): string[] {
  const [old, now] = [byRoute(before), byRoute(after)];
  return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((route) => {
    const [was, is] = [old.get(route), now.get(route)];
    if (was === undefined || is === undefined) return [route, `  ${is === undefined ? "-" : "+"} called`];
    const lines = [
      ...changed("code", was.codes, is.codes),
      ...changed("header", within(was.headers, is.codes), within(is.headers, was.codes)),
      ...changed("member", within(was.members.keys(), is.codes), within(is.members.keys(), was.codes)),
      ...Array.from(is.members).flatMap(([member, types]) => {
        const [former, present] = [typesOf(was.members.get(member)), typesOf(types)];
        return former === "" || present === "" || former === present
          ? []
          : [`  ~ member ${member}: ${present}, was ${former}`];
      }),
    ];
    return lines.length === 0 ? [] : [route, ...lines];
  });
}

function byRoute(shapes: readonly ResponseShape[]): ReadonlyMap<string, RouteShape> {
  const all = new Map<string, RouteShape>();
  for (const { route, code, status, members, headers } of shapes) {
    const name = `${status}/${code}`;
    const shape = all.get(route) ?? { codes: new Set(), members: new Map(), headers: new Set() };
    all.set(route, shape);
    shape.codes.add(name);
    for (const header of headers) shape.headers.add(`${name} ${header}`);
    for (const [member, type] of Object.entries(members)) {
      const types = shape.members.get(`${name} ${member}`) ?? new Set();
      shape.members.set(`${name} ${member}`, types.add(type));
    }
  }
  return all;
}

/** Names of codes that the other server has answered, too. */
function within(names: Iterable<string>, codes: ReadonlySet<string>): Set<string> {
  return new Set(Array.from(names).filter((name) => codes.has(name.split(" ", 1)[0] ?? "")));
}

function changed(kind: string, was: ReadonlySet<string>, is: ReadonlySet<string>): string[] {
  const only = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...one].filter((each) => !other.has(each)).toSorted();
  return [...only(was, is).map((name) => `  - ${kind} ${name}`), ...only(is, was).map((name) => `  + ${kind} ${name}`)];
}

/** `null` is a value of each type. */
function typesOf(types: ReadonlySet<string> = new Set()): string {
  return [...types]
    .filter((type) => type !== "null")
    .toSorted()
    .join(" or ");
}
