import { acceptDeclaration } from "./accept-declaration.ts";
import { guardingHook, type HookDeclaration } from "../hooks/accept-hook.ts";
import type { LibraryModule } from "./macro.ts";
import { MacroFault, type MacroFaultKind } from "./macro-fault.ts";
import { isMacroName } from "./macro-name.ts";
import type { MacroLimits, MacroRuntime } from "./macro-runtime.ts";
import type { MacroText } from "./macro-source.ts";

/** What may say something about the machine, and nothing about the text. */
const byChance: ReadonlySet<MacroFaultKind> = new Set(["timeout", "ended", "displaced"]);

export interface InspectedText extends MacroText {
  readonly module: LibraryModule;
}

/** Makes modules of texts. Remembers those of the last time, so that a change costs what has changed. */
export class ModuleInspector {
  private known: ReadonlyMap<string, InspectedText> = new Map();

  constructor(
    private readonly runtime: Pick<MacroRuntime, "inspect">,
    private readonly most: MacroLimits,
  ) {}

  /** One module for each name; of several texts with one name, none is picked. */
  async inspect(texts: readonly MacroText[]): Promise<readonly InspectedText[]> {
    const byName = new Map<string, MacroText[]>();
    for (const text of texts) byName.set(text.name, [...(byName.get(text.name) ?? []), text]);
    const inspected: InspectedText[] = [];
    // One after the other: requests want to run in the same places.
    for (const given of byName.values()) inspected.push(await this.inspectOne(given));
    this.known = new Map(inspected.map((each) => [each.name, each]));
    return inspected;
  }

  private async inspectOne([first, ...others]: readonly MacroText[]): Promise<InspectedText> {
    const text = first as MacroText;
    const before = this.known.get(text.name);
    if (others.length > 0) {
      const origins = [text, ...others].map(({ origin }) => origin);
      return broken(
        text,
        new MacroFault("invalid", text.name, `There are several texts of this name: ${origins.join(", ")}.`),
        formerHook(before?.module),
      );
    }
    if (
      before !== undefined &&
      before.text === text.text &&
      before.language === text.language &&
      !isPassing(before.module)
    )
      return { ...text, module: before.module };
    try {
      return { ...text, module: await this.read(text) };
    } catch (error) {
      // That there was no place to look at it says nothing about the text.
      if (!(error instanceof MacroFault)) throw error;
      return broken(text, error, formerHook(before?.module));
    }
  }

  private async read({ name, text, language }: MacroText): Promise<LibraryModule> {
    if (!isMacroName(name)) {
      throw new MacroFault(
        "invalid",
        name,
        "The name of a macro is a letter or _, then letters, digits and _, at most 128 in all.",
      );
    }
    const look = () => this.runtime.inspect({ name, code: text }, language);
    const { declaration, module } = await look().catch((error: unknown) => {
      if (error instanceof MacroFault && byChance.has(error.kind)) return look();
      throw error;
    });
    return acceptDeclaration(module, declaration, this.most);
  }
}

function broken(text: MacroText, fault: MacroFault, former: HookDeclaration | undefined): InspectedText {
  const hook = former ?? guardingHook(text.name);
  const module = { kind: "broken", name: text.name, fault, passing: byChance.has(fault.kind) } as const;
  return { ...text, module: hook === undefined ? module : { ...module, hook } };
}

function formerHook(module: LibraryModule | undefined): HookDeclaration | undefined {
  return module === undefined || module.kind === "macro" ? undefined : module.hook;
}

/** Whether another look may find something else. */
export function isPassing(module: LibraryModule): boolean {
  return module.kind === "broken" && module.passing;
}
