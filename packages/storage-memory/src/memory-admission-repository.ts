import {
  type Account,
  type Admission,
  type AdmissionRepository,
  type AdmissionRequest,
  type AppKey,
  type AuthenticationMethod,
  type Digest,
  identityLinkKind,
  objectNumber,
  type Principal,
  type RecordValue,
  type Session,
  type SessionMode,
} from "@sallyport/storage";
import type { Access } from "./access.ts";
import { identityLinkOf } from "./memory-account-repository.ts";
import { channelOfRecord } from "./channel-record.ts";
import { settingsOf } from "./memory-settings-repository.ts";
import { livingRecord, takeRecord } from "./memory-record-repository.ts";
import { isLive, isTouchDue, type SessionRecord, touched } from "./records.ts";
import type { State } from "./state.ts";

export const memoryAdmissionRepository = (access: Access): AdmissionRepository => ({
  async admit(request) {
    // Only a due touch writes, and only writes wait for transactions.
    const seen = await access.read((state, now) => lookUp(state, request, now));
    if (!seen.touchDue) return seen.admission;
    return access.write((state, now) => {
      const { admission, record, touchDue } = lookUp(state, request, now);
      if (touchDue)
        state.sessions.set(request.session as string, touched(record as SessionRecord, request.idleTimeout, now));
      return admission;
    });
  },

  admitCallback: (digest) =>
    access.write((state, now) => {
      const settings = settingsOf(state);
      const known = settings.maintenance ? null : takeRecord(state, "providerState", digest, now);
      return { ...settings, state: known, appKey: appKeyOf(state, namedKey(known)) };
    }),
});

function namedKey(payload: RecordValue | null): Digest | null {
  if (typeof payload !== "object" || payload === null || !Object.hasOwn(payload, "appKey")) return null;
  const { appKey } = payload as { readonly appKey: unknown };
  return typeof appKey === "string" ? appKey : null;
}

interface AdmissionLookup {
  readonly admission: Admission;
  readonly record: SessionRecord | null;
  readonly touchDue: boolean;
}

function lookUp(
  state: State,
  { appKey: keyDigest, session: digest, mode = "session", idleTimeout }: AdmissionRequest,
  now: number,
): AdmissionLookup {
  const appKey = appKeyOf(state, keyDigest);
  const found = appKey === null || digest === null ? null : liveSession(state, digest, mode, appKey, now);
  const admission = {
    ...settingsOf(state),
    appKey,
    session: found === null ? null : sessionOf(state, digest as string, found),
    principal: found === null ? null : principalOf(state, found.account),
  };
  return {
    admission,
    record: found?.record ?? null,
    touchDue: found !== null && isTouchDue(found.record, idleTimeout, now),
  };
}

function appKeyOf({ appKeys, appKeyDigests }: State, digest: string | null): AppKey | null {
  const name = digest === null ? undefined : appKeyDigests.get(digest);
  return (name === undefined ? undefined : appKeys.get(name)) ?? null;
}

interface LiveSession {
  readonly record: SessionRecord;
  readonly account: Account;
  readonly authenticationMethod: AuthenticationMethod;
}

function liveSession(state: State, digest: string, mode: SessionMode, appKey: AppKey, now: number): LiveSession | null {
  const record = state.sessions.get(digest);
  if (
    record === undefined ||
    record.session.mode !== mode ||
    record.session.appKeyId !== appKey.id ||
    !isLive(record, now)
  )
    return null;
  const account = state.accounts.get(record.session.userId);
  if (account === undefined || account.disabled || account.secretVersion !== record.secretVersion) return null;
  const authenticationMethod = currentAuthenticationMethod(state, record.session.authenticationMethod, now);
  return authenticationMethod === null ? null : { record, account, authenticationMethod };
}

/** The authentication method of a session; `null` if it is no longer valid. */
function currentAuthenticationMethod(
  state: State,
  authenticationMethod: AuthenticationMethod,
  now: number,
): AuthenticationMethod | null {
  switch (authenticationMethod.kind) {
    case "password":
      return authenticationMethod;
    case "custom": {
      const account = state.accounts.get(authenticationMethod.accountId);
      return account !== undefined && !account.disabled && account.secretVersion === authenticationMethod.secretVersion
        ? authenticationMethod
        : null;
    }
    case "provider": {
      const { id, createdVersion } = authenticationMethod.link;
      const record = livingRecord(state, identityLinkKind, id, now);
      return record?.createdVersion === createdVersion
        ? { ...authenticationMethod, link: identityLinkOf(record) }
        : null;
    }
  }
}

function sessionOf({ channels }: State, digest: string, { record, authenticationMethod }: LiveSession): Session {
  const channel = channels.get(digest);
  const session = { ...record.session, authenticationMethod };
  return channel === undefined ? session : { ...session, channel: channelOfRecord(channel) };
}

function principalOf({ objects }: State, { userId, administrator }: Account): Principal {
  const attributes = objects.get(objectNumber(userId))?.attributes ?? {};
  const groups = Object.hasOwn(attributes, "Groups") ? attributes["Groups"] : null;
  return { userId, groups: Array.isArray(groups) ? groups.filter((id) => typeof id === "string") : [], administrator };
}
