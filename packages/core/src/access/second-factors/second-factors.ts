import type { Digest } from "../../digests/index.ts";
import {
  allParts,
  changeRecord,
  type RecordKind,
  type RecordRepository,
  type StoredRecord,
} from "../../storage/index.ts";

/** Factors by subject and app name, which belong to their subjects. Subjects hold no space, so the order of the ids is that of both. */
export const secondFactorKind: RecordKind<SecondFactor> = "secondFactor";

/** Names one factor: whose, and for which app name. */
export type FactorKey = Pick<SecondFactor, "subject" | "appName">;

export type NewSecondFactor = FactorKey & Pick<SecondFactor, "sealedSecret" | "recoveryCodes">;

/** A factor as it was found; `version` tells whether it is still the same. */
export type FoundFactor = SecondFactor & Pick<StoredRecord, "version">;

/** Second factors in the database. What is accepted once is accepted nowhere again, however many try at once, in however many processes. */
export class SecondFactors {
  constructor(private readonly records: RecordRepository) {}

  /** Those of a subject for any of these app names, in the order of the app names. */
  async find(subject: FactorSubject, appNames: readonly string[]): Promise<FoundFactor[]> {
    const ids = appNames.map((appName) => idOf({ subject, appName }));
    const found = await this.records.get(secondFactorKind, ids);
    return found.map(foundFactor).toSorted(byAppName);
  }

  /** Begins, or begins anew with another secret; `confirmed`, unchanged, if one is confirmed. Not storable: 307. */
  async enrol(factor: NewSecondFactor): Promise<"enrolled" | "confirmed"> {
    const begun: SecondFactor = { ...factor, confirmed: false, lastStep: -1 };
    for (;;) {
      const [present] = await this.records.get(secondFactorKind, [idOf(factor)]);
      if (present?.value.confirmed === true) return "confirmed";
      const options = { owner: factor.subject, ifVersion: present?.version ?? ("none" as const) };
      if ((await this.records.put(secondFactorKind, idOf(factor), begun, options)) === "stored") return "enrolled";
    }
  }

  /** Accepts a later time step and confirms the factor; `false` also if the factor has another secret by now. */
  accept(found: FoundFactor, step: number): Promise<boolean> {
    return this.change(found, (factor) =>
      factor.sealedSecret === found.sealedSecret && factor.lastStep < step
        ? { ...factor, confirmed: true, lastStep: step }
        : null,
    );
  }

  /** Spends a recovery code of a confirmed factor; `false` if it is none of those that are left. */
  recover(found: FoundFactor, code: Digest): Promise<boolean> {
    return this.change(found, (factor) =>
      factor.confirmed && factor.recoveryCodes.includes(code)
        ? { ...factor, recoveryCodes: factor.recoveryCodes.filter((each) => each !== code) }
        : null,
    );
  }

  /** `false` if there was none. Without an app name: all of the subject. */
  async remove(subject: FactorSubject, appName: string | null): Promise<boolean> {
    const selector = appName === null ? { owner: subject } : { ids: [idOf({ subject, appName })] };
    return (await this.records.remove(secondFactorKind, selector)).length > 0;
  }

  /** Whether a subject has a factor, for any app name, that log-ins ask for. */
  async hasConfirmed(subject: FactorSubject): Promise<boolean> {
    const factors = await allParts(
      (part) => this.records.list(secondFactorKind, { owner: subject, ...part }),
      ({ id }) => id,
    );
    return factors.some(({ value }) => value.confirmed);
  }

  /** At most `limit` of them in the order of their subjects, then of their app names, by code points: from the first (`null`), or those after one. */
  async list(after: FactorKey | null, limit: number): Promise<FoundFactor[]> {
    const part = await this.records.list(secondFactorKind, { after: after === null ? null : idOf(after), limit });
    return part.map(foundFactor);
  }

  private change(found: FoundFactor, work: (factor: SecondFactor) => SecondFactor | null): Promise<boolean> {
    const { version, ...value } = found;
    return changeRecord(this.records, secondFactorKind, idOf(found), work, { owner: found.subject, value, version });
  }
}

function foundFactor({ value, version }: StoredRecord<SecondFactor>): FoundFactor {
  return { ...value, version };
}

/** UTF-16 orders as code points do, but for what lies beyond the first plane: the order only has to be one. */
function byAppName({ appName: one }: FactorKey, { appName: other }: FactorKey): number {
  return one < other ? -1 : Number(one > other);
}

export function factorRecord({ subject, appName }: FactorKey) {
  return { kind: secondFactorKind, id: idOf({ subject, appName }), owner: subject };
}

function idOf({ subject, appName }: FactorKey): string {
  return `${subject} ${appName}`;
}

/** What an app name asks of a log-in: it has no second factor, users may have one, or must. */
export type SecondFactorRule = "off" | "optional" | "forced";

/** `user:<id of the object>`, `custom:<id of the account>`, or `link:<id>` of a link whose user others share. */
export type FactorSubject = string;

export interface SecondFactor {
  readonly subject: FactorSubject;
  readonly appName: string;
  readonly sealedSecret: string;
  /** Whether its owner has shown a token of it; before, it asks for nothing. */
  readonly confirmed: boolean;
  /** The latest time step of which a token was accepted; −1: none was. */
  readonly lastStep: number;
  /** SHA-256 of the recovery codes that are left. */
  readonly recoveryCodes: readonly Digest[];
}
