import type { ListedSession, Repositories, SessionSelector } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const unchanged = "refuses a session if a record of its basis was put, changed or removed";
const expired = "takes an expired record of a basis for none";
const matching = "ends the sessions that match a user, a device and an app name";
const shown = "shows a choice the live sessions, and ends the chosen ones";
const many = "shows each of many sessions once, and ends those of every page";
const once = "calls a choice once without any session, with its transaction";
const race = "lets no session of a concurrent opening survive a rule";

type Open = Repositories["sessions"]["open"];

function opening(fault: string, caughtBy: string | readonly string[], open: (r: Repositories) => Open): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ sessions: { open: open(r) } }));
}

type Matching = Extract<SessionSelector, { readonly matching: unknown }>;

function ending(
  fault: string,
  caughtBy: string | readonly string[],
  end: (r: Repositories, selector: Matching) => Promise<number>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({
    sessions: { end: (selector) => ("matching" in selector ? end(r, selector) : r.sessions.end(selector)) },
  }));
}

/** Passes changed pages to the choice. */
function showing(
  fault: string,
  caughtBy: string | readonly string[],
  change: (page: readonly ListedSession[]) => readonly ListedSession[],
): BrokenAdapter {
  return ending(fault, caughtBy, (r, { choice, ...selector }) =>
    r.sessions.end(
      choice === undefined
        ? selector
        : { ...selector, choice: { ...choice, choose: (page) => choice.choose(change(page)) } },
    ),
  );
}

/** Faults in the basis of sessions and in the choice of those to end. */
export const brokenSessionBases: readonly BrokenAdapter[] = [
  opening(
    "ignores the basis of a session",
    [unchanged, expired, race, "refuses an old basis before full seats and limits", "compares ids of a basis exactly"],
    (r) => (session, policy) => r.sessions.open(session, { ...policy, basis: [] }),
  ),

  opening(
    "ignores the version of present records",
    [unchanged],
    (r) => (session, policy) =>
      r.sessions.open(session, { ...policy, basis: (policy.basis ?? []).filter(({ version }) => version === 0) }),
  ),

  opening("checks the basis before it opens the session", race, (r) => async (session, policy) => {
    const { basis = [] } = policy;
    for (const { kind, id, version } of basis) {
      const [record] = await r.records.get(kind, [id]);
      // Only the first try sees the record: a later one is refused by the sound storage.
      if ((record?.version ?? 0) !== version) return r.sessions.open(session, policy);
    }
    await pause();
    return r.sessions.open(session, { ...policy, basis: [] });
  }),

  opening(
    "refuses every session with a basis of present records",
    ["opens a session while the records of its basis are unchanged", expired],
    (r) => (session, policy) =>
      r.sessions.open(session, { ...policy, basis: (policy.basis ?? []).map((each) => ({ ...each, version: 0 })) }),
  ),

  broken(
    "reserves names on an old basis",
    "reserves app names while the records of their basis are unchanged",
    () => (r) => ({
      sessions: {
        changeAppNames: (digest, change) =>
          r.sessions.changeAppNames(digest, "reserve" in change ? { ...change, basis: [] } : change),
      },
    }),
  ),

  ending("ignores the user", matching, (r, { matching: { userId: _userId, ...rest }, ...selector }) =>
    r.sessions.end({ ...selector, matching: rest }),
  ),

  ending("ignores the device", matching, (r, { matching: { deviceId: _deviceId, ...rest }, ...selector }) =>
    r.sessions.end({ ...selector, matching: rest }),
  ),

  ending("ignores the app name", matching, (r, { matching: { appName: _appName, ...rest }, ...selector }) =>
    r.sessions.end({ ...selector, matching: rest }),
  ),

  ending("ends all matching sessions despite a choice", [shown, many], async (r, { choice, ...selector }) => {
    await choice?.choose([]);
    return r.sessions.end(selector);
  }),

  ending("ends none of the chosen sessions", [shown, many, race], (r, { choice, ...selector }) =>
    r.sessions.end(
      choice === undefined
        ? selector
        : {
            ...selector,
            choice: {
              ...choice,
              choose: async (page) => {
                await choice.choose(page);
                return [];
              },
            },
          },
    ),
  ),

  ending("calls no choice without a session", once, (r, { choice, ...selector }) =>
    r.sessions.end(
      choice === undefined
        ? selector
        : {
            ...selector,
            choice: { ...choice, choose: async (page) => (page.length === 0 ? [] : choice.choose(page)) },
          },
    ),
  ),

  showing("shows the app names of a session in no order", shown, (page) =>
    page.map((session) => ({ ...session, appNames: session.appNames.toSorted() })),
  ),

  showing("shows the time of the process", shown, (page) =>
    page.map((session) => ({ ...session, openedAt: Date.now() })),
  ),

  showing("shows the first page only", many, (page) => (page.length < 500 ? [] : page)),
];
