import { ServiceError } from "../../errors/index.ts";
import { type AppKeyContext, logInEvent } from "../../request/index.ts";
import type { Person, Repositories } from "../../storage/index.ts";
import { type Application, Applications } from "../appkeys/applications.ts";
import { type FactorProofs, shownTokens } from "./factor-secrets.ts";
import { endOtherSessions, factorSubjectOf } from "./own-factors.ts";
import { type FoundFactor, SecondFactors } from "./second-factors.ts";

export interface ShownFactor {
  /** A token or a recovery code, or several separated by commas. `null` or blank: none. */
  readonly token: string | null;
  /** Whether to open an enrolling session if a required factor is not set up. */
  readonly enrol?: boolean;
  /** When the token was given, in milliseconds since 1970 by the storage's clock. Default: now. */
  readonly at?: number;
}

export type AskingApplication = Pick<Application, "name" | "secondFactor">;

/** Result of the check: no factor needed, tokens to consume when the session opens, or enrolment only. */
export type FactorPassage =
  | { readonly kind: "free" }
  | { readonly kind: "enrolling" }
  /** Throws 342 if a concurrent request has consumed the proof. */
  | { readonly kind: "proven"; readonly spend: (r: Repositories) => Promise<void> };

interface Asked {
  readonly appNames: readonly string[];
  readonly secondFactor?: ShownFactor;
}

/** Checks the second factors of a log-in after the first factor is proven. */
export class CheckSecondFactors {
  constructor(private readonly proofs: FactorProofs) {}

  /** Returns the app names that require factors. The user's factors are looked up only after the proof. */
  asking({ r }: AppKeyContext, { appNames }: Asked): Promise<AskingApplication[]> {
    return new Applications(r.records).askingForFactors(appNames);
  }

  /** Required factor not set up: 340. Token missing: 341. Token incomplete, wrong or used: 342. No master key: 705. */
  async checkSecondFactors(
    context: AppKeyContext,
    { secondFactor }: Asked,
    person: Person,
    asking: readonly AskingApplication[],
  ): Promise<FactorPassage> {
    if (asking.length === 0) return { kind: "free" };
    const subject = factorSubjectOf(person.account.userId, person.authenticationMethod);
    const [factors, now] = await Promise.all([
      new SecondFactors(context.r.records).find(
        subject,
        asking.map(({ name }) => name),
      ),
      secondFactor?.at ?? context.database.storage.now(),
    ]);
    const shown = shownTokens(secondFactor?.token ?? null);
    const forced = asking.filter(({ secondFactor: rule }) => rule === "forced").map(({ name }) => name);
    // Where a factor is forced, the first log-in with its token confirms a pending factor.
    const counting = factors.filter(
      ({ appName, confirmed }) => confirmed || (shown.length > 0 && forced.includes(appName)),
    );
    if (forced.some((name) => !counting.some(({ appName }) => appName === name))) {
      if (secondFactor?.enrol === true) return { kind: "enrolling" };
      throw new ServiceError(340);
    }
    if (counting.length === 0) return { kind: "free" };
    if (shown.length === 0) throw new ServiceError(341);
    // At most one token per factor. More would allow several guesses in one attempt.
    const looked = shown.slice(0, counting.length);
    return {
      kind: "proven",
      spend: this.spending(context, person, counting, (factor) => this.proofs.find(factor, looked, now)),
    };
  }

  private spending(
    context: AppKeyContext,
    person: Person,
    factors: readonly FoundFactor[],
    prove: (factor: FoundFactor) => ReturnType<FactorProofs["find"]>,
  ) {
    const proofs = factors.map((factor) => {
      const spend = prove(factor);
      if (spend === null) throw new ServiceError(342);
      return { ...factor, spend };
    });
    const { authenticationMethod, account } = person;
    return async (r: Repositories): Promise<void> => {
      for (const { spend, confirmed, appName } of proofs) {
        if (!(await spend(r))) throw new ServiceError(342);
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
