import {
  acceptStorable,
  type GivenMacro,
  type MacroRemoval,
  type MacroRepository,
  type MacroVersion,
  type StoredMacro,
  type StoredMacros,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { nextNumber, type State } from "./state.ts";
import { partByName } from "./table.ts";

export class MemoryMacroRepository implements MacroRepository {
  constructor(private readonly access: Access) {}

  load(): Promise<StoredMacros> {
    return this.access.read(({ macros, numbers }) => {
      const latest = new Map(Array.from(macros.values(), (version) => [version.name, version]));
      return {
        generation: numbers.get("macroGeneration") ?? 0,
        macros: partByName([...latest.values()].filter(isThere), ({ name }) => name, null, Number.POSITIVE_INFINITY),
      };
    });
  }

  async put(
    { name, text, language, changedBy }: GivenMacro,
    expectedVersion: number | null,
  ): Promise<"stored" | "stale"> {
    acceptStorable([name, text, changedBy]);
    return this.access.write((state, now) => {
      const latest = latestOf(state, name);
      if (expectedVersion !== null && expectedVersion !== currentVersion(latest)) return "stale";
      add(state, { name, text, language, version: (latest?.version ?? 0) + 1, changedAt: now, changedBy });
      return "stored";
    });
  }

  async remove(name: string, { changedBy, expectedVersion }: MacroRemoval): Promise<"removed" | "stale" | "unknown"> {
    acceptStorable(changedBy);
    return this.access.write((state, now) => {
      const latest = latestOf(state, name);
      if (latest === undefined || !isThere(latest)) return "unknown";
      if (expectedVersion !== null && expectedVersion !== latest.version) return "stale";
      add(state, { name, text: null, language: null, version: latest.version + 1, changedAt: now, changedBy });
      return "removed";
    });
  }

  history(name: string, limit: number, below: number | null = null): Promise<MacroVersion[]> {
    return this.access.read((state) => {
      const versions = versionsOf(state, name).filter(({ version }) => below === null || version < below);
      return versions.toReversed().slice(0, limit);
    });
  }
}

function isThere(version: MacroVersion): version is MacroVersion & StoredMacro {
  return version.text !== null;
}

function versionsOf({ macros }: State, name: string): MacroVersion[] {
  return [...macros.values()].filter((version) => version.name === name);
}

function latestOf(state: State, name: string): MacroVersion | undefined {
  return versionsOf(state, name).at(-1);
}

/** The version to expect; 0 where there is no macro. */
function currentVersion(latest: MacroVersion | undefined): number {
  return latest === undefined || !isThere(latest) ? 0 : latest.version;
}

function add(state: State, version: MacroVersion): void {
  nextNumber(state, "macroGeneration");
  state.macros.set(macroKey(version), Object.freeze(version));
}

/** Under which a version of a macro stands in its table. */
export function macroKey({ name, version }: Pick<MacroVersion, "name" | "version">): string {
  return `${version}:${name}`;
}
