import { type PageRequest, ServiceError } from "@sallyport/storage";
import { type AdministratorContext, administratorContext } from "@sallyport/core";
import type { z } from "zod";
import { defineRoute, type Route, type RouteDefinition, type RouteInput, type Success } from "../routes/route.ts";

/** Path of the administration routes below the alias. */
export const administrationPath = "/admin/v1";

type Definition<B extends z.ZodType, Q extends z.ZodObject> = Omit<
  RouteDefinition<"session", B, Q>,
  "access" | "handle"
> & {
  readonly handle: (
    context: AdministratorContext,
    input: Parameters<RouteDefinition<"session", B, Q>["handle"]>[1],
  ) => Promise<Success>;
};

/** A route for administrators. The path is relative to `administrationPath`. */
export function administrationRoute<B extends z.ZodType, Q extends z.ZodObject>({
  path,
  handle,
  ...definition
}: Definition<B, Q>): Route {
  return defineRoute<"session", B, Q>({
    ...(definition as Omit<RouteDefinition<"session", B, Q>, "access" | "handle" | "path">),
    path: `${administrationPath}${path}`,
    access: "session",
    administration: true,
    handle: (context, input) => handle(administratorContext(context), input),
  });
}

/** The versions of `If-Match`. Throws 307 without the header and for `*`: a replacement names what it replaces. */
export function requiredVersions({ expectedVersions }: Pick<RouteInput<unknown, unknown>, "expectedVersions">) {
  if (expectedVersions !== null) return expectedVersions;
  throw new ServiceError(307, { detail: "The header If-Match is required, with the ETag of the resource." });
}

const usualLimit = 100;

interface PageQuery {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page as `data` of a list. `keyOf` returns the place of an item in the list. */
export async function pageData<Item, Shown>(
  {
    after = null,
    limit = usualLimit,
  }: { readonly after?: string | null | undefined; readonly limit?: number | undefined },
  list: (page: PageRequest) => Promise<readonly Item[]>,
  { keyOf, show }: { readonly keyOf: (item: Item) => string; readonly show: (item: Item) => Shown },
): Promise<{ readonly items: Shown[]; readonly next: string | null }> {
  const items = await list({ after: after ?? null, limit });
  const last = items.at(-1);
  return { items: items.map(show), next: items.length < limit || last === undefined ? null : keyOf(last) };
}

export type { PageQuery };

export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
