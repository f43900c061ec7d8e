import {
  allPages,
  ofDatabase,
  type PageRequest,
  type RecordKind,
  type Repositories,
  untilDone,
} from "@sallyport/storage";

export const currentMacroKind: RecordKind<StoredMacro> = "macro";

/** All versions of macros, the latest version of a name first. */
export const macroVersionKind: RecordKind<Omit<MacroVersion, "changedAt">> = "macroVersion";

/** Page size of a read. */
const pageSize = 100;

/** The macros of a database at one generation. */
export interface StoredMacros {
  readonly generation: number;
  /** Sorted by name, by code points. */
  readonly macros: readonly StoredMacro[];
}

/** A macro to store. `name`: at most 128 characters. `changedBy`: at most 255. */
export type NewMacro = Pick<StoredMacro, "name" | "text" | "language" | "changedBy">;

export interface MacroRemoval {
  readonly changedBy: string;
  /** See `put`. */
  readonly expectedVersion: number | null;
}

/** The macros of one database with their history. Call changes inside a transaction. */
export class MacroStore {
  constructor(private readonly r: Pick<Repositories, "admission" | "records" | "settings">) {}

  /** Each change raises the generation by one, from 0 in a new database. Same number as `Admission.settingsGeneration`. */
  async load(): Promise<StoredMacros> {
    // Read the generation first: a concurrent change then has a higher one and causes a reload.
    const { settingsGeneration: generation } = await this.r.admission.admit(ofDatabase);
    const list = (page: PageRequest) => this.r.records.list(currentMacroKind, page);
    const macros = await allPages(list, ({ id }) => id, pageSize);
    return { generation, macros: macros.map(({ value }) => value) };
  }

  /** Stores the next version if the current one is `expectedVersion` (0: none, `null`: any), else `stale`. 307: not storable. */
  async put(macro: NewMacro, expectedVersion: number | null): Promise<"stored" | "stale"> {
    const { name, text, language, changedBy } = macro;
    return untilDone(async () => {
      const [latest] = await this.history(name, 1);
      const current = latest === undefined || latest.text === null ? 0 : latest.version;
      if (expectedVersion !== null && expectedVersion !== current) return "stale";
      const version = { name, text, language, version: (latest?.version ?? 0) + 1, changedBy };
      const changedAt = await this.add(version);
      if (changedAt === null) return undefined;
      await this.r.records.put(currentMacroKind, name, { ...version, changedAt });
      return "stored";
    });
  }

  /** Removes a macro and records the removal as a version. `unknown` if there is no macro. 307 for a `changedBy` that is not storable. */
  async remove(name: string, { changedBy, expectedVersion }: MacroRemoval): Promise<"removed" | "stale" | "unknown"> {
    return untilDone(async () => {
      const [latest] = await this.history(name, 1);
      if (latest === undefined || latest.text === null) return "unknown";
      if (expectedVersion !== null && expectedVersion !== latest.version) return "stale";
      const changedAt = await this.add({ name, text: null, language: null, version: latest.version + 1, changedBy });
      if (changedAt === null) return undefined;
      await this.r.records.remove(currentMacroKind, { ids: [name] });
      return "removed";
    });
  }

  /** Versions of a macro, latest first, at most `limit`, optionally below a version. Includes removed macros. */
  async history(name: string, limit: number, below: number | null = null): Promise<MacroVersion[]> {
    const after = below === null ? null : idOf({ name, version: below });
    const versions = await this.r.records.list(macroVersionKind, { owner: ownerOf(name), after, limit });
    return versions.map(({ value, createdAt: changedAt }) => ({ ...value, changedAt }));
  }

  /** Adds a version and raises the generation. Returns its time; `null` if a concurrent call added this version. */
  private async add(version: Omit<MacroVersion, "changedAt">): Promise<number | null> {
    const { records, settings } = this.r;
    const options = { owner: ownerOf(version.name), ifVersion: "none" } as const;
    if ((await records.put(macroVersionKind, idOf(version), version, options)) !== "stored") return null;
    await settings.raise();
    const [added] = await records.get(macroVersionKind, [idOf(version)]);
    return added?.createdAt ?? null;
  }
}

/** A version of a macro. A removal has `null` as text and language. */
export interface MacroVersion extends Omit<StoredMacro, "text" | "language"> {
  readonly text: string | null;
  readonly language: MacroLanguage | null;
}

export type MacroLanguage = "js" | "ts";

/** The current version of a stored macro. */
export interface StoredMacro {
  readonly name: string;
  readonly text: string;
  readonly language: MacroLanguage;
  /** Counts changes from 1, including removals. Never reused. */
  readonly version: number;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly changedAt: number;
  /** The author of the change, as given. */
  readonly changedBy: string;
}

export function macroVersionRecord({ changedAt: createdAt, ...value }: MacroVersion) {
  return { id: idOf(value), owner: ownerOf(value.name), value, createdAt };
}

/** Counts down, so that the order of ids starts with the latest version. */
function idOf({ name, version }: Pick<MacroVersion, "name" | "version">): string {
  return `${name} ${String(Number.MAX_SAFE_INTEGER - version).padStart(16, "0")}`;
}

function ownerOf(name: string): string {
  return `macro:${name}`;
}
