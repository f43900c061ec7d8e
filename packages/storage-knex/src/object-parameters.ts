import { isObjectId, type Links, type ObjectId, objectNumber, ServiceError, type Visibility } from "@sallyport/core";
import { objectNumbers } from "./object-row.ts";
import type { SqlValue } from "./sql-runner.ts";

/** The visible classes and the principals, as parameters; null where they do not count. */
export function visibilityParameters(visibility: Visibility): [SqlValue, SqlValue] {
  return [visibility.classes === null ? null : [...visibility.classes], principalsOf(visibility)];
}

/** The principals alone. */
export function principalsOf({ principals }: Visibility): number[] | null {
  return principals === null ? null : objectNumbers(principals);
}

/** What the links of one attribute are, beside the name under which storage knows their source. */
interface LinkedAttribute {
  readonly attribute: string;
  readonly targets: readonly number[];
}

/** The links of several objects as parameters: all of them with what names their source, or null; and their targets, each once. */
export function linkParameters(
  sources: readonly { readonly source: object; readonly links: Links | undefined }[],
): [SqlValue, SqlValue] {
  const linked = sources.flatMap(({ source, links = {} }) =>
    linkedAttributes(links).map((each) => ({ ...source, ...each })),
  );
  const targets = new Set(linked.flatMap((each) => each.targets));
  return [linked.length === 0 ? null : JSON.stringify(linked), [...targets]];
}

function linkedAttributes(links: Links): LinkedAttribute[] {
  return Object.entries(links).map(([attribute, ids]) => ({ attribute, targets: ids.map(existing) }));
}

function existing(id: ObjectId): number {
  if (!isObjectId(id)) throw new ServiceError(307, { detail: "A link leads to an object that is not there." });
  return objectNumber(id);
}
