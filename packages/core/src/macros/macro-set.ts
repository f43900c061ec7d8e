import type { CalledHook, LibraryModule } from "./macro.ts";

/** All modules of one database at one moment. */
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

/** What there is where nothing is configured. */
export const noMacros = new MacroSet(0, 0, []);
