import { type Repositories, ServiceError } from "@sallyport/storage";
import type { SessionContext, Uses } from "../../request/index.ts";
import type { Gate } from "../gate/gate.ts";
import { parseTokens, type FactorServices } from "./factor-secrets.ts";
import { type OwnFactor, ownFactor } from "./own-factors.ts";
import type { SecondFactor } from "./second-factors.ts";

/** Services of proofs in a session. */
export interface ProofServices extends Pick<FactorServices, "factorProofs"> {
  readonly gate: Gate;
}

/**
 * Verifies a factor in an open session, under the lockout of the factor and of the client's address. Runs `act` in the
 * transaction that consumes the token. No factor: 304. No token: 341. Wrong or used token: 342, counted.
 */
export function proveFactor<T>(
  context: SessionContext & Uses<ProofServices>,
  { factor, subject, appName }: OwnFactor,
  token: string | null,
  act: (r: Repositories, factor: SecondFactor) => Promise<T>,
): Promise<T> {
  if (factor === null) throw new ServiceError(304, { detail: "The user has no second factor." });
  const [tokenText] = parseTokens(token);
  if (tokenText === undefined) throw new ServiceError(341);
  return context.services.gate.guard(context, {
    userKey: `factor\0${subject}\0${appName}`,
    refusal: { code: 342, type: "secondFactor.refused" },
    userId: context.principal.userId,
    prove: async () => context.services.factorProofs.find(factor, [tokenText], await context.database.storage.now()),
    consume: async (r, proof) => {
      if (!(await proof(r))) throw new ServiceError(342);
    },
    act: (r) => act(r, factor),
  });
}

/**
 * Verifies the second factor again before a sensitive step. Consumes the token. Throws 208, 341 or 342. No confirmed
 * factor: 304.
 */
export async function validateSecondFactor(
  context: SessionContext & Uses<ProofServices>,
  appName: string,
  token: string | null,
): Promise<void> {
  const own = await ownFactor(context, appName);
  if (own.factor?.confirmed === false) throw new ServiceError(304, { detail: "The second factor is not confirmed." });
  await proveFactor(context, own, token, async () => {});
}
