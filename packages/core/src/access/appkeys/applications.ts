import type { Database } from "../../request/index.ts";
import { changeRecord, type RecordKind, type RecordRepository, type Storage } from "../../storage/index.ts";
import type { SecondFactorRule } from "../second-factors/second-factors.ts";

/** An application to create. `secondFactor` defaults to `off`. */
export type NewApplication = Pick<Application, "name" | "seats"> & Partial<Pick<Application, "secondFactor">>;

export const applicationKind: RecordKind<Application> = "application";

export class Applications {
  constructor(private readonly records: RecordRepository) {}

  /** Returns `nameTaken` if the name exists. Names are compared exactly. A name that cannot be stored: 307. */
  async create({ name, seats, secondFactor = "off" }: NewApplication): Promise<"created" | "nameTaken"> {
    const outcome = await this.records.put(applicationKind, name, { name, seats, secondFactor }, { ifVersion: "none" });
    return outcome === "stored" ? "created" : "nameTaken";
  }

  /** Returns the existing ones of the names, unordered and without duplicates. */
  async existing(names: readonly string[]): Promise<string[]> {
    return (await this.records.get(applicationKind, names)).map(({ id }) => id);
  }

  /** Returns the applications whose second-factor rule is not `off`, unordered and without duplicates. */
  async withSecondFactors(names: readonly string[]): Promise<Pick<Application, "name" | "secondFactor">[]> {
    const found = await this.records.get(applicationKind, names);
    return found.map(({ value }) => value).filter(({ secondFactor }) => secondFactor !== "off");
  }

  /** Sets the second-factor rule. It applies from the next log-in. Returns `false` for an unknown app name. */
  setSecondFactor(name: string, secondFactor: SecondFactorRule): Promise<boolean> {
    return changeRecord(this.records, applicationKind, name, (application) => ({ ...application, secondFactor }));
  }

  /** Lists at most `limit` applications after the given name (`null`: from the start), by name in code-point order. */
  async list(after: string | null, limit: number): Promise<Application[]> {
    return (await this.records.list(applicationKind, { after, limit })).map(({ value }) => value);
  }
}

/** An app name that log-ins can send in `appNames`. */
export interface Application {
  readonly name: string;
  /** Maximum number of concurrent log-ins with a seat. `null`: unlimited. */
  readonly seats: number | null;
  readonly secondFactor: SecondFactorRule;
}

const caches = new WeakMap<Storage, ApplicationCache>();

/** Returns the cache of app names that all requests to a database share. */
export function applicationCache({ storage }: Pick<Database, "storage">): ApplicationCache {
  const names = caches.get(storage) ?? new ApplicationCache();
  caches.set(storage, names);
  return names;
}

/** Caches the app names of a database. Entries never expire, as app names are never removed. */
export class ApplicationCache {
  private readonly names = new Set<string>();

  /** Whether all names exist. Names outside the cache are looked up. */
  async includes(names: readonly string[], applications: Pick<Applications, "existing">): Promise<boolean> {
    const unknown = names.filter((name) => !this.names.has(name));
    if (unknown.length === 0) return true;
    for (const name of await applications.existing(unknown)) this.names.add(name);
    return unknown.every((name) => this.names.has(name));
  }
}
