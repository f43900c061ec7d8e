import { isErrorCode, isRefusalCode, MacroFault, MacroRefusal } from "@sallyport/core";
import type { Failed } from "../threads/messages.ts";

const NUMBER = /^\d{1,7}$/;

/** Line and column of the module that a trace names first: a frame ends in `name:line:column`, with a bracket or without. */
export function placeIn(trace: string, module: string): { readonly line: number; readonly column: number } | undefined {
  for (const frame of trace.split("\n")) {
    const at = frame.lastIndexOf(`${module}:`);
    if (at === -1 || (at > 0 && !" (".includes(frame.charAt(at - 1)))) continue;
    const [line = "", column = ""] = frame
      .slice(at + module.length + 1)
      .replace(/\)$/, "")
      .split(":");
    if (NUMBER.test(line)) return { line: Number(line), column: NUMBER.test(column) ? Number(column) : 1 };
  }
  return undefined;
}

/** The error that a failed entry ends with. */
export function faultOf(
  module: string,
  { kind, message, trace, code, cpu }: Omit<Failed, "type" | "id" | "lines">,
): MacroFault | MacroRefusal {
  if (kind === "refused") {
    if (code !== undefined && isRefusalCode(code)) return new MacroRefusal(code, message === "" ? undefined : message);
    const reason =
      code !== undefined && isErrorCode(code)
        ? "which says nothing about what was asked for"
        : "which is no code of the catalogue";
    return new MacroFault("threw", module, `refused with ${code}, ${reason}`, { cpu });
  }
  return new MacroFault(kind, module, message, { trace, cpu, ...(trace === undefined ? {} : placeIn(trace, module)) });
}
