import { MacroFault } from "../macros/macro-fault.ts";
import { MacroRefusal } from "../macros/macro-refusal.ts";

/** Puts asterisks in the place of a secret that a module was given, also where it stands in JSON. */
export function concealed(secret: string): (text: string) => string {
  const spellings = [secret, JSON.stringify(secret).slice(1, -1)].filter((spelling) => spelling !== "");
  return (text) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, "***"), text);
}

/** What a module failed with, as it may be logged. */
export function withoutSecret(error: unknown, conceal: (text: string) => string): unknown {
  if (error instanceof MacroRefusal)
    return new MacroRefusal(error.code, error.detail === undefined ? undefined : conceal(error.detail));
  if (!(error instanceof MacroFault)) return error;
  const { kind, macro, message, trace, line, column, cpu } = error;
  return new MacroFault(kind, macro, conceal(message), {
    trace: trace === undefined ? undefined : conceal(trace),
    line,
    column,
    cpu,
  });
}
