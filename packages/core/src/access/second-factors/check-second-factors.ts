import { type Digest, explained, type Finding, personOf, type Repositories, ServiceError } from "@sallyport/storage";
import { type AppKeyContext, appKeyEvent, type Uses } from "../../request/index.ts";
import type { Application } from "../appkeys/applications.ts";
import { type FactorProofs, parseTokens, type FactorServices } from "./factor-secrets.ts";
import { endOtherSessions, type SessionUser } from "./own-factors.ts";
import { type FoundFactor, SecondFactors } from "./second-factors.ts";

export interface SecondFactorInput {
  /** A token or a recovery code, or several separated by commas. `null` or blank: none. */
  readonly token: string | null;
  /** Whether to open an enrolling session if a required factor is not set up. */
  readonly enrol?: boolean;
  /** When the client sent the token, in milliseconds since 1970 by the storage's clock. Default: now. */
  readonly at?: number;
}

/** Result of the check: no factor needed, tokens to consume when the session opens, or enrolment only. */
export type FactorCheck =
  | { readonly kind: "free" }
  | { readonly kind: "enrolling" }
  /** Throws 342 if a concurrent request has consumed the proof. */
  | { readonly kind: "proven"; readonly consume: (r: Repositories) => Promise<void> };

interface FactorRequest {
  readonly secondFactor?: SecondFactorInput;
}

/** The user of the check. If tokens confirm a factor, the session `except` stays open. */
export interface FactorUser extends SessionUser {
  readonly except?: Digest;
}

/** The applications that can need a second factor. Whether the user has one is read only after the first factor is proven. */
export function withSecondFactors(applications: readonly Application[]): Application[] {
  return applications.filter(({ secondFactor }) => secondFactor !== "off");
}

/**
 * Checks the second factors of a log-in after the first factor is proven. Required factor not set up: 340. Token
 * missing: 341. Token incomplete, wrong or used: 342. No master key: 705.
 */
export async function checkSecondFactors(
  context: AppKeyContext & Uses<Pick<FactorServices, "factorProofs">>,
  { secondFactor }: FactorRequest,
  user: FactorUser,
  applications: readonly Application[],
): Promise<FactorCheck> {
  if (applications.length === 0) return { kind: "free" };
  const subject = personOf(user);
  const [factors, now] = await Promise.all([
    new SecondFactors(context.r.records).find(
      subject,
      applications.map(({ name }) => name),
    ),
    secondFactor?.at ?? context.database.storage.now(),
  ]);
  const tokens = parseTokens(secondFactor?.token ?? null);
  const forced = applications.filter(({ secondFactor: rule }) => rule === "forced").map(({ name }) => name);
  // Where a factor is forced, the first log-in with its token confirms a pending factor.
  const active = factors.filter(
    ({ appName, confirmed }) => confirmed || (tokens.length > 0 && forced.includes(appName)),
  );
  const missing = forced.find((name) => !active.some(({ appName }) => appName === name));
  if (missing !== undefined) {
    if (secondFactor?.enrol === true) return { kind: "enrolling" };
    const state = factors.some(({ appName }) => appName === missing) ? "an unconfirmed one" : "none";
    throw explained(new ServiceError(340), {
      asked: `Has the user the second factor that "${missing}" requires?`,
      found: `No: the user has ${state}.`,
    });
  }
  if (active.length === 0) return { kind: "free" };
  if (tokens.length === 0)
    throw explained(new ServiceError(341), {
      asked: `Did the client send the token of the second factor of "${active.map(({ appName }) => appName).join(", ")}"?`,
      found: "No.",
    });
  // At most one token per factor. More would allow several guesses in one attempt.
  const candidates = tokens.slice(0, active.length);
  return {
    kind: "proven",
    consume: findProofs(context, user, active, (factor) => context.services.factorProofs.find(factor, candidates, now)),
  };
}

/** Finds the proof of each factor. Throws 342 if one has none. The returned function consumes them. */
function findProofs(
  context: AppKeyContext,
  { except, ...user }: FactorUser,
  factors: readonly FoundFactor[],
  findProof: (factor: FoundFactor) => ReturnType<FactorProofs["find"]>,
) {
  const proofs = factors.map((factor) => {
    const consume = findProof(factor);
    if (consume === null) throw explained(new ServiceError(342), wrongToken(factor.appName));
    return { ...factor, consume };
  });
  return async (r: Repositories): Promise<void> => {
    for (const { consume, confirmed, appName } of proofs) {
      if (!(await consume(r))) throw explained(new ServiceError(342), wrongToken(appName));
      if (confirmed) continue;
      await endOtherSessions(r, user, except);
      await r.audit.append(
        appKeyEvent(context, { type: "secondFactor.confirmed", outcome: 0, userId: user.userId, appNames: [appName] }),
      );
    }
  };
}

function wrongToken(appName: string): Finding {
  return {
    asked: `Is one of the tokens right for "${appName}", and new?`,
    found: "No: it is wrong, expired or was used before. The clock of the device may be wrong.",
  };
}
