import {
  InspectedLibrary,
  InspectedMacroSource,
  type MacroLibrary,
  type MacroLimits,
  type MacroReports,
  type MacroRuntime,
  ModuleInspector,
} from "@sallyport/core";
import type { Logger } from "pino";
import { type Configuration, type DatabaseConfiguration, processorsPerWorker } from "../configuration/index.ts";
import { FolderMacroSource } from "./folder-macro-source.ts";

interface MacroFoldersParts {
  readonly runtime: MacroRuntime;
  readonly limits: MacroLimits;
  readonly isWatching: boolean;
  readonly logger: Logger;
}

/** The macro directories. Each is loaded once, even if several databases use it. */
export class MacroFolders {
  private readonly opened = new Map<
    string,
    { readonly folder: FolderMacroSource; readonly inspected: InspectedMacroSource }
  >();

  private isStarted = false;

  constructor(private readonly parts: MacroFoldersParts) {}

  /** Starts to look for changes, if the configuration asks for it. */
  start(): void {
    this.isStarted = this.parts.isWatching;
    if (this.isStarted) for (const { folder } of this.opened.values()) folder.watch();
  }

  /** The macros of a directory; `null` without one. */
  of(directory: string | null): InspectedMacroSource | null {
    if (directory === null) return null;
    const cached = this.opened.get(directory);
    if (cached !== undefined) return cached.inspected;
    const { runtime, limits, logger } = this.parts;
    const folder = new FolderMacroSource(directory, logger);
    if (this.isStarted) folder.watch();
    const inspected = new InspectedMacroSource(folder, new ModuleInspector(runtime, limits));
    this.opened.set(directory, { folder, inspected });
    return inspected;
  }

  /** Reloads all directories. */
  refresh(): void {
    for (const { folder } of this.opened.values()) folder.refresh();
  }

  /** Forgets the directories that no database uses any more. */
  retain(directories: ReadonlySet<string | null>): void {
    for (const [directory, { folder }] of this.opened) {
      if (directories.has(directory)) continue;
      folder.stop();
      this.opened.delete(directory);
    }
  }

  stop(): void {
    this.isStarted = false;
    for (const { folder } of this.opened.values()) folder.stop();
  }
}

interface DatabaseMacrosParts {
  readonly folders: MacroFolders;
  readonly runtime: MacroRuntime;
  readonly limits: MacroLimits;
  readonly reports: MacroReports;
}

/** The macro library of one database. */
export function databaseMacros(
  { alias, macros: { directory } }: DatabaseConfiguration,
  { folders, runtime, limits, reports }: DatabaseMacrosParts,
): MacroLibrary {
  return new InspectedLibrary({
    alias,
    source: folders.of(directory),
    inspector: new ModuleInspector(runtime, limits),
    reports,
  });
}

const mebibyte = 1_048_576;

/** Bytes of the JSON that a macro returns. Larger results belong into an object or a file. */
const resultBytes = mebibyte;

/** Resource limits of a macro. */
export function macroLimits({
  macros: { timeout, cpuTime, memory, hostCalls },
}: Pick<Configuration, "macros">): MacroLimits {
  return { timeout, cpu: Math.min(cpuTime, timeout), memory: memory * mebibyte, hostCalls, resultBytes };
}

/** The queue of executions for a thread. */
export const macroQueue = {
  /** Executions that wait. About what the threads finish in `timeout`. */
  limit: 200,
  /** Milliseconds. Callers repeat a request that was refused; longer waits hold connections. */
  timeout: 2_000,
};

const minThreads = 2;
const maxThreads = 4;

/** Number of macro threads: as configured, or derived from the available processors. */
export function macroThreads(configuration: Pick<Configuration, "macros" | "server">): number {
  const spare = processorsPerWorker(configuration) - 1;
  return configuration.macros.threads ?? Math.min(maxThreads, Math.max(minThreads, spare));
}
