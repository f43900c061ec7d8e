import { type Admission, type Digest, type Repositories, seesAll, type StoredObject } from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const inTheUser = "names the groups that stand in the user, those of a derived class and those in the recycler, too";

/** The admission with those groups only that are live objects, and wanted. */
async function withGroups(
  r: Repositories,
  admission: Admission,
  wanted: (group: StoredObject) => boolean,
): Promise<Admission> {
  const { principal } = admission;
  if (principal === null) return admission;
  const groups = (await r.objects.get(principal.groups, seesAll)).filter(wanted).map(({ id }) => id);
  return { ...admission, principal: { ...principal, groups } };
}

/** Faults in who is let in. */
export const brokenAdmissions: readonly BrokenAdapter[] = [
  broken(
    "remembers admissions",
    [
      "accepts no session that was ended, from the very next request",
      "accepts no session of a disabled account",
      "accepts no session once the secret that opened it was replaced",
      "sees at once that an app key was switched off while sessions are in use",
      "reports the maintenance switch to everybody",
      "reports the generation of the model",
    ],
    () => {
      const remembered = new Map<string, Promise<Admission>>();
      return (r) => ({
        admission: {
          admit: (request) => {
            const key = `${request.appKey} ${request.session}`;
            const admission = remembered.get(key) ?? r.admission.admit(request);
            if (request.session !== null) remembered.set(key, admission);
            return admission;
          },
        },
      });
    },
  ),

  broken(
    "asks for the session without its app key",
    ["accepts a session only with the app key that opened it", "are not extended by requests that they do not let in"],
    () => {
      const digests = new Set<Digest>();
      return (r) => ({
        appKeys: {
          create: async (appKey, digest) => {
            digests.add(digest);
            return r.appKeys.create(appKey, digest);
          },
        },
        admission: {
          admit: async (request) => {
            const own = await r.admission.admit(request);
            if (request.appKey === null || request.session === null) return own;
            for (const appKey of digests) {
              const { session, principal } = await r.admission.admit({ ...request, appKey });
              if (session !== null) return { ...own, session, principal };
            }
            return own;
          },
        },
      });
    },
  ),

  broken(
    "does not look at the mode of a session",
    [
      "finds no session of another mode than the one it is asked for",
      "takes a session for one in session-id mode unless it is told",
    ],
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const own = await r.admission.admit(request);
          for (const mode of ["session", "token", "secure"] as const) {
            const { session, principal } = await r.admission.admit({ ...request, mode });
            if (session !== null) return { ...own, session, principal };
          }
          return own;
        },
      },
    }),
  ),

  broken("accepts a session without any app key", "accepts no session without an app key", () => {
    let last: Digest | null = null;
    return (r) => ({
      admission: {
        admit: async (request) => {
          last = request.appKey ?? last;
          return {
            ...(await r.admission.admit({ ...request, appKey: last })),
            ...(request.appKey === null ? { appKey: null } : {}),
          };
        },
      },
      appKeys: {
        create: async (appKey, digest) => {
          last = digest;
          return r.appKeys.create(appKey, digest);
        },
      },
    });
  }),

  broken(
    "does not tell that an app key is switched off",
    "reports an app key that is switched off as such",
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          return { ...admission, appKey: admission.appKey === null ? null : { ...admission.appKey, enabled: true } };
        },
      },
    }),
  ),

  broken("hides an app key that is switched off", "reports an app key that is switched off as such", () => (r) => ({
    admission: {
      admit: async (request) => {
        const admission = await r.admission.admit(request);
        return admission.appKey?.enabled === false ? { ...admission, appKey: null } : admission;
      },
    },
  })),

  broken("admits disabled accounts", "accepts no session of a disabled account", () => {
    const disabled = new Map<string, boolean>();
    return (r) => ({
      accounts: {
        change: async (id, change) => {
          if (change.disabled === undefined) return r.accounts.change(id, change);
          disabled.set(id, change.disabled);
          return true;
        },
        find: async (selector, links) => {
          const found = await r.accounts.find(selector, links);
          const { account } = found;
          return account === null
            ? found
            : { ...found, account: { ...account, disabled: disabled.get(account.id) ?? false } };
        },
      },
    });
  }),

  broken(
    "takes the secret of now for the one that opened the session",
    "accepts no session that was opened with a secret replaced meanwhile",
    () => {
      const versions = new Map<string, number>();
      return (r) => ({
        accounts: {
          setSecret: async (userId, secret, version) => {
            const outcome = await r.accounts.setSecret(userId, secret, version);
            if (outcome === "stored") versions.set(userId, version + 1);
            return outcome;
          },
        },
        sessions: {
          open: (session, policy) =>
            r.sessions.open(
              { ...session, secretVersion: versions.get(session.userId) ?? session.secretVersion },
              policy,
            ),
        },
      });
    },
  ),

  broken("does not know groups", "names the groups of the user", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { principal, ...rest } = await r.admission.admit(request);
        return { ...rest, principal: principal === null ? null : { ...principal, groups: [] } };
      },
    },
  })),

  broken("names only groups of exactly the class of groups", inTheUser, () => (r) => ({
    admission: {
      admit: async (request) =>
        withGroups(r, await r.admission.admit(request), ({ className }) => className === "UserGroup"),
    },
  })),

  broken("forgets the groups in the recycler", inTheUser, () => (r) => ({
    admission: { admit: async (request) => withGroups(r, await r.admission.admit(request), () => true) },
  })),

  broken("takes everybody for an administrator", "tells administrators from others", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { principal, ...rest } = await r.admission.admit(request);
        return { ...rest, principal: principal === null ? null : { ...principal, administrator: true } };
      },
    },
  })),

  broken("reads in two steps", "sees everything as of one moment", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { session, principal } = await r.admission.admit(request);
        await r.sessions.count();
        return { ...(await r.admission.admit(request)), session, principal };
      },
    },
  })),

  broken("gives away more than the session", "finds a session as it was opened, with its principal", () => (r) => ({
    admission: {
      admit: async (request) => {
        const admission = await r.admission.admit(request);
        const session = admission.session === null ? null : { ...admission.session, digest: request.session };
        return { ...admission, session };
      },
    },
  })),

  broken("takes an unknown app key for the last one", "does not know an app key that nobody created", () => {
    let last: Digest | null = null;
    return (r) => ({
      appKeys: {
        create: async (appKey, digest) => {
          last = digest;
          return r.appKeys.create(appKey, digest);
        },
      },
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          const unknown = admission.appKey === null && request.appKey !== null;
          return unknown ? r.admission.admit({ ...request, appKey: last }) : admission;
        },
      },
    });
  }),

  broken("takes an unknown session for the last one", "does not know a session that nobody opened", () => {
    let last: Digest | null = null;
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          last = session.digest;
          return r.sessions.open(session, policy);
        },
      },
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          const unknown = admission.session === null && request.session !== null;
          return unknown ? r.admission.admit({ ...request, session: last }) : admission;
        },
      },
    });
  }),

  broken(
    "counts generations from another number than the model",
    ["finds neither app key nor session when there is none to look for", "reports the generation of the model"],
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          return { ...admission, modelGeneration: admission.modelGeneration + 1 };
        },
      },
    }),
  ),

  broken(
    "has no groups to name when there are none",
    "names no groups of a user whose groups were never set",
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const { principal, ...rest } = await r.admission.admit(request);
          if (principal?.groups.length !== 0) return { ...rest, principal };
          return { ...rest, principal: { ...principal, groups: undefined as never } };
        },
      },
    }),
  ),
];
