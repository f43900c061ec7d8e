import type { Digest } from "../digests/index.ts";
import { identityLinkKind } from "../entities/identity-links.ts";
import type { Principal } from "../entities/principal.ts";
import { type AuthenticationMethod, type Session, touchInterval } from "../entities/session.ts";
import { idsOf } from "../entities/stored-object.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader } from "../kernel/rows.ts";
import type { Account } from "../ports/account-repository.ts";
import type { Admission, AdmissionRepository, AdmissionRequest } from "../ports/admission-repository.ts";
import type { AppKey } from "../ports/app-key-repository.ts";
import type { RecordValue } from "../ports/record-repository.ts";
import { identityLinkOf, userOf } from "./accounts.ts";
import { appKeyOf } from "./app-keys.ts";
import { channelOfRow } from "./channels.ts";
import { livingRecord, takeRecord } from "./records.ts";
import { liveSession } from "./sessions.ts";
import { settingsOf } from "./settings.ts";
import { accountTable, channelTable, type SessionRow, sessionTable } from "./tables.ts";

export const admissionRepository = (access: Access): AdmissionRepository => ({
  async admit(request) {
    // Only a due touch writes, and only writes wait for transactions.
    const seen = await access.read((rows) => lookUp(rows, request));
    if (seen.touched === null) return seen.admission;
    return access.write(async (rows) => {
      const { admission, touched } = await lookUp(rows, request);
      if (touched !== null) await rows.put(sessionTable, touched);
      return admission;
    });
  },

  admitCallback: (digest) =>
    access.write(async (rows) => {
      const settings = await settingsOf(rows);
      const state = settings.maintenance ? null : await takeRecord(rows, "providerState", digest, await rows.now());
      return { ...settings, state, appKey: await appKeyOf(rows, namedKey(state)) };
    }),
});

function namedKey(payload: RecordValue | null): Digest | null {
  if (typeof payload !== "object" || payload === null || !Object.hasOwn(payload, "appKey")) return null;
  const { appKey } = payload as { readonly appKey: unknown };
  return typeof appKey === "string" ? appKey : null;
}

/** `touched`: the session with a later expiry, if an extension is due. */
interface AdmissionLookup {
  readonly admission: Admission;
  readonly touched: SessionRow | null;
}

async function lookUp(rows: RowReader, request: AdmissionRequest): Promise<AdmissionLookup> {
  const { appKey: keyDigest, session: digest, idleTimeout } = request;
  const now = await rows.now();
  const appKey = await appKeyOf(rows, keyDigest);
  const session = appKey === null || digest === null ? null : await admitted(rows, request, digest, appKey, now);
  const admission = { ...(await settingsOf(rows)), appKey, session: null, principal: null };
  if (session === null) return { admission, touched: null };
  return {
    admission: {
      ...admission,
      session: await sessionOf(rows, session),
      principal: await principalOf(rows, session.account),
    },
    touched: isTouchDue(session.row, idleTimeout, now) ? touchedRow(session.row, idleTimeout, now) : null,
  };
}

interface AdmittedSession {
  readonly row: SessionRow;
  readonly account: Account;
  readonly authenticationMethod: AuthenticationMethod;
}

async function admitted(
  rows: RowReader,
  { mode = "session" }: AdmissionRequest,
  digest: Digest,
  appKey: AppKey,
  now: number,
): Promise<AdmittedSession | null> {
  const row = await liveSession(rows, digest, now);
  if (row === undefined || row.session.mode !== mode || row.session.appKeyId !== appKey.id) return null;
  const account = await rows.get(accountTable, row.session.userId);
  if (account === undefined || account.disabled || account.secretVersion !== row.secretVersion) return null;
  const authenticationMethod = await currentMethod(rows, row.session.authenticationMethod, now);
  return authenticationMethod === null ? null : { row, account, authenticationMethod };
}

/** The authentication method of a session; `null` if it is no longer valid. */
async function currentMethod(
  rows: RowReader,
  by: AuthenticationMethod,
  now: number,
): Promise<AuthenticationMethod | null> {
  switch (by.kind) {
    case "password":
      return by;
    case "custom": {
      const account = await rows.get(accountTable, by.accountId);
      return account !== undefined && !account.disabled && account.secretVersion === by.secretVersion ? by : null;
    }
    case "provider": {
      const record = await livingRecord(rows, identityLinkKind, by.link.id, now);
      return record?.createdVersion === by.link.createdVersion ? { ...by, link: identityLinkOf(record) } : null;
    }
  }
}

async function sessionOf(rows: RowReader, { row, authenticationMethod }: AdmittedSession): Promise<Session> {
  const session = { ...row.session, authenticationMethod };
  const channel = session.mode === "secure" ? await rows.get(channelTable, row.digest) : undefined;
  return channel === undefined ? session : { ...session, channel: channelOfRow(channel) };
}

async function principalOf(rows: RowReader, account: Account): Promise<Principal> {
  const { userId, administrator } = account;
  const attributes = (await userOf(rows, account))?.attributes ?? {};
  const groups = Array.isArray(attributes["Groups"]) ? idsOf(attributes, "Groups") : [];
  return { userId, groups, administrator };
}

/** Whether the idle expiry is due for extension. */
function isTouchDue({ expiresAt, endsAt }: SessionRow, idleTimeout: number, now: number): boolean {
  return expiresAt < endsAt && expiresAt - now <= idleTimeout - touchInterval(idleTimeout);
}

function touchedRow(row: SessionRow, idleTimeout: number, now: number): SessionRow {
  return { ...row, expiresAt: Math.min(now + idleTimeout, row.endsAt) };
}
