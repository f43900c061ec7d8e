import {
  allPages,
  changeRecord,
  type Digest,
  type RecordKind,
  type RecordRepository,
  type StoredRecord,
  untilDone,
} from "@sallyport/storage";

/** Factors by subject and app name, owned by the subject. Subjects contain no space, so ids sort by subject, then app name. */
export const secondFactorKind: RecordKind<SecondFactor> = "secondFactor";

/** Identifies a factor by owner and app name. */
export type FactorKey = Pick<SecondFactor, "subject" | "appName">;

export type NewSecondFactor = FactorKey & Pick<SecondFactor, "sealedSecret" | "recoveryCodes">;

/** A loaded factor. `version` detects concurrent changes. */
export type FoundFactor = SecondFactor & Pick<StoredRecord, "version">;

/** Second factors of the database. Each token and recovery code is accepted once, even under concurrent use by several processes. */
export class SecondFactors {
  constructor(private readonly records: RecordRepository) {}

  /** Returns a subject's factors for the app names, ordered by app name. */
  async find(subject: FactorSubject, appNames: readonly string[]): Promise<FoundFactor[]> {
    const ids = appNames.map((appName) => idOf({ subject, appName }));
    const stored = await this.records.get(secondFactorKind, ids);
    return stored.map(foundFactor).toSorted(byAppName);
  }

  /** Starts or restarts an enrolment. Returns `confirmed`, without a change, for a confirmed factor. Text that cannot be stored: 307. */
  async enrol(factor: NewSecondFactor): Promise<"enrolled" | "confirmed"> {
    const pendingFactor: SecondFactor = { ...factor, confirmed: false, lastStep: -1 };
    return untilDone(async () => {
      const [present] = await this.records.get(secondFactorKind, [idOf(factor)]);
      if (present?.value.confirmed === true) return "confirmed";
      const options = { owner: factor.subject, ifVersion: present?.version ?? ("none" as const) };
      const stored = await this.records.put(secondFactorKind, idOf(factor), pendingFactor, options);
      return stored === "stored" ? "enrolled" : undefined;
    });
  }

  /** Accepts a later time step and confirms the factor. Returns `false` for an earlier step or a changed secret. */
  accept(found: FoundFactor, step: number): Promise<boolean> {
    return this.change(found, (factor) =>
      hasSameSecret(factor, found) && factor.lastStep < step ? { ...factor, confirmed: true, lastStep: step } : null,
    );
  }

  /** Consumes a recovery code of a confirmed factor. Returns `false` for an unknown or consumed code. */
  recover(found: FoundFactor, code: Digest): Promise<boolean> {
    return this.change(found, (factor) =>
      factor.confirmed && factor.recoveryCodes.includes(code)
        ? { ...factor, recoveryCodes: factor.recoveryCodes.filter((each) => each !== code) }
        : null,
    );
  }

  /** Returns `false` if there was none. `null` as app name removes all factors of the subject. */
  async remove(subject: FactorSubject, appName: string | null): Promise<boolean> {
    const selector = appName === null ? { owner: subject } : { ids: [idOf({ subject, appName })] };
    return (await this.records.remove(secondFactorKind, selector)).length > 0;
  }

  /** Whether the subject has a confirmed factor for any app name. */
  async hasConfirmed(subject: FactorSubject): Promise<boolean> {
    return (await this.ofSubject(subject)).some(({ confirmed }) => confirmed);
  }

  /** All factors of a subject. */
  async ofSubject(subject: FactorSubject): Promise<FoundFactor[]> {
    const factors = await allPages(
      (part) => this.records.list(secondFactorKind, { owner: subject, ...part }),
      ({ id }) => id,
    );
    return factors.map(foundFactor);
  }

  /** Lists at most `limit` factors after the given one (`null`: from the start), by subject and app name in code-point order. */
  async list(after: FactorKey | null, limit: number): Promise<FoundFactor[]> {
    const part = await this.records.list(secondFactorKind, { after: after === null ? null : idOf(after), limit });
    return part.map(foundFactor);
  }

  private change(stored: FoundFactor, work: (factor: SecondFactor) => SecondFactor | null): Promise<boolean> {
    const { version, ...value } = stored;
    return changeRecord(this.records, secondFactorKind, idOf(stored), work, { owner: stored.subject, value, version });
  }
}

/**
 * Whether the secret is still the one found. A new master key seals it again, so the text can differ. A new secret comes with
 * new recovery codes, and a secret only ever loses codes.
 */
function hasSameSecret({ sealedSecret, recoveryCodes }: SecondFactor, other: SecondFactor): boolean {
  const keepsCodes = recoveryCodes.length > 0 && recoveryCodes.every((code) => other.recoveryCodes.includes(code));
  return keepsCodes || sealedSecret === other.sealedSecret;
}

function foundFactor({ value, version }: StoredRecord<SecondFactor>): FoundFactor {
  return { ...value, version };
}

/** UTF-16 order differs from code-point order beyond the BMP. Any stable order is sufficient here. */
function byAppName({ appName: one }: FactorKey, { appName: other }: FactorKey): number {
  return one < other ? -1 : Number(one > other);
}

export function factorRecord({ subject, appName }: FactorKey) {
  return { kind: secondFactorKind, id: idOf({ subject, appName }), owner: subject };
}

function idOf({ subject, appName }: FactorKey): string {
  return `${subject} ${appName}`;
}

/** Second-factor rule of an app name: none, optional for the user, or required. */
export type SecondFactorRule = "off" | "optional" | "forced";

/** See `personOf`. */
export type FactorSubject = string;

export interface SecondFactor {
  readonly subject: FactorSubject;
  readonly appName: string;
  readonly sealedSecret: string;
  /** Whether the user has shown a valid token. An unconfirmed factor is not required at log-in. */
  readonly confirmed: boolean;
  /** Latest accepted time step. −1: none. */
  readonly lastStep: number;
  /** SHA-256 of the unused recovery codes. */
  readonly recoveryCodes: readonly Digest[];
}
