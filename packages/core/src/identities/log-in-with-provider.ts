import { type LogInResult, providerUserKey, type SecondFactorInput, type LogInServices } from "../access/index.ts";
import {
  type AuthenticatedAccount,
  identityLinkId,
  randomUuid,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import { ownUserLinks, serializeOwnUser } from "../objects/index.ts";
import type { AppKeyContext, Uses } from "../request/index.ts";
import { type NewExternalUser, assignProviderUser } from "./assign-provider-user.ts";
import { assignableIdentities, type AssignableIdentity, assignableLifetime, printableText } from "./links.ts";

/** An opened session, or the `dfUuid` to link the external account with. */
export type ProviderOutcome = LogInResult | { readonly dfUuid: string };

/** An identity proven by a provider, and the log-in that requested it. */
export interface ProvenLogIn extends NewExternalUser {
  readonly deviceId: string | null;
  readonly secondFactor: SecondFactorInput;
  /** Consumes the proof in the transaction that stores the outcome. `false` if it is already consumed, which results in 324. */
  readonly consume?: (r: Repositories) => Promise<boolean>;
}

export async function logInWithProvider(
  context: AppKeyContext & Uses<Omit<LogInServices, "hasher">>,
  logIn: ProvenLogIn,
): Promise<ProviderOutcome> {
  try {
    return await logInLinkedUser(context, logIn);
  } catch (error) {
    if (!(error instanceof UnlinkedIdentityError)) throw error;
    return offerLinking(context, logIn);
  }
}

/** Logs in the linked user. An unlinked identity is linked first, if a default user or a hook provides a user. */
async function logInLinkedUser(
  context: AppKeyContext & Uses<Omit<LogInServices, "hasher">>,
  logIn: ProvenLogIn,
): Promise<LogInResult> {
  const { profile, registered, appNames, deviceId, secondFactor, consume } = logIn;
  const attempt = {
    mode: "session",
    userKey: providerUserKey(profile),
    account: { linkId: identityLinkId(profile, context.database.digests) },
    proof: prepareLinkProof(context, logIn),
    appNames,
    deviceId,
    secondFactor,
    providerName: registered.provider.type,
    ...(consume === undefined ? {} : { consume: consumeOrThrow(consume, () => new AlreadyConsumedError()) }),
  } as const;
  const { sessionId, prepared: user } = await context.services.gate.openSession(context, attempt, (authenticated) =>
    serializeOwnUser(context, authenticated),
  );
  return { sessionId, user, databaseName: context.database.name };
}

/** Reads the link of the identity. The proof links an unlinked identity, and resolves to the linked user. */
async function prepareLinkProof(
  context: AppKeyContext & Uses<Omit<LogInServices, "hasher">>,
  logIn: ProvenLogIn,
): Promise<() => Promise<AuthenticatedAccount | null>> {
  const linkId = identityLinkId(logIn.profile, context.database.digests);
  const links = ownUserLinks(context);
  const findUser = () => context.r.accounts.find({ linkId }, links);
  const before = await findUser();
  return async () => {
    if (before.link === null && !(await assignProviderUser(context, logIn))) throw new UnlinkedIdentityError();
    const { link, account, user, linked } = before.link === null ? await findUser() : before;
    if (link === null) throw new UnlinkedIdentityError();
    if (account === null || user === null || account.disabled) return null;
    return { account, user, linked, authenticationMethod: { kind: "provider", link } };
  };
}

/** Issues a `dfUuid` for an identity without a linked user. */
async function offerLinking(
  context: AppKeyContext & Uses<Pick<LogInServices, "random">>,
  { profile, registered, consume }: ProvenLogIn,
): Promise<{ dfUuid: string }> {
  const { database, appKey } = context;
  const { issuer, subject, email, name, surname } = profile;
  const dfUuid = randomUuid(context.services.random);
  const identityKey = { appKeyId: appKey.id, provider: registered.provider.type, issuer, subject };
  const identity = {
    ...identityKey,
    email: printableText(email),
    displayName: printableText(`${name} ${surname}`),
  } satisfies AssignableIdentity;
  const store = ({ records }: Repositories) =>
    records.put(assignableIdentities, database.digests.sha256(dfUuid), identity, {
      lifetime: assignableLifetime,
    });
  if (consume === undefined) await store(context.r);
  else {
    await database.storage.transaction(async (r) => {
      await consumeOrThrow(consume, () => new ServiceError(324, { detail: alreadyConsumedDetail }))(r);
      await store(r);
    });
  }
  return { dfUuid };
}

/** The identity is not linked, and neither a default user nor a hook provides a user. */
class UnlinkedIdentityError extends Error {
  override readonly name = "UnlinkedIdentityError";
}

const alreadyConsumedDetail = "A concurrent request has used it.";

/** A concurrent request has consumed the proof. The gate has already audited it. */
export class AlreadyConsumedError extends ServiceError {
  constructor() {
    super(324, { detail: alreadyConsumedDetail });
  }
}

function consumeOrThrow(
  consume: (r: Repositories) => Promise<boolean>,
  refusal: () => ServiceError,
): (r: Repositories) => Promise<void> {
  return async (r) => {
    if (!(await consume(r))) throw refusal();
  };
}
