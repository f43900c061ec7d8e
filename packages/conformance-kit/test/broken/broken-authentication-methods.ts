import {
  type AuthenticationMethod,
  identityLinkKind,
  isUuid,
  type NewSession,
  type Repositories,
} from "@sallyport/storage";
import { accountOf } from "../../src/fixtures/accounts.ts";
import { unlimitedSessions } from "../../src/fixtures/policy.ts";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const changed = "admits no session after its custom account is disabled, removed, remapped or given a new secret";
const never = "admits no session if its authentication method is revoked between proof and opening";
const met = "admits no session that is opened while its authentication method is revoked";
const gone = "admits no session after its link is removed, even if the identity is linked again";
const ended = "ends all sessions of a custom account except one, or all of a link";

const replaced = "admits no session of any authentication method after the secret of the user is replaced";

/** The current secret version of the user of a session. */
async function versionOf(r: Repositories, { userId, secretVersion }: NewSession): Promise<number> {
  return (await r.accounts.find({ id: userId }, [])).account?.secretVersion ?? secretVersion;
}

/** Faults in the authentication methods of sessions. */
export const brokenAuthenticationMethods: readonly BrokenAdapter[] = [
  broken(
    "reports every authentication method as a password",
    ["returns the authentication method of a session", changed, gone, never, met],
    () => (r) => ({
      sessions: {
        open: (session, policy) => r.sessions.open({ ...session, authenticationMethod: { kind: "password" } }, policy),
      },
    }),
  ),

  broken("takes the current version of a custom account when it opens a session", never, () => (r) => ({
    sessions: {
      open: async (session, policy) => {
        const { authenticationMethod } = session;
        const account =
          authenticationMethod.kind === "custom" ? await accountOf(r, authenticationMethod.accountId) : null;
        const current: AuthenticationMethod =
          authenticationMethod.kind === "custom" && account !== null
            ? { ...authenticationMethod, secretVersion: account.secretVersion }
            : authenticationMethod;
        return r.sessions.open({ ...session, authenticationMethod: current }, policy);
      },
    },
  })),

  broken("ignores the user secret in sessions of other authentication methods", replaced, () => {
    const opened: NewSession[] = [];
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          if (session.authenticationMethod.kind === "password") return r.sessions.open(session, policy);
          opened.push(session);
          return r.sessions.open({ ...session, secretVersion: await versionOf(r, session) }, policy);
        },
      },
      accounts: {
        setSecret: async (userId, secret, version) => {
          const outcome = await r.accounts.setSecret(userId, secret, version);
          for (const session of opened) {
            const { digest } = session;
            if (session.userId !== userId || (await r.sessions.end({ digest })) === 0) continue;
            await r.sessions.open({ ...session, secretVersion: await versionOf(r, session) }, unlimitedSessions);
          }
          return outcome;
        },
      },
    });
  }),

  broken(
    "takes the current version of the user secret when it opens a session of another method",
    replaced,
    () => (r) => ({
      sessions: {
        open: async (session, policy) => {
          const secretVersion =
            session.authenticationMethod.kind === "password" ? session.secretVersion : await versionOf(r, session);
          return r.sessions.open({ ...session, secretVersion }, policy);
        },
      },
    }),
  ),

  broken(
    "admits sessions of disabled custom accounts",
    [changed, "admits a session again after its custom account is enabled again"],
    () => (r) => ({
      accounts: {
        change: async (id, change) =>
          isUuid(id) && change.disabled !== undefined
            ? (await accountOf(r, id)) !== null
            : r.accounts.change(id, change),
      },
    }),
  ),

  broken("compares links by identity instead of by creation", gone, () => {
    const opened = new Map<string, NewSession>();
    return (r) => ({
      sessions: {
        open: (session, policy) => {
          if (session.authenticationMethod.kind === "provider") opened.set(session.digest, session);
          return r.sessions.open(session, policy);
        },
      },
      records: {
        put: async (kind, id, value, options) => {
          const outcome = await r.records.put(kind, id, value, options);
          const [link] = kind === identityLinkKind ? await r.records.get(identityLinkKind, [id]) : [];
          for (const session of opened.values()) {
            const { authenticationMethod } = session;
            if (link === undefined || authenticationMethod.kind !== "provider" || authenticationMethod.link.id !== id)
              continue;
            if ((await r.sessions.end({ digest: session.digest })) === 0) continue;
            await r.sessions.open({ ...session, authenticationMethod: { kind: "provider", link } }, unlimitedSessions);
          }
          return outcome;
        },
      },
    });
  }),

  broken(
    "keeps the link as it was when the session was opened",
    "returns the current state of the link that opened a session",
    () => {
      const methods = new Map<string, AuthenticationMethod>();
      return (r) => ({
        sessions: {
          open: (session, policy) => {
            methods.set(session.digest, session.authenticationMethod);
            return r.sessions.open(session, policy);
          },
        },
        admission: {
          admit: async (request) => {
            const admission = await r.admission.admit(request);
            const authenticationMethod = methods.get(request.session ?? "");
            return admission.session === null || authenticationMethod?.kind !== "provider"
              ? admission
              : { ...admission, session: { ...admission.session, authenticationMethod } };
          },
        },
      });
    },
  ),

  broken("ends the sessions of a custom account without exception", ended, () => (r) => ({
    sessions: {
      end: (selector) =>
        r.sessions.end("customAccountId" in selector ? { customAccountId: selector.customAccountId } : selector),
    },
  })),

  broken("does not end the sessions of a link", ended, () => (r) => ({
    sessions: { end: async (selector) => ("linkId" in selector ? 0 : r.sessions.end(selector)) },
  })),

  broken(
    "keeps the authentication method of a replaced session",
    "replaces the session of a device regardless of the authentication methods",
    () => {
      const methods = new Map<string, AuthenticationMethod>();
      return (r) => ({
        sessions: {
          open: (session, policy) => {
            const device = `${session.userId} ${session.deviceId ?? ""}`;
            const authenticationMethod =
              session.deviceId === null
                ? session.authenticationMethod
                : (methods.get(device) ?? session.authenticationMethod);
            methods.set(device, authenticationMethod);
            return r.sessions.open({ ...session, authenticationMethod }, policy);
          },
        },
      });
    },
  ),

  broken(
    "renews a custom account session with the version of the database user",
    "renews a session of a custom account with the new secret",
    () => (r) => ({
      sessions: { renew: async (digest) => (await r.sessions.count()) > 0 && digest !== "" },
    }),
  ),
];
