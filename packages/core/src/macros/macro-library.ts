import type { Repositories } from "../storage/index.ts";
import type { CalledHook, LibraryModule } from "./macro.ts";

export interface LibraryContext {
  readonly r: Pick<Repositories, "records" | "settings">;
  /** See `UnitOfWork`. */
  readonly unit: { readonly joined: boolean };
  readonly macroGeneration: number;
}

/** All macros and hooks of one database. */
export interface MacroLibrary {
  /** Those of now, as far as the request can know: what was changed before it came is heeded. */
  current(context: LibraryContext): MacroSet | Promise<MacroSet>;
}

/** The library of a database that has no macros. */
export const emptyLibrary: MacroLibrary = { current: () => noMacros };

export class MacroSet {
  private readonly byName: ReadonlyMap<string, LibraryModule>;
  /** Whether something among them should be looked at again. */
  readonly isPassing: boolean;
  /** In the order of their names, with those that broke. */
  readonly hooks: readonly CalledHook[];

  constructor(
    /** Of the macros in the database. */
    readonly generation: number,
    /** Of the source outside of it; 0 without one. */
    readonly sourceGeneration: number,
    modules: Iterable<LibraryModule>,
  ) {
    this.byName = new Map(Array.from(modules, (module) => [module.name, module]));
    this.isPassing = this.all().some((module) => module.kind === "broken" && module.passing);
    const hooks = [...this.byName.values()].filter(isCalled);
    this.hooks = hooks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): LibraryModule | undefined {
    return this.byName.get(name);
  }

  all(): readonly LibraryModule[] {
    return [...this.byName.values()];
  }
}

function isCalled(module: LibraryModule): module is CalledHook {
  return module.kind !== "macro" && module.hook !== undefined;
}

export const noMacros = new MacroSet(0, 0, []);

export interface MacroText {
  readonly name: string;
  readonly language: "js" | "ts";
  readonly text: string;
  /** Where it stands, for the log: a file, or a version in the database. */
  readonly origin: string;
}

/** Port: a place outside of the database that holds the texts of macros, such as a folder of the deployment. */
export interface MacroSource {
  /** Rises whenever it becomes known that something has changed. Asking costs nothing. */
  readonly generation: number;
  /** All texts of now. One that cannot be read is left out, and told to whoever runs the server. */
  read(): Promise<readonly MacroText[]>;
}
