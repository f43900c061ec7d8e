import { type PageRequest, ServiceError } from "@sallyport/storage";
import { MacroStore, type MacroVersion, type StoredMacro } from "../macros/index.ts";
import { requestMacros } from "../request/index.ts";
import type { AdministratorContext } from "./administrators.ts";

export interface AdministeredMacro {
  readonly name: string;
  readonly state: "macro" | "hook" | "broken";
  /** Why a broken one cannot run; `null` for others. */
  readonly fault: string | null;
  /** The current version in the database; `null` for one of the folder of the deployment. */
  readonly stored: Omit<StoredMacro, "text"> | null;
}

/** Lists all macros and hooks by name, with their state in this server. */
export async function listMacros(context: AdministratorContext): Promise<AdministeredMacro[]> {
  const { macros } = await new MacroStore(context.r).load();
  const stored = new Map(macros.map(({ text: _text, ...macro }) => [macro.name, macro]));
  const modules = (await requestMacros(context)).all();
  return modules
    .map((module) => ({
      name: module.name,
      state: module.kind,
      fault: module.kind === "broken" ? module.fault.message : null,
      stored: stored.get(module.name) ?? null,
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Lists versions of a stored macro, the latest first. The key of a page is the version. Unknown macro: 304. */
export async function macroHistory(
  { r }: Pick<AdministratorContext, "r">,
  name: string,
  { after, limit }: PageRequest<number>,
): Promise<MacroVersion[]> {
  const versions = await new MacroStore(r).history(name, limit, after);
  if (versions.length === 0 && after === null)
    throw new ServiceError(304, { detail: "The database has no macro of this name." });
  return versions;
}
