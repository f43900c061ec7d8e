import { type LibraryContext, type MacroLibrary, MacroSet, type MacroSource, type MacroText } from "./macro-library.ts";
import type { MacroReports } from "./macro-reports.ts";
import { MacroStore } from "./macro-store.ts";
import { type InspectedText, isTransientlyBroken, type ModuleInspector } from "./module-inspector.ts";

/** A source whose texts are inspected once for all databases. */
export interface InspectedSource {
  readonly generation: number;
  read(): Promise<{ readonly generation: number; readonly texts: readonly InspectedText[] }>;
}

export interface InspectedLibraryParts {
  readonly alias: string;
  /** Macros of the deployment; `null` for none. */
  readonly source: InspectedSource | null;
  /** For the texts in the database. */
  readonly inspector: ModuleInspector;
  readonly reports: MacroReports;
}

/** Milliseconds until transient faults are inspected again. */
const pause = 60_000;

/** Caches the modules of one database until admission reports another generation, or the source changes. */
export class InspectedLibrary implements MacroLibrary {
  private set: MacroSet | undefined;
  private readAt = 0;
  private loading: Promise<MacroSet> | undefined;
  private reportedFaults: ReadonlySet<Error> = new Set();
  private reportedShadowed = "";

  constructor(private readonly parts: InspectedLibraryParts) {}

  current(context: LibraryContext): MacroSet | Promise<MacroSet> {
    const { set } = this;
    if (set !== undefined && set.generation === context.settingsGeneration && this.isCurrent(set, context)) {
      const mayReload = set.hasTransientFault && !context.unit.joined;
      if (mayReload && Date.now() - this.readAt >= pause) this.reloadInBackground(context);
      return set;
    }
    return this.load(context);
  }

  private async load(context: LibraryContext): Promise<MacroSet> {
    // A shared load must not depend on the transaction of one request.
    if (context.unit.joined) return this.read(context);
    this.loading ??= this.read(context).finally(() => (this.loading = undefined));
    const loaded = await this.loading;
    // A load begun before the change may return older modules.
    return this.isCurrent(loaded, context) ? loaded : this.read(context);
  }

  /** Runs in the background: the cached modules stay valid. */
  private reloadInBackground(context: LibraryContext): void {
    this.readAt = Date.now();
    this.load(context).catch(() => {});
  }

  private isCurrent(set: MacroSet, { settingsGeneration }: LibraryContext): boolean {
    return set.generation >= settingsGeneration && set.sourceGeneration >= (this.parts.source?.generation ?? 0);
  }

  private async read({ r }: LibraryContext): Promise<MacroSet> {
    const { source, inspector } = this.parts;
    const { generation, macros } = await new MacroStore(r).load();
    const stored = macros.map(({ name, language, text, version }): MacroText => {
      return { name, language, text, origin: `version ${version} in the database` };
    });
    const own = await inspector.inspect(stored);
    const { generation: sourceGeneration, texts } =
      source === null ? { generation: 0, texts: [] } : await source.read();
    const names = new Set(own.map(({ name }) => name));
    const all = [...texts.filter(({ name }) => !names.has(name)), ...own];
    const modules = all.map(({ module }) => module);
    const set = new MacroSet(generation, sourceGeneration, modules);
    const shadowed = texts.flatMap(({ name }) => (names.has(name) ? name : []));
    // Other settings share the generation. Their changes are not news of macros.
    const isSame =
      this.set?.all().length === modules.length && modules.every((each) => this.set?.find(each.name) === each);
    if (!isSame || shadowed.join() !== this.reportedShadowed) this.report(all, shadowed);
    this.set = set;
    this.readAt = Date.now();
    return set;
  }

  private report(all: readonly InspectedText[], shadowed: readonly string[]): void {
    const { alias, reports } = this.parts;
    const broken = all.flatMap(({ module, origin }) => (module.kind === "broken" ? { ...module, origin } : []));
    const count = (kind: string) => all.filter(({ module }) => module.kind === kind).length;
    const isNew = shadowed.join() !== this.reportedShadowed;
    reports.loaded({
      alias,
      macros: count("macro"),
      hooks: count("hook"),
      broken: broken.filter(({ fault }) => !this.reportedFaults.has(fault)),
      shadowed: isNew ? shadowed : [],
    });
    this.reportedFaults = new Set(broken.map(({ fault }) => fault));
    this.reportedShadowed = shadowed.join();
  }
}

/** The inspected modules of a source, shared by all databases. */
export class InspectedMacroSource implements InspectedSource {
  private last: { readonly generation: number; readonly texts: Promise<readonly InspectedText[]> } | undefined;

  constructor(
    private readonly source: MacroSource,
    private readonly inspector: ModuleInspector,
  ) {}

  get generation(): number {
    return this.source.generation;
  }

  async read(): Promise<{ readonly generation: number; readonly texts: readonly InspectedText[] }> {
    const { generation } = this.source;
    if (this.last?.generation !== generation) this.last = { generation, texts: this.keep(this.inspect()) };
    const { last } = this;
    try {
      return { generation, texts: await last.texts };
    } catch (error) {
      if (this.last === last) this.last = undefined;
      throw error;
    }
  }

  /** Drops the cache if a fault may be transient. */
  private async keep(inspecting: Promise<readonly InspectedText[]>): Promise<readonly InspectedText[]> {
    const texts = await inspecting;
    if (texts.some(({ module }) => isTransientlyBroken(module))) this.last = undefined;
    return texts;
  }

  private async inspect(): Promise<readonly InspectedText[]> {
    return this.inspector.inspect(await this.source.read());
  }
}
