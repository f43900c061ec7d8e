import { allParts, type Part, type RecordKind, type Repositories } from "../storage/index.ts";

export const currentMacroKind: RecordKind<StoredMacro> = "macro";

/** Everything that macros ever were, the latest version of a name first. */
export const macroVersionKind: RecordKind<Omit<MacroVersion, "changedAt">> = "macroVersion";

/** More macros than this are read in several parts. */
const partSize = 100;

/** The macros of a database as of one generation. */
export interface StoredMacros {
  readonly generation: number;
  /** By name, ordered by code points. */
  readonly macros: readonly StoredMacro[];
}

/** What is stored under a name: at most 128 characters; of `changedBy`, at most 255. */
export type GivenMacro = Pick<StoredMacro, "name" | "text" | "language" | "changedBy">;

export interface MacroRemoval {
  readonly changedBy: string;
  /** As for `put`. */
  readonly expectedVersion: number | null;
}

/** The macros of one database, with everything that they ever were. Changes belong into a transaction. */
export class MacroStore {
  constructor(private readonly r: Pick<Repositories, "records" | "settings">) {}

  /** Each change raises the generation by one, from 0 in a new database; `Admission.macroGeneration` is the same. */
  async load(): Promise<StoredMacros> {
    // The generation first: what is changed meanwhile has another one, and is read again.
    const { macroGeneration: generation } = await this.r.settings.read();
    const list = (part: Part) => this.r.records.list(currentMacroKind, part);
    const macros = await allParts(list, ({ id }) => id, partSize);
    return { generation, macros: macros.map(({ value }) => value) };
  }

  /** The next version if the current one is `expectedVersion` (0: none, `null`: any), else `stale`. Unstorable: 307. */
  async put(macro: GivenMacro, expectedVersion: number | null): Promise<"stored" | "stale"> {
    const { name, text, language, changedBy } = macro;
    for (;;) {
      const [latest] = await this.history(name, 1);
      const current = latest === undefined || latest.text === null ? 0 : latest.version;
      if (expectedVersion !== null && expectedVersion !== current) return "stale";
      const version = { name, text, language, version: (latest?.version ?? 0) + 1, changedBy };
      const changedAt = await this.add(version);
      if (changedAt === null) continue;
      await this.r.records.put(currentMacroKind, name, { ...version, changedAt });
      return "stored";
    }
  }

  /** Takes a macro away, which is a version, too. `unknown` if there is none of that name. A `changedBy` that is not storable: 307. */
  async remove(name: string, { changedBy, expectedVersion }: MacroRemoval): Promise<"removed" | "stale" | "unknown"> {
    for (;;) {
      const [latest] = await this.history(name, 1);
      if (latest === undefined || latest.text === null) return "unknown";
      if (expectedVersion !== null && expectedVersion !== latest.version) return "stale";
      const changedAt = await this.add({ name, text: null, language: null, version: latest.version + 1, changedBy });
      if (changedAt === null) continue;
      await this.r.records.remove(currentMacroKind, { ids: [name] });
      return "removed";
    }
  }

  /** What a macro was and is, the latest version first, at most `limit`, below a version if one is given. Also of macros that are gone. */
  async history(name: string, limit: number, below: number | null = null): Promise<MacroVersion[]> {
    const after = below === null ? null : idOf({ name, version: below });
    const versions = await this.r.records.list(macroVersionKind, { owner: ownerOf(name), after, limit });
    return versions.map(({ value, createdAt: changedAt }) => ({ ...value, changedAt }));
  }

  /** Adds a version and raises the generation; gives the time, or `null` if this version was added meanwhile. */
  private async add(version: Omit<MacroVersion, "changedAt">): Promise<number | null> {
    const { records, settings } = this.r;
    const options = { owner: ownerOf(version.name), ifVersion: "none" } as const;
    if ((await records.put(macroVersionKind, idOf(version), version, options)) !== "stored") return null;
    await settings.raiseMacroGeneration();
    const [added] = await records.get(macroVersionKind, [idOf(version)]);
    return added?.createdAt ?? null;
  }
}

/** What a macro was from one change to the next, or is. Of a removal, text and language are `null`. */
export interface MacroVersion extends Omit<StoredMacro, "text" | "language"> {
  readonly text: string | null;
  readonly language: MacroLanguage | null;
}

export type MacroLanguage = "js" | "ts";

/** A macro that is kept in the database, as it is now. */
export interface StoredMacro {
  readonly name: string;
  readonly text: string;
  readonly language: MacroLanguage;
  /** Counts the changes of the macro from 1, removals among them; it is never given again. */
  readonly version: number;
  /** By the storage's clock, milliseconds since 1970. */
  readonly changedAt: number;
  /** The author of the change, as given. */
  readonly changedBy: string;
}

export function macroVersionRecord({ changedAt: createdAt, ...value }: MacroVersion) {
  return { id: idOf(value), owner: ownerOf(value.name), value, createdAt };
}

/** Counted backwards, so that records in the order of their ids begin with the latest version. */
function idOf({ name, version }: Pick<MacroVersion, "name" | "version">): string {
  return `${name} ${String(Number.MAX_SAFE_INTEGER - version).padStart(16, "0")}`;
}

function ownerOf(name: string): string {
  return `macro:${name}`;
}
