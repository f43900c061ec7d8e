import {
  acceptStorable,
  type Digest,
  type FactorKey,
  type FactorSubject,
  type NewSecondFactor,
  type SecondFactor,
  type SecondFactorRepository,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy, partByName } from "./table.ts";

export class MemorySecondFactorRepository implements SecondFactorRepository {
  constructor(private readonly access: Access) {}

  find(subject: FactorSubject, appNames: readonly string[]): Promise<SecondFactor[]> {
    const keys = [...new Set(appNames)].map((appName) => factorKey({ subject, appName }));
    return this.access.read(({ secondFactors }) =>
      byKey(
        keys.flatMap((key) => secondFactors.get(key) ?? []),
        null,
        keys.length,
      ),
    );
  }

  async enrol({ subject, appName, sealedSecret, recoveryCodes }: NewSecondFactor): Promise<"enrolled" | "confirmed"> {
    acceptStorable([subject, appName, sealedSecret]);
    const factor = frozenCopy({ subject, appName, sealedSecret, confirmed: false, lastStep: -1, recoveryCodes });
    return this.access.write(({ secondFactors }) => {
      if (secondFactors.get(factorKey(factor))?.confirmed === true) return "confirmed";
      secondFactors.set(factorKey(factor), factor);
      return "enrolled";
    });
  }

  accept({ sealedSecret, ...factor }: FactorKey & Pick<SecondFactor, "sealedSecret">, step: number): Promise<boolean> {
    return this.access.write(({ secondFactors }) => {
      const known = secondFactors.get(factorKey(factor));
      if (known === undefined || known.sealedSecret !== sealedSecret || known.lastStep >= step) return false;
      secondFactors.set(factorKey(factor), frozenCopy({ ...known, confirmed: true, lastStep: step }));
      return true;
    });
  }

  recover(factor: FactorKey, code: Digest): Promise<boolean> {
    return this.access.write(({ secondFactors }) => {
      const known = secondFactors.get(factorKey(factor));
      if (known?.confirmed !== true || !known.recoveryCodes.includes(code)) return false;
      secondFactors.set(
        factorKey(factor),
        frozenCopy({ ...known, recoveryCodes: known.recoveryCodes.filter((each) => each !== code) }),
      );
      return true;
    });
  }

  remove(subject: FactorSubject, appName: string | null): Promise<boolean> {
    return this.access.write(({ secondFactors }) => {
      const gone = [...secondFactors.values()].filter(
        (factor) => factor.subject === subject && (appName === null || factor.appName === appName),
      );
      for (const factor of gone) secondFactors.delete(factorKey(factor));
      return gone.length > 0;
    });
  }

  list(after: FactorKey | null, limit: number): Promise<SecondFactor[]> {
    return this.access.read(({ secondFactors }) => byKey(secondFactors.values(), after, limit));
  }
}

/** A zero character comes before any other, so that the order of the keys is that of the subjects, then of the app names. */
function byKey(factors: Iterable<SecondFactor>, after: FactorKey | null, limit: number): SecondFactor[] {
  return partByName(factors, factorKey, after && factorKey(after), limit);
}

/** Under which a factor stands in its table: texts that are storable hold no zero character. */
export function factorKey({ subject, appName }: FactorKey): string {
  return `${subject}\0${appName}`;
}
