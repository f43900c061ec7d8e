import { serverKeyResponse } from "@sallyport/contract";
import type { KeyRings, RsaPadding } from "@sallyport/core";
import type { HttpSettings } from "../server/http-settings.ts";
import { defineRoute, type Route } from "./route.ts";

/** Where one of the encrypted log-ins gets the server's RSA key. */
export interface ServerKeyPlace {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** How the credentials of this log-in may be padded. */
  readonly paddings: (settings: HttpSettings) => readonly RsaPadding[];
}

/** Both encrypted log-ins have the same key. */
export function serverKeyRoute(keyRings: KeyRings, { path, operation, summary, paddings }: ServerKeyPlace): Route {
  return defineRoute({
    method: "GET",
    path,
    standsAlone: true,
    operation,
    summary,
    access: "appKey",
    data: serverKeyResponse,
    errors: [],
    handle: async ({ database }, { settings }) => {
      const { publicKey, keyId } = await keyRings.current("rsa", database);
      return { data: { key: publicKey, keyId, paddings: paddings(settings) } };
    },
  });
}
