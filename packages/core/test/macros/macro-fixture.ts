import type { JsonValue } from "@sallyport/storage";
import {
  type ExecutedMacro,
  HostCalls,
  InspectedLibrary,
  InspectedMacroSource,
  type LoadedModules,
  MacroRunner,
  type MacroText,
  ModuleInspector,
  type RequestForms,
  executeMacro,
  type ObjectContext,
  type Uses,
  type MacroServices,
} from "../../src/index.ts";
import { type Fixture, openFixture, using } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";
import { FakeRuntime, type FakeRun } from "./fake-runtime.ts";

export const limits = { timeout: 5_000, cpu: 1_000, memory: 16 * 1_048_576, hostCalls: 100, resultBytes: 1_000 };

const forms: RequestForms = {
  checkJson: () => {},
  serialization: () => undefined,
  list: ({ where }) => ({
    query: where === undefined ? {} : { where },
    page: 0,
    perPage: 50,
    cursor: undefined,
    serialization: undefined,
  }),
  listed: ({ list }) => list as unknown as JsonValue,
};

/** A database in memory whose macros are functions of the test. */
export class MacroFixture {
  readonly runtime = new FakeRuntime();
  /** Callbacks for the end of an execution's time limit. */
  readonly alarms = new Set<() => void>();
  readonly executed: ExecutedMacro[] = [];
  readonly lines: string[] = [];
  readonly loaded: LoadedModules[] = [];
  readonly source = { generation: 1, texts: [] as MacroText[], read: async () => this.source.texts };
  readonly library: InspectedLibrary;
  readonly context: ObjectContext & Uses<MacroServices>;

  private constructor(
    readonly fixture: Fixture,
    context: ObjectContext,
  ) {
    const reports = {
      executed: (execution: ExecutedMacro) => void this.executed.push(execution),
      logged: ({ line }: { readonly line: string }) => void this.lines.push(line),
      loaded: (modules: LoadedModules) => void this.loaded.push(modules),
      ignored: () => undefined,
      ranHook: () => undefined,
    };
    const after = (_milliseconds: number, call: () => void) => {
      this.alarms.add(call);
      return () => void this.alarms.delete(call);
    };
    const runner = new MacroRunner({
      runtime: this.runtime,
      calls: new HostCalls(forms),
      reports,
      queueTimeout: 100,
      hookTime: 1_000,
      after,
    });
    const inspected = new InspectedMacroSource(this.source, new ModuleInspector(this.runtime, limits));
    this.library = new InspectedLibrary({
      alias: "",
      source: inspected,
      inspector: new ModuleInspector(this.runtime, limits),
      reports,
    });
    Object.assign(fixture.database, { macros: this.library });
    this.context = using(context, { macroRunner: runner, macroReports: reports });
  }

  static async open(): Promise<MacroFixture> {
    const fixture = await openFixture();
    const attributes = [
      { name: "Name", type: "string" },
      { name: "Size", type: "number" },
    ] as const;
    await fixture.define({
      name: "Thing",
      base: null,
      attributes,
      rights: [{ group: "*", permissions: ["read", "create", "write", "delete"] }],
    });
    return new MacroFixture(fixture, await sessionContext(fixture));
  }

  /** A macro of the folder. */
  define(name: string, run: FakeRun, declaration: Readonly<Record<string, JsonValue>> = {}): void {
    const text = JSON.stringify({ run: true, access: "everyone", ...declaration });
    this.source.texts = [
      ...this.source.texts.filter((each) => each.name !== name),
      { name, text, language: "js", origin: `${name}.js` },
    ];
    this.source.generation += 1;
    this.runtime.runs.set(name, run);
  }

  execute(
    name: string,
    input?: JsonValue,
    { skipCheck = false, as = this.context }: { skipCheck?: boolean; as?: ObjectContext } = {},
  ): Promise<JsonValue | undefined> {
    return executeMacro(using(as, this.context.services), name, { input, skipCheck }).then(({ result }) => result);
  }
}

/** Matches an error of the catalogue. */
export const code = (expected: number, detail?: unknown) =>
  expect.objectContaining(detail === undefined ? { code: expected } : { code: expected, detail });
