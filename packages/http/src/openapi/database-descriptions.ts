import type { Database, Model } from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import type { HttpSettings } from "../server/http-settings.ts";
import { type DescribedCaller, openApiDocument } from "./open-api-document.ts";

/** Descriptions for callers with different rights that are kept at once, by model; one with many classes takes a megabyte. */
const maximumRemembered = 20;

/** The API descriptions of databases, as texts. */
export class DatabaseDescriptions {
  private readonly general = new Map<string, string>();
  private readonly remembered = new WeakMap<Model, Map<string, string>>();

  /** The routes are asked for when the first description is made. */
  constructor(private readonly routes: () => readonly Route[]) {}

  /** What everybody may know. */
  ofAnybody({ alias }: Database, settings: HttpSettings): string {
    const known = this.general.get(alias);
    if (known !== undefined) return known;
    const text = this.make(alias, settings);
    this.general.set(alias, text);
    return text;
  }

  /** The same with the classes and macros of a caller. */
  ofCaller({ alias }: Database, settings: HttpSettings, caller: DescribedCaller): string {
    const { classes: readable, macros } = caller;
    const byRights = this.remembered.get(readable.model) ?? new Map<string, string>();
    this.remembered.set(readable.model, byRights);
    const rights = JSON.stringify([
      readable.classes.map(({ modelClass, permissions }) => [modelClass.definition.name, permissions]),
      macros,
    ]);
    const known = byRights.get(rights);
    if (known !== undefined) return known;
    const text = this.make(alias, settings, caller);
    if (byRights.size >= maximumRemembered) byRights.clear();
    byRights.set(rights, text);
    return text;
  }

  private make(
    alias: string,
    { applicationName, applicationVersion, basePath }: HttpSettings,
    caller: Partial<DescribedCaller> = {},
  ): string {
    const about = { title: applicationName, version: applicationVersion, basePath, alias };
    return JSON.stringify(openApiDocument({ ...about, routes: this.routes(), ...caller }));
  }
}
