import type { Repositories } from "@sallyport/storage";
import type { CalledHook, LibraryModule } from "./macro.ts";

export interface LibraryContext {
  readonly r: Pick<Repositories, "admission" | "records" | "settings">;
  /** See `UnitOfWork`. */
  readonly unit: { readonly joined: boolean };
  readonly settingsGeneration: number;
}

/** All macros and hooks of one database. */
export interface MacroLibrary {
  /** The current modules, including all changes before the request. */
  current(context: LibraryContext): MacroSet | Promise<MacroSet>;
}

/** For a database without macros. */
export const emptyLibrary: MacroLibrary = { current: () => noMacros };

export class MacroSet {
  private readonly byName: ReadonlyMap<string, LibraryModule>;
  /** Whether a module has a transient fault and needs another inspection. */
  readonly hasTransientFault: boolean;
  /** Sorted by name, including broken hooks. */
  readonly hooks: readonly CalledHook[];

  constructor(
    /** Generation of the macros in the database. */
    readonly generation: number,
    /** Generation of the external source; 0 without one. */
    readonly sourceGeneration: number,
    modules: Iterable<LibraryModule>,
  ) {
    this.byName = new Map(Array.from(modules, (module) => [module.name, module]));
    this.hasTransientFault = this.all().some((module) => module.kind === "broken" && module.transient);
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
  /** Origin for the log: a file, or a version in the database. */
  readonly origin: string;
}

/** Port: a source of macro texts outside the database, such as a folder of the deployment. */
export interface MacroSource {
  /** Rises after each detected change. Cheap to read. */
  readonly generation: number;
  /** All current texts. Unreadable texts are omitted and reported in the log. */
  read(): Promise<readonly MacroText[]>;
}
