import { ServiceError } from "@sallyport/core";
import { headerBytes } from "../server/header-bytes.ts";
import { pathSegments } from "../routing/request-path.ts";

/** What an address can consist of; HTTP's parser sees to it that the path of a request does. */
const addressCharacters = /^\/[\x21-\x7e]*$/;

export interface ItemTarget {
  readonly segments: readonly string[];
  readonly queryString: string;
}

/** The parts of an item's path. 304 for what could be no path of a request, 307 for one that no request has room for. */
export function itemTarget(target: string): ItemTarget {
  if (Buffer.byteLength(target) > headerBytes) throw new ServiceError(307, { detail: "The path is too long." });
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const segments = addressCharacters.test(path) ? pathSegments(path) : null;
  if (segments === null) throw new ServiceError(304);
  return { segments, queryString: mark === -1 ? "" : target.slice(mark + 1) };
}
