import { type AppNameChange, type Repositories, type SeatKind, type SeatLimit, ServiceError } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** Changes the seat limits of every opening and reservation. */
function withLimits(
  fault: string,
  caughtBy: string | readonly string[],
  changed: (limit: SeatLimit) => readonly SeatLimit[],
): BrokenAdapter {
  return broken(fault, caughtBy, () => ({ sessions }) => ({
    sessions: {
      open: (session, policy) => sessions.open(session, { ...policy, seats: (policy.seats ?? []).flatMap(changed) }),
      changeAppNames: (digest, change) =>
        sessions.changeAppNames(
          digest,
          "release" in change ? change : { ...change, limits: change.limits.flatMap(changed) },
        ),
    },
  }));
}

/** Replaces the changes of app names. */
function changing(
  fault: string,
  caughtBy: string | readonly string[],
  changeAppNames: (
    r: Repositories,
    digest: string,
    change: AppNameChange,
  ) => ReturnType<Repositories["sessions"]["changeAppNames"]>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({
    sessions: { changeAppNames: (digest, change) => changeAppNames(r, digest, change) },
  }));
}

const mistaken = (kind: SeatKind, taken: SeatKind) => (limit: SeatLimit) => [
  limit.kind === kind ? { ...limit, kind: taken } : limit,
];

const names = (change: AppNameChange) => ("release" in change ? change.release : change.reserve);

