import { explained, type JsonValue, ServiceError } from "@sallyport/storage";
import {
  type ExecutedMacro,
  isMacroName,
  macroFailure,
  MacroFault,
  type MacroOutcome,
  type MacroReports,
} from "../macros/index.ts";
import { isExactJson, type ObjectServices } from "../objects/index.ts";
import type { Macro } from "../macros/index.ts";
import { requestMacros, type SessionContext, sessionEvent, type Uses } from "../request/index.ts";
import { accessFinding, accessibleMacro, CallerNames, mayExecute } from "./macro-access.ts";
import type { MacroInput, MacroRunner } from "./macro-runner.ts";

/** Services of macros. A macro can make all calls of objects. */
export interface MacroServices extends ObjectServices {
  readonly macroRunner: MacroRunner;
  readonly macroReports: MacroReports;
}

interface MacroContext extends SessionContext, Uses<MacroServices> {}

export interface MacroResult {
  /** The result of the macro; `undefined` if it returns nothing. */
  readonly result: JsonValue | undefined;
  readonly message: string | undefined;
}

/**
 * Executes a macro by name. 400: invalid name. 710: no such macro, a hook, a broken module, or a failed macro. 401: no
 * access, or refused by the macro's checker. 402: the caller may not skip the checker. A macro may refuse with other
 * codes of the catalogue.
 */
export async function executeMacro(context: MacroContext, name: string, input: MacroInput): Promise<MacroResult> {
  if (!isMacroName(name)) throw new ServiceError(400);
  if (input.input !== undefined && !isExactJson(input.input))
    throw new ServiceError(307, { detail: "The input has a number that a double does not hold exactly." });
  const began = Date.now();
  const { alias } = context.database;
  const tell = (code: ExecutedMacro["code"], cpu: number): void =>
    context.services.macroReports.executed({ alias, macro: name, code, cpu, milliseconds: Date.now() - began });
  try {
    const { result, statusMessage, usage } = await runAccessible(context, name, input);
    tell(0, usage.cpu);
    return { result, message: statusMessage };
  } catch (error) {
    const failure = macroFailure(error);
    const code = failure instanceof ServiceError ? failure.code : 799;
    tell(code, error instanceof MacroFault ? (error.cpu ?? 0) : 0);
    if (code === 401 || code === 402) {
      const event = sessionEvent(context, { type: "macro.refused", outcome: code, macroName: name });
      await context.unit.autonomously(({ audit }) => audit.append(event));
    }
    throw failure;
  }
}

async function runAccessible(
  context: MacroContext,
  name: string,
  { input, skipCheck }: MacroInput,
): Promise<MacroOutcome> {
  const names = new CallerNames();
  const macro = await accessibleMacro(context, name, names);
  if (skipCheck && !(await mayExecute(context, macro.skipCheck, names)))
    throw explained(new ServiceError(402), accessFinding("May the user skip the checker?", macro.skipCheck));
  return context.services.macroRunner.run(context, macro, { input, skipCheck, names });
}

/** A macro that the caller may execute. */
export type ExecutableMacro = Pick<Macro, "name" | "input">;

/** Lists the macros that the caller may execute, sorted by the code units of their names. */
export async function listExecutableMacros(context: SessionContext): Promise<readonly ExecutableMacro[]> {
  const names = new CallerNames();
  const executable: ExecutableMacro[] = [];
  for (const module of (await requestMacros(context)).all()) {
    if (module.kind === "macro" && (await mayExecute(context, module.access, names))) executable.push(module);
  }
  const described = executable.map(({ name, input }) => (input === undefined ? { name } : { name, input }));
  return described.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
