import { ServiceError } from "../../errors/index.ts";
import { type AppKeyContext, logInEvent } from "../../request/index.ts";
import type { Person, Repositories } from "../../storage/index.ts";
import { type Application, Applications } from "../appkeys/applications.ts";
import { type FactorProofs, shownTokens } from "./factor-secrets.ts";
import { endOtherSessions, factorSubjectOf } from "./own-factors.ts";
import { type FoundFactor, SecondFactors } from "./second-factors.ts";

export interface ShownFactor {
  /** A token or a recovery code; several with commas between them; `null` or blank is none. */
  readonly token: string | null;
  /** Whether it asks for a session to set up a factor with, should one be demanded that is not there. */
  readonly enrol?: boolean;
  /** When the token was given, in milliseconds since 1970 by the storage's clock; else it is now. */
  readonly at?: number;
}

export type AskingApplication = Pick<Application, "name" | "secondFactor">;

/** How somebody passes: as he is, with tokens that are spent when the session opens, or only to set up a factor. */
export type FactorPassage =
  | { readonly kind: "free" }
  | { readonly kind: "enrolling" }
  /** 342 if what proved a factor was spent by somebody else meanwhile. */
  | { readonly kind: "proven"; readonly spend: (r: Repositories) => Promise<void> };

interface Asked {
  readonly appNames: readonly string[];
  readonly secondFactor?: ShownFactor;
}

/** Decides what a log-in that has proven who it is needs of second factors. */
export class CheckSecondFactors {
  constructor(private readonly proofs: FactorProofs) {}

  /** Those of the app names that ask for factors; who has them is known only once it is proven who it is. */
  asking({ r }: AppKeyContext, { appNames }: Asked): Promise<AskingApplication[]> {
    return new Applications(r.records).askingForFactors(appNames);
  }

  /** 340: a demanded factor is not set up; 341: no token; 342: one is missing, wrong or used; 705: no master key. */
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
    // A factor that was begun is confirmed by the first log-in with a token of it, where one is forced.
    const counting = factors.filter(
      ({ appName, confirmed }) => confirmed || (shown.length > 0 && forced.includes(appName)),
    );
    if (forced.some((name) => !counting.some(({ appName }) => appName === name))) {
      if (secondFactor?.enrol === true) return { kind: "enrolling" };
      throw new ServiceError(340);
    }
    if (counting.length === 0) return { kind: "free" };
    if (shown.length === 0) throw new ServiceError(341);
    // One for each factor: more of them would be more guesses than one.
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
