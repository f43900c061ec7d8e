import {
  acceptStorable,
  type GivenMacro,
  isStorableText,
  type MacroLanguage,
  type MacroRemoval,
  type MacroRepository,
  type MacroVersion,
  type StoredMacro,
  type StoredMacros,
} from "@sallyport/core";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

/** The latest change of a macro; version 0 and not known where there never was one. */
interface Latest {
  readonly version: number;
  readonly known: boolean;
}

export class KnexMacroRepository implements MacroRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: MacroStatements,
    private readonly offset: () => number,
  ) {}

  async load(): Promise<StoredMacros> {
    const { rows } = await this.sql.run<MacroRow & { generation: string }>(this.statements.load, []);
    return {
      generation: Number(rows[0]?.generation),
      macros: rows.filter(({ name }) => name !== null).map((row) => versionOf(row) as StoredMacro),
    };
  }

  async put(
    { name, text, language, changedBy }: GivenMacro,
    expectedVersion: number | null,
  ): Promise<"stored" | "stale"> {
    acceptStorable([name, text, changedBy]);
    return this.alone(name, async (sql, { version, known }) => {
      if (expectedVersion !== null && expectedVersion !== (known ? version : 0)) return "stale";
      await this.add(sql, [name, version + 1, text, language, changedBy]);
      return "stored";
    });
  }

  async remove(name: string, { changedBy, expectedVersion }: MacroRemoval): Promise<"removed" | "stale" | "unknown"> {
    acceptStorable(changedBy);
    if (!isStorableText(name)) return "unknown";
    return this.alone(name, async (sql, { version, known }) => {
      if (!known) return "unknown";
      if (expectedVersion !== null && expectedVersion !== version) return "stale";
      await this.add(sql, [name, version + 1, null, null, changedBy]);
      return "removed";
    });
  }

  async history(name: string, limit: number, below: number | null = null): Promise<MacroVersion[]> {
    if (!isStorableText(name)) return [];
    const { rows } = await this.sql.run<MacroRow>(this.statements.history, [name, limit, below]);
    return rows.map(versionOf);
  }

  /** Runs the work while nobody else changes a macro. */
  private alone<T>(name: string, work: (sql: SqlRunner, latest: Latest) => Promise<T>): Promise<T> {
    return this.sql.atomically(async (sql) => {
      // What is read in a statement of its own is what those have left who were waited for.
      const holding = sql.run(this.statements.hold, []);
      const reading = sql.run<Latest>(this.statements.latest, [name]);
      const [, { rows }] = await Promise.all([holding, reading]);
      return work(sql, rows[0] ?? { version: 0, known: false });
    });
  }

  private async add(sql: SqlRunner, values: readonly SqlValue[]): Promise<void> {
    await Promise.all([sql.run(this.statements.add, [...values, this.offset()]), sql.run(this.statements.raise, [])]);
  }
}

function versionOf({ name, version, text, language, changed_at, changed_by }: MacroRow): MacroVersion {
  return { name, text, language, version, changedAt: Number(changed_at), changedBy: changed_by };
}

export interface MacroStatements {
  /** The generation, and with it each macro that is there as of the same moment; one row with null where there are none. */
  readonly load: Statement;
  /** Until the transaction ends, nobody else changes a macro. */
  readonly hold: Statement;
  /** 1 name. The `version` of the latest change, and whether there is a macro since then: `known`. */
  readonly latest: Statement;
  /** 1 name, 2 version, 3 text or null, 4 language or null, 5 who changed it, 6 offset of the clock. */
  readonly add: Statement;
  /** Raises the generation. */
  readonly raise: Statement;
  /** 1 name, 2 limit, 3 version to end below or null. */
  readonly history: Statement;
}

interface MacroRow {
  readonly name: string;
  readonly version: number;
  readonly text: string | null;
  readonly language: MacroLanguage | null;
  readonly changed_at: string;
  readonly changed_by: string;
}
