import type { InspectedSource } from "./inspected-library.ts";
import type { MacroSource } from "./macro-source.ts";
import type { InspectedText, ModuleInspector } from "./module-inspector.ts";

/** The modules of a source, for all databases that take them. */
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
    if (this.last?.generation !== generation) this.last = { generation, texts: this.inspect() };
    const { last } = this;
    try {
      return { generation, texts: await last.texts };
    } catch (error) {
      if (this.last === last) this.last = undefined;
      throw error;
    }
  }

  private async inspect(): Promise<readonly InspectedText[]> {
    return this.inspector.inspect(await this.source.read());
  }
}