/** Faults in the seats of app names. */
export const brokenSeats: readonly BrokenAdapter[] = [
  withLimits("ignores the seats", "takes a seat of its own for a session without a device", () => []),

  withLimits("gives one seat too many", "reserves seats up to their number", (limit) => [
    { ...limit, seats: limit.seats + 1 },
  ]),

  withLimits("gives one seat too few", "shares a concurrent seat among the sessions of a user on a device", (limit) => [
    { ...limit, seats: limit.seats - 1 },
  ]),

  withLimits(
    "shares a concurrent seat among all sessions of a device",
    "shares a concurrent seat among the sessions of a user on a device",
    mistaken("concurrent", "device"),
  ),

  withLimits(
    "takes a seat of a user for each device",
    "shares a seat of a user among all sessions of the user",
    mistaken("user", "concurrent"),
  ),

  withLimits(
    "takes a seat of a device for each user",
    "shares a seat of a device among all sessions on the device",
    mistaken("device", "concurrent"),
  ),

  withLimits("checks the first limited app name only", "takes a seat of each limited app name, or none", (limit) =>
    limit.name === "two" ? [] : [limit],
  ),

  broken("counts every session", "counts the sessions with the app name only", () => (r) => ({
    sessions: {
      open: async (session, policy) => {
        const live = await r.sessions.count();
        if (policy.seats?.some(({ seats }) => live >= seats + 2) === true) throw new ServiceError(306);
        return r.sessions.open(session, policy);
      },
    },
  })),

  broken(
    "checks the other limits first",
    "refuses a session for its seats before it checks the other limits",
    () => (r) => ({
      sessions: {
        open: async (session, policy) => {
          if (policy.limit > 0 && (policy.seats ?? []).length > 0 && (await r.sessions.count()) >= policy.limit)
            throw new ServiceError(315);
          return r.sessions.open(session, policy);
        },
      },
    }),
  ),

  broken(
    "checks the seats, and opens the session later",
    "fills the seats of each kind exactly across concurrent calls",
    () => (r) => ({
      sessions: {
        open: async (session, policy) => {
          if ((policy.seats ?? []).length === 0) return r.sessions.open(session, policy);
          await r.sessions.open(session, policy);
          await r.sessions.end({ digest: session.digest });
          await pause();
          return r.sessions.open(session, { ...policy, seats: [] });
        },
      },
    }),
  ),

  broken("remembers the seats of expired sessions", "frees the seats of ended and expired sessions", () => {
    const full = new Map<string, number>();
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          const [limit] = policy.seats ?? [];
          if (limit !== undefined && (full.get(limit.name) ?? 0) >= 6) throw new ServiceError(306);
          await r.sessions.open(session, policy);
          if (limit !== undefined) full.set(limit.name, (full.get(limit.name) ?? 0) + 1);
        },
      },
    });
  }),

  broken("keeps the seat of a replaced session", "frees the seat of a replaced session", () => (r) => ({
    sessions: {
      open: async (session, policy) => {
        const [limit] = policy.seats ?? [];
        const isFull = limit !== undefined && policy.perDevice === 1 && (await r.sessions.count(limit)) >= limit.seats;
        if (isFull) throw new ServiceError(306);
        return r.sessions.open(session, policy);
      },
    },
  })),

  broken("counts the seats by sessions", "counts the taken seats of an app name", () => (r) => ({
    sessions: { count: (seats) => r.sessions.count(seats === undefined ? seats : { ...seats, kind: "concurrent" }) },
  })),

  broken(
    "bounds the sessions by what was counted first",
    "bounds the numbers of sessions and taken seats from above",
    () => (r) => {
      let first: Promise<number> | undefined;
      return {
        sessions: {
          count: (seats, which) =>
            which === "bound" ? (first ??= r.sessions.count(seats)) : r.sessions.count(seats, which),
        },
      };
    },
  ),

  broken("forgets what sessions were opened without app names", "tells a session without app names", () => (r) => ({
    admission: {
      admit: async (request) => {
        const admission = await r.admission.admit(request);
        const { session } = admission;
        return session === null ? admission : { ...admission, session: { ...session, enrolling: false } };
      },
    },
  })),

  broken(
    "takes a session that has released its app names for one without",
    "releases the app names of the log-in and reserved ones at once",
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          const { session } = admission;
          return session === null
            ? admission
            : { ...admission, session: { ...session, enrolling: session.appNames.length === 0 } };
        },
      },
    }),
  ),

  broken(
    "gives rights for reserved names",
    "reserves a released app name again, and gives it no rights",
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          const { session } = admission;
          if (session === null) return admission;
          return { ...admission, session: { ...session, appNames: [...session.appNames, ...session.reservedNames] } };
        },
      },
    }),
  ),

  changing("reserves app names one by one", "reserves all app names or none", async (r, digest, change) => {
    if ("release" in change) return r.sessions.changeAppNames(digest, change);
    for (const name of change.reserve) {
      const limits = change.limits.filter((limit) => limit.name === name);
      const outcome = await r.sessions.changeAppNames(digest, { reserve: [name], limits });
      if (outcome !== "changed") return outcome;
    }
    return "changed";
  }),

  changing("releases app names one by one", "releases all app names or none", async (r, digest, change) => {
    if ("reserve" in change) return r.sessions.changeAppNames(digest, change);
    for (const name of change.release) {
      const outcome = await r.sessions.changeAppNames(digest, { release: [name] });
      if (outcome !== "changed") return outcome;
    }
    return "changed";
  }),

  changing(
    "takes a further seat for a name that the session has",
    "reserves what a session has without a seat more",
    async (r, digest, change) => {
      if ("reserve" in change)
        for (const limit of change.limits)
          if (limit.seats === 2 && change.limits.length === 1 && (await r.sessions.count(limit)) >= limit.seats)
            throw new ServiceError(306);
      return r.sessions.changeAppNames(digest, change);
    },
  ),

  changing(
    "takes a seat for each session of a holder",
    "shares a reserved seat with other sessions of its holder",
    async (r, digest, change) => {
      if ("reserve" in change)
        for (const limit of change.limits)
          if (limit.seats === 1 && (await r.sessions.count(limit)) >= 1) throw new ServiceError(306);
      return r.sessions.changeAppNames(digest, change);
    },
  ),

  changing(
    "reports every release as done",
    "releases each seat in one of several concurrent calls",
    async (r, digest, change) => {
      const outcome = await r.sessions.changeAppNames(digest, change);
      return outcome === "notHeld" ? "changed" : outcome;
    },
  ),

  changing(
    "reports a session that is over as changed",
    "changes no session that has ended or expired",
    async (r, digest, change) => {
      const outcome = await r.sessions.changeAppNames(digest, change);
      return outcome === "ended" ? "changed" : outcome;
    },
  ),

  changing(
    "checks the seats of a reservation before it takes them",
    [
      "fills the seats exactly across concurrent openings and reservations",
      "keeps the seats exact while they are reserved, released and ended concurrently",
    ],
    async (r, digest, change) => {
      if ("release" in change || names(change).length === 0) return r.sessions.changeAppNames(digest, change);
      for (const limit of change.limits)
        if ((await r.sessions.count(limit)) >= limit.seats) throw new ServiceError(306);
      await pause();
      return r.sessions.changeAppNames(digest, { ...change, limits: [] });
    },
  ),
];
