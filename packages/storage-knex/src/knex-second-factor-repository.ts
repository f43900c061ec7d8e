import {
  acceptStorable,
  type Digest,
  type FactorKey,
  type FactorSubject,
  isStorableText,
  type NewSecondFactor,
  type SecondFactor,
  type SecondFactorRepository,
} from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexSecondFactorRepository implements SecondFactorRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: SecondFactorStatements,
  ) {}

  async find(subject: FactorSubject, appNames: readonly string[]): Promise<SecondFactor[]> {
    const possible = appNames.filter(isStorableText);
    if (possible.length === 0 || !isStorableText(subject)) return [];
    const { rows } = await this.sql.run<SecondFactorRow>(this.statements.find, [subject, possible]);
    return rows.map(factorOf);
  }

  async enrol({ subject, appName, sealedSecret, recoveryCodes }: NewSecondFactor): Promise<"enrolled" | "confirmed"> {
    acceptStorable([subject, appName, sealedSecret]);
    return this.sql.atomically(async (sql) => {
      await sql.run(this.statements.enrol, [subject, appName, sealedSecret, JSON.stringify(recoveryCodes)]);
      // How many rows an addition has changed is not said alike by all engines.
      const { rowCount } = await sql.run(this.statements.has, [subject, appName, sealedSecret]);
      return rowCount === 1 ? "enrolled" : "confirmed";
    });
  }

  async accept(
    { subject, appName, sealedSecret }: FactorKey & Pick<SecondFactor, "sealedSecret">,
    step: number,
  ): Promise<boolean> {
    if (![subject, appName, sealedSecret].every(isStorableText)) return false;
    return (await this.sql.run(this.statements.accept, [subject, appName, sealedSecret, step])).rowCount === 1;
  }

  async recover({ subject, appName }: FactorKey, code: Digest): Promise<boolean> {
    if (![subject, appName, code].every(isStorableText)) return false;
    return (await this.sql.run(this.statements.recover, [subject, appName, code])).rowCount === 1;
  }

  async remove(subject: FactorSubject, appName: string | null): Promise<boolean> {
    if (!isStorableText(subject) || (appName !== null && !isStorableText(appName))) return false;
    return (await this.sql.run(this.statements.remove, [subject, appName])).rowCount > 0;
  }

  async list(after: FactorKey | null, limit: number): Promise<SecondFactor[]> {
    const { rows } = await this.sql.run<SecondFactorRow>(this.statements.list, [
      after?.subject ?? null,
      after?.appName ?? null,
      limit,
    ]);
    return rows.map(factorOf);
  }
}

function factorOf(row: SecondFactorRow): SecondFactor {
  const {
    subject,
    app_name: appName,
    sealed_secret: sealedSecret,
    confirmed,
    last_step: lastStep,
    recovery_codes: recoveryCodes,
  } = row;
  return { subject, appName, sealedSecret, confirmed, lastStep: Number(lastStep), recoveryCodes };
}

/** Factors are rows of `subject`, `app_name`, `sealed_secret`, `confirmed`, `last_step`, `recovery_codes`, by subject and app name. */
export interface SecondFactorStatements {
  /** 1 subject, 2 array of app names. */
  readonly find: Statement;
  /** 1 subject, 2 app name, 3 sealed secret, 4 recovery codes as JSON. Changes nothing if there is a confirmed one. */
  readonly enrol: Statement;
  /** 1 subject, 2 app name, 3 sealed secret. A row if the factor has that secret. */
  readonly has: Statement;
  /** 1 subject, 2 app name, 3 sealed secret, 4 step. Changes the row if the step is later than the last one. */
  readonly accept: Statement;
  /** 1 subject, 2 app name, 3 digest. Changes the row if the code is one of those that are left. */
  readonly recover: Statement;
  /** 1 subject, 2 app name or null. Removes the rows. */
  readonly remove: Statement;
  /** 1 subject and 2 app name to begin behind, or null, 3 limit. */
  readonly list: Statement;
}

interface SecondFactorRow {
  readonly subject: string;
  readonly app_name: string;
  readonly sealed_secret: string;
  readonly confirmed: boolean;
  readonly last_step: string | number;
  readonly recovery_codes: string[];
}
