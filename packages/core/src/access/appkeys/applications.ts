import type { Database } from "../../request/index.ts";
import {
  changeRecord,
  type RecordKind,
  type RecordRepository,
  type SeatKind,
  type SeatLimit,
} from "@sallyport/storage";
import type { SecondFactorRule } from "../second-factors/second-factors.ts";

/**
 * The app name of administrators' sessions. An application of this name in the database gives the second-factor rule of
 * administrators; without one, no factor is required.
 */
export const administrationAppName = "administration";

/** An application to create. `seatKind` defaults to `concurrent`, `secondFactor` to `off`. */
export type NewApplication = Pick<Application, "name"> & SeatChange & Partial<Pick<Application, "secondFactor">>;

/** New seats of an application. Without `seatKind`, the kind stays. */
export type SeatChange = Pick<Application, "seats"> & Partial<Pick<Application, "seatKind">>;

/** Records of earlier versions have no kind of seats. */
type StoredApplication = Omit<Application, "seatKind"> & Partial<Pick<Application, "seatKind">>;

export const applicationKind: RecordKind<StoredApplication> = "application";

/** Returns the applications with these names, unordered and without duplicates. */
export async function findApplications(
  records: Pick<RecordRepository, "get">,
  names: readonly string[],
): Promise<Application[]> {
  const applications: Application[] = [];
  for (const { value } of await records.get(applicationKind, names)) applications.push(applicationOf(value));
  return applications;
}

/** The applications of a database, as records. */
export class Applications {
  constructor(private readonly records: RecordRepository) {}

  /** Returns `nameTaken` if the name exists. Names are compared exactly. A name that cannot be stored: 307. */
  async create({ secondFactor = "off", ...application }: NewApplication): Promise<"created" | "nameTaken"> {
    const value = applicationOf({ ...application, secondFactor });
    const outcome = await this.records.put(applicationKind, value.name, value, { ifVersion: "none" });
    return outcome === "stored" ? "created" : "nameTaken";
  }

  /** Returns those of the names that applications have, unordered and without duplicates. */
  async existing(names: readonly string[]): Promise<string[]> {
    return (await this.records.get(applicationKind, names)).map(({ id }) => id);
  }

  /** Sets the second-factor rule. It applies from the next log-in. Returns `null` for an unknown app name. */
  setSecondFactor(name: string, secondFactor: SecondFactorRule): Promise<ChangedApplication | null> {
    return this.change(name, { secondFactor });
  }

  /** Sets the seats, and their kind if it is present. They apply from the next log-in. Returns `null` for an unknown app name. */
  setSeats(name: string, seats: SeatChange): Promise<ChangedApplication | null> {
    return this.change(name, seats);
  }

  /** Lists at most `limit` applications after this name (`null`: from the start), by name in code-point order. */
  async list(after: string | null, limit: number): Promise<Application[]> {
    return (await this.records.list(applicationKind, { after, limit })).map(({ value }) => applicationOf(value));
  }

  private async change(name: string, change: Partial<Application>): Promise<ChangedApplication | null> {
    const versions: Application[] = [];
    const isChanged = await changeRecord(this.records, applicationKind, name, (application) => {
      versions.push(applicationOf(application));
      return { ...application, ...change };
    });
    // Each attempt reads the application. The last one has changed it.
    const before = versions.at(-1);
    return isChanged && before !== undefined ? { before, after: { ...before, ...change } } : null;
  }
}

/** An application before and after a change. */
export interface ChangedApplication {
  readonly before: Application;
  readonly after: Application;
}

function applicationOf({ name, seats, seatKind = "concurrent", secondFactor }: StoredApplication): Application {
  return { name, seats, seatKind, secondFactor };
}

/** An app name that log-ins can send in `appNames`. */
export interface Application {
  readonly name: string;
  /** Maximum number of taken seats. `null`: unlimited. */
  readonly seats: number | null;
  /** The holder of a seat. */
  readonly seatKind: SeatKind;
  readonly secondFactor: SecondFactorRule;
}

/** The seat limits of the applications that have one. */
export function seatLimits(applications: readonly Application[]): SeatLimit[] {
  const limits: SeatLimit[] = [];
  for (const { name, seats, seatKind: kind } of applications) if (seats !== null) limits.push({ name, seats, kind });
  return limits;
}

const caches = new WeakMap<Database, ApplicationCache>();

/** Returns the cache of app names that all requests to a database share. */
export function applicationCache({ whole }: Database): ApplicationCache {
  const names = caches.get(whole) ?? new ApplicationCache();
  caches.set(whole, names);
  return names;
}

/** Caches the app names of a database. Entries never expire, as app names are never removed. */
export class ApplicationCache {
  private readonly names = new Set<string>();

  /** Whether all names exist. Names outside the cache are looked up. */
  async includes(names: readonly string[], records: Pick<RecordRepository, "get">): Promise<boolean> {
    const unknown = names.filter((name) => !this.names.has(name));
    if (unknown.length === 0) return true;
    for (const { id } of await records.get(applicationKind, unknown)) this.names.add(id);
    return unknown.every((name) => this.names.has(name));
  }
}
