import type { InspectedSource } from "./inspected-library.ts";
import type { MacroSource } from "./macro-source.ts";
import { type InspectedText, isPassing, type ModuleInspector } from "./module-inspector.ts";

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
    if (this.last?.generation !== generation) this.last = { generation, texts: this.keep(this.inspect()) };
    const { last } = this;
    try {
      return { generation, texts: await last.texts };
    } catch (error) {
      if (this.last === last) this.last = undefined;
      throw error;
    }
  }

  /** Forgets at once what another look may find different. */
  private async keep(inspecting: Promise<readonly InspectedText[]>): Promise<readonly InspectedText[]> {
    const texts = await inspecting;
    if (texts.some(({ module }) => isPassing(module))) this.last = undefined;
    return texts;
  }

  private async inspect(): Promise<readonly InspectedText[]> {
    return this.inspector.inspect(await this.source.read());
  }
}
