import { type PageRequest, ServiceError } from "@sallyport/storage";
import type { RouteInput } from "../route.ts";

/** The versions of `If-Match`. Throws 307 without the header and for `*`: a replacement names what it replaces. */
export function requiredVersions({ expectedVersions }: Pick<RouteInput, "expectedVersions">) {
  if (expectedVersions !== null) return expectedVersions;
  throw new ServiceError(307, { detail: "The header If-Match is required, with the ETag of the resource." });
}

const usualLimit = 100;

/** A page as `data` of a list. `keyOf` returns the place of an item in the list. */
export async function pageData<Item, Shown>(
  { after, limit = usualLimit }: { readonly after?: string | undefined; readonly limit?: number | undefined },
  list: (page: PageRequest) => Promise<readonly Item[]>,
  { keyOf, show }: { readonly keyOf: (item: Item) => string; readonly show: (item: Item) => Shown },
): Promise<{ readonly items: Shown[]; readonly next: string | null }> {
  const items = await list({ after: after ?? null, limit });
  const last = items.at(-1);
  return { items: items.map(show), next: items.length < limit || last === undefined ? null : keyOf(last) };
}

export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
