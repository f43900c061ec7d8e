import type { SessionContext } from "../request/request-context.ts";
import type { IdentityLink } from "./identity-link.ts";
import { ownLinks } from "./own-links.ts";

/** The accounts of providers that are bound to the caller. */
export class ListOwnLinks {
  run(context: SessionContext): Promise<readonly IdentityLink[]> {
    return ownLinks(context);
  }
}
