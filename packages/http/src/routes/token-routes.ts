import {
  doubleLogInResponse,
  encryptedLogInRequest,
  isEncryptedLogIn,
  logInCredentials,
  logInFaultOrder,
  logInRequest,
  parseFields,
  secureLogInFaultOrder,
  serverKeyResponse,
  tokenLogInResponse,
} from "@sallyport/contract";
import type { KeyRings, LogInMessages, LogInWithToken, RsaPadding } from "@sallyport/core";
import { z } from "zod";
import type { HttpSettings } from "../server/http-settings.ts";
import { defineRoute, type Route } from "./route.ts";
import { logInBody, logInInput } from "./session-routes.ts";

export interface TokenUseCases {
  readonly logInWithToken: LogInWithToken;
  readonly logInMessages: LogInMessages;
  readonly keyRings: KeyRings;
}

/** Coming in in token mode, in clear or encrypted. */
export function tokenRoutes({ logInWithToken, logInMessages, keyRings }: TokenUseCases): Route[] {
  return [
    serverKeyRoute(keyRings, {
      path: "/v2/login/key",
      operation: "getLogInKey",
      summary: "The server's RSA key for the encrypted form of the log-in with a token. Fetch it over HTTPS.",
      paddings: () => ["OAEP-SHA-256"],
    }),
    defineRoute({
      method: "POST",
      path: "/v2/login",
      standsAlone: true,
      operation: "logInWithToken",
      summary: "Logs in with the credentials of a database user and gives a token; encrypted, also a session id.",
      access: "secrets",
      body: {
        schema: z.union([logInRequest, encryptedLogInRequest]),
        faultOrder: logInFaultOrder,
        alternative: (body) =>
          isEncryptedLogIn(body)
            ? { schema: encryptedLogInRequest, faultOrder: secureLogInFaultOrder }
            : logInBody.alternative(),
      },
      data: tokenLogInResponse,
      sealed: {
        data: doubleLogInResponse,
        how: "Base64 of a fresh AES key, encrypted with RSA-OAEP and SHA-256 for `publicKey`; `|`; base64 of a 16-byte IV and the envelope, encrypted by AES-256-CBC.",
        always: false,
      },
      description: "A body with `aesKey` is the encrypted form; the answer to it is encrypted, too. Failures are not.",
      errors: [205, 206, 208, 209, 210, 301, 302, 309, 310, 315, 340, 341, 342],
      handle: async (context, { body }) => {
        if (!("aesKey" in body))
          return { data: await logInWithToken.run(context, await logInInput(context, body), "token") };
        const { fields, claim: claimMessage, seal } = await logInMessages.openHybrid(context, body);
        const input = {
          ...(await logInInput(context, parseFields(logInCredentials, fields, logInFaultOrder))),
          claimMessage,
        };
        return { data: await logInWithToken.run(context, input, "session"), seal };
      },
    }),
  ];
}

/** Where one of the encrypted log-ins gets the server's RSA key. */
interface ServerKeyPlace {
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
