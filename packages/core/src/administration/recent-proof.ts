import {
  administrationAppName,
  ownFactor,
  sessionUserKey,
  proveFactor,
  preparePasswordProof,
  type ProofServices,
  type PasswordHasher,
} from "../access/index.ts";
import {
  accountOwner,
  type Digest,
  explained,
  type ObjectId,
  type RecordKind,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import { type SessionContext, sessionEvent, type Uses } from "../request/index.ts";

/** Proofs by session. The records expire. */
const recentProofs: RecordKind<true> = "recentProof";

/** Milliseconds for which a proof is recent. */
const proofLifetime = 10 * 60_000;

export async function keepProof(
  { records }: Pick<Repositories, "records">,
  sessionDigest: Digest,
  userId: ObjectId,
): Promise<void> {
  await records.put(recentProofs, sessionDigest, true, { owner: accountOwner(userId), lifetime: proofLifetime });
}

/** Throws 802 unless the user of the session has proven password or factor in the last ten minutes. */
export async function requireRecentProof(
  { records }: Pick<Repositories, "records">,
  sessionDigest: Digest,
): Promise<void> {
  if ((await records.get(recentProofs, [sessionDigest])).length > 0) return;
  throw explained(new ServiceError(802), {
    asked: "Has the administrator given a proof in the last 10 minutes?",
    found: "No.",
  });
}

/** The own password, in plain text or as the client hash, or a token of the second factor. */
export type ProofInput = { readonly pass: string } | { readonly token: string };

/**
 * Proves the administrator of a session again. Failures count as those of log-ins. Wrong password, or lockout: 302.
 * Wrong token: 342. No factor: 304.
 */
export async function giveProof(
  context: SessionContext & Uses<ProofServices & { readonly hasher: PasswordHasher }>,
  proof: ProofInput,
): Promise<void> {
  const { r: outside, principal, database, sessionDigest } = context;
  const { userId } = principal;
  const act = async (r: Repositories) => {
    await keepProof(r, sessionDigest, userId);
    await r.audit.append(sessionEvent(context, { type: "proof.given" }));
  };
  if ("token" in proof) {
    const own = await ownFactor(context, administrationAppName);
    if (own.factor?.confirmed !== true) throw new ServiceError(304, { detail: "There is no confirmed factor." });
    await proveFactor(context, own, proof.token, act);
    return;
  }
  const { clientHash } = database.policy;
  const { account } = await outside.accounts.find({ id: userId }, []);
  if (account === null) throw new ServiceError(context.sessionEndedCode);
  const credentials = { user: account.loginName, pass: proof.pass, clientHash, links: [] };
  const prove = await preparePasswordProof(context, credentials);
  await context.services.gate.guard(context, {
    userKey: await sessionUserKey(context),
    refusal: { code: 302, type: "proof.refused" },
    userId,
    prove,
    act,
  });
}
