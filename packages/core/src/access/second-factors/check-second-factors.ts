import { ServiceError } from "../../errors/index.ts";
import { type AppKeyContext, logInEvent } from "../../request/index.ts";
import { type AuthenticatedAccount, personOf, type Repositories } from "../../storage/index.ts";
import { type Application, Applications } from "../appkeys/applications.ts";
import { type FactorProofs, parseTokens } from "./factor-secrets.ts";
import { endOtherSessions } from "./own-factors.ts";
import { type FoundFactor, SecondFactors } from "./second-factors.ts";

export interface SecondFactorInput {
  /** A token or a recovery code, or several separated by commas. `null` or blank: none. */
  readonly token: string | null;
  /** Whether to open an enrolling session if a required factor is not set up. */
  readonly enrol?: boolean;
  /** When the token was given, in milliseconds since 1970 by the storage's clock. Default: now. */
  readonly at?: number;
}

export type ApplicationWithFactors = Pick<Application, "name" | "secondFactor">;

/** Result of the check: no factor needed, tokens to consume when the session opens, or enrolment only. */
export type FactorCheck =
  | { readonly kind: "free" }
  | { readonly kind: "enrolling" }
  /** Throws 342 if a concurrent request has consumed the proof. */
  | { readonly kind: "proven"; readonly consume: (r: Repositories) => Promise<void> };

interface FactorRequest {
  readonly appNames: readonly string[];
  readonly secondFactor?: SecondFactorInput;
}

/** Checks the second factors of a log-in after the first factor is proven. */
export class CheckSecondFactors {
  constructor(private readonly proofs: FactorProofs) {}

  /** Returns the app names that require factors. The user's factors are looked up only after the proof. */
  applicationsWithFactors({ r }: AppKeyContext, { appNames }: FactorRequest): Promise<ApplicationWithFactors[]> {
    return new Applications(r.records).withSecondFactors(appNames);
  }

  /** Required factor not set up: 340. Token missing: 341. Token incomplete, wrong or used: 342. No master key: 705. */
  async checkSecondFactors(
    context: AppKeyContext,
    { secondFactor }: FactorRequest,
    authenticated: AuthenticatedAccount,
    applications: readonly ApplicationWithFactors[],
  ): Promise<FactorCheck> {
    if (applications.length === 0) return { kind: "free" };
    const subject = personOf({ ...authenticated, ...authenticated.account });
    const [factors, now] = await Promise.all([
      new SecondFactors(context.r.records).find(
        subject,
        applications.map(({ name }) => name),
      ),
      secondFactor?.at ?? context.database.storage.now(),
    ]);
    const shown = parseTokens(secondFactor?.token ?? null);
    const forced = applications.filter(({ secondFactor: rule }) => rule === "forced").map(({ name }) => name);
    // Where a factor is forced, the first log-in with its token confirms a pending factor.
    const effective = factors.filter(
      ({ appName, confirmed }) => confirmed || (shown.length > 0 && forced.includes(appName)),
    );
    if (forced.some((name) => !effective.some(({ appName }) => appName === name))) {
      if (secondFactor?.enrol === true) return { kind: "enrolling" };
      throw new ServiceError(340);
    }
    if (effective.length === 0) return { kind: "free" };
    if (shown.length === 0) throw new ServiceError(341);
    // At most one token per factor. More would allow several guesses in one attempt.
    const checked = shown.slice(0, effective.length);
    return {
      kind: "proven",
      consume: this.consumeProofs(context, authenticated, effective, (factor) =>
        this.proofs.find(factor, checked, now),
      ),
    };
  }

  private consumeProofs(
    context: AppKeyContext,
    authenticated: AuthenticatedAccount,
    factors: readonly FoundFactor[],
    prove: (factor: FoundFactor) => ReturnType<FactorProofs["find"]>,
  ) {
    const proofs = factors.map((factor) => {
      const consume = prove(factor);
      if (consume === null) throw new ServiceError(342);
      return { ...factor, consume };
    });
    const { authenticationMethod, account } = authenticated;
    return async (r: Repositories): Promise<void> => {
      for (const { consume, confirmed, appName } of proofs) {
        if (!(await consume(r))) throw new ServiceError(342);
        if (confirmed) continue;
        await endOtherSessions(r, { userId: account.userId, authenticationMethod });
        await r.audit.append(
          logInEvent(context, {
            type: "secondFactor.confirmed",
            outcome: 0,
            userId: account.userId,
            appNames: [appName],
          }),
        );
      }
    };
  }
}
