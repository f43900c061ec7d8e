/** Members for the tables and sequences that every dialect has. */
const entry = ["accounts", "appKeys", "channels", "cipherBlocks", "customAccounts", "sessions", "throttle"] as const;
const objects = ["classes", "departures", "links", "locks", "objectCounts", "objects"] as const;
const others = ["audit", "auditTallies", "migrations", "records", "recordVersions", "settings"] as const;
const shared = [...entry, ...objects, ...others];

/** Members for the procedures or functions that every dialect has. */
const routines = ["openSession", "passThrottle", "putRecord", "removeAccounts"] as const;

export type Names<Own extends string> = Readonly<
  Record<Own | (typeof shared)[number] | (typeof routines)[number], string>
>;

/** The quoted names of what every dialect has and of a dialect's own, by member: `app_keys` for `appKeys`. */
export function quotedNames<Own extends string>(own: readonly Own[], quoted: (name: string) => string): Names<Own> {
  const members = [...shared, ...routines, ...own];
  const names = members.map((member) => [
    member,
    quoted(member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  ]);
  return Object.fromEntries(names) as Names<Own>;
}
