import type { Database } from "../../request/index.ts";
import { changeRecord, type RecordKind, type RecordRepository, type Storage } from "../../storage/index.ts";
import type { SecondFactorRule } from "../second-factors/second-factors.ts";

/** An app name to create; without a rule for second factors it has none. */
export type NewApplication = Pick<Application, "name" | "seats"> & Partial<Pick<Application, "secondFactor">>;

export const applicationKind: RecordKind<Application> = "application";

export class Applications {
  constructor(private readonly records: RecordRepository) {}

  /** `nameTaken` when the name exists; names compare exactly. One that is not storable: 307. */
  async create({ name, seats, secondFactor = "off" }: NewApplication): Promise<"created" | "nameTaken"> {
    const outcome = await this.records.put(applicationKind, name, { name, seats, secondFactor }, { ifVersion: "none" });
    return outcome === "stored" ? "created" : "nameTaken";
  }

  /** Those of the names that exist, in any order, each once. */
  async known(names: readonly string[]): Promise<string[]> {
    return (await this.records.get(applicationKind, names)).map(({ id }) => id);
  }

  /** Those of the names whose rule for second factors is not `off`, in any order, each once. */
  async askingForFactors(names: readonly string[]): Promise<Pick<Application, "name" | "secondFactor">[]> {
    const found = await this.records.get(applicationKind, names);
    return found.map(({ value }) => value).filter(({ secondFactor }) => secondFactor !== "off");
  }

  /** Sets the rule for second factors; `false` if no app name is called that. The next log-in already follows it. */
  setSecondFactor(name: string, secondFactor: SecondFactorRule): Promise<boolean> {
    return changeRecord(this.records, applicationKind, name, (application) => ({ ...application, secondFactor }));
  }

  /** At most `limit` of them in the order of their names by code points: from the first (`null`), or those after a name. */
  async list(after: string | null, limit: number): Promise<Application[]> {
    return (await this.records.list(applicationKind, { after, limit })).map(({ value }) => value);
  }
}

/** A name that log-ins can carry in `appNames`. */
export interface Application {
  readonly name: string;
  /** How many log-ins may hold a seat at once; `null` means any number. */
  readonly seats: number | null;
  readonly secondFactor: SecondFactorRule;
}

const known = new WeakMap<Storage, KnownApplications>();

/** The app names that a database is known to have, for all requests to it. */
export function knownApplications({ storage }: Pick<Database, "storage">): KnownApplications {
  const names = known.get(storage) ?? new KnownApplications();
  known.set(storage, names);
  return names;
}

/** The app names that a database is known to have: one that was found once stays, as nothing removes app names. */
export class KnownApplications {
  private readonly names = new Set<string>();

  /** Whether all of the names exist; those that are not known yet are looked up. */
  async includes(names: readonly string[], applications: Pick<Applications, "known">): Promise<boolean> {
    const unknown = names.filter((name) => !this.names.has(name));
    if (unknown.length === 0) return true;
    for (const name of await applications.known(unknown)) this.names.add(name);
    return unknown.every((name) => this.names.has(name));
  }
}
