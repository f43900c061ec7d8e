import { acceptStorable, ServiceError } from "@sallyport/storage";
import {
  type NewMacro,
  isMacroName,
  type MacroRemoval,
  MacroStore,
  type MacroVersion,
  type ModuleInspector,
} from "../macros/index.ts";
import { type AdministrationContext, changesBetween, type Uses } from "../request/index.ts";
/** Maximum size of a text in UTF-8 bytes. */
export const maxMacroBytes = 262_144;
const maxAuthorLength = 255;

export interface PutMacroInput extends NewMacro {
  /** `null` for any. */
  readonly expectedVersion: number | null;
}

export interface MacroPutOutcome {
  /** `unchanged`: the current version has the same text and language. */
  readonly outcome: "stored" | "unchanged" | "stale";
  /** The current version; 0 if there is none. */
  readonly version: number;
}

/** Stores a macro. 400: invalid name. 307: too large or not storable. `MacroFault`: the module cannot run. `stale`: see `put`. */
export async function putMacro(
  context: Pick<AdministrationContext, "unit" | "eventOf"> &
    Uses<{ readonly moduleInspector: Pick<ModuleInspector, "inspect"> }>,
  { expectedVersion, ...macro }: PutMacroInput,
): Promise<MacroPutOutcome> {
  const { unit, eventOf } = context;
  const { name, text, language, changedBy } = macro;
  if (!isMacroName(name)) throw new ServiceError(400);
  acceptStorable([text, changedBy]);
  if (bytesOf(text) > maxMacroBytes)
    throw new ServiceError(307, { detail: `The source is larger than ${maxMacroBytes} bytes.` });
  if (changedBy === "" || changedBy.length > maxAuthorLength)
    throw new ServiceError(307, { detail: `The author must have 1 to ${maxAuthorLength} characters.` });
  const [inspected] = await context.services.moduleInspector.inspect([{ name, text, language, origin: name }]);
  if (inspected?.module.kind === "broken") throw inspected.module.fault;
  return unit.transaction(async (r) => {
    const macros = new MacroStore(r);
    const [latest] = await macros.history(name, 1);
    const current = latest === undefined || latest.text === null ? 0 : latest.version;
    const isSame = latest?.text === text && latest.language === language;
    if (isSame && (expectedVersion === null || expectedVersion === current))
      return { outcome: "unchanged", version: current };
    const outcome = await macros.put(macro, expectedVersion);
    const [now] = await macros.history(name, 1);
    if (outcome === "stored") {
      const changes = changesBetween(auditedMacro(latest), auditedMacro(now));
      await r.audit.append(eventOf({ type: "macro.stored", macroName: name, changes }));
    }
    return { outcome, version: now === undefined || now.text === null ? 0 : now.version };
  });
}

/** The history has the texts. */
function auditedMacro(latest: MacroVersion | undefined): object | null {
  return latest === undefined || latest.text === null ? null : { version: latest.version, language: latest.language };
}

function bytesOf(text: string): number {
  return encodeURIComponent(text).replaceAll(/%../g, "_").length;
}

/** Removes a macro and keeps its history. */
export function removeMacro(
  { unit, eventOf }: Pick<AdministrationContext, "unit" | "eventOf">,
  { name, ...removal }: MacroRemoval & { readonly name: string },
): Promise<"removed" | "stale" | "unknown"> {
  return unit.transaction(async (r) => {
    const macros = new MacroStore(r);
    const [latest] = await macros.history(name, 1);
    const outcome = await macros.remove(name, removal);
    if (outcome === "removed") {
      const changes = changesBetween(auditedMacro(latest), null);
      await r.audit.append(eventOf({ type: "macro.removed", macroName: name, changes }));
    }
    return outcome;
  });
}
