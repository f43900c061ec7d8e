import {
  doubleLogInResponse,
  encodeBase64,
  encryptedLogInRequest,
  isEncryptedLogIn,
  logInCredentials,
  logInFaultOrder,
  logInRequest,
  parseFields,
  secureLogInFaultOrder,
  secureLogInRequest,
  secureLogInResponse,
  serverKeyResponse,
  tokenLogInResponse,
} from "@sallyport/contract";
import { type KeyRings, type RsaPadding, rsaPaddings } from "@sallyport/core";
import * as z from "zod";
import type { HttpSettings } from "../server/http-settings.ts";
import { defineRoute, type Route } from "./route.ts";
import { logInBody, logInInput } from "./session-routes.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes of log-in in token mode, plain or encrypted. */
export function tokenRoutes({ logInWithToken, logInMessages, keyRings }: UseCases): Route[] {
  return [
    serverKeyRoute(keyRings, {
      path: "/v2/login/key",
      operation: "getLogInKey",
      summary: "Get the key for the encrypted token log-in",
      paddings: () => ["OAEP-SHA-256"],
    }),
    defineRoute({
      method: "POST",
      path: "/v2/login",
      excludedFromMulti: true,
      operation: "logInWithToken",
      summary: "Log in with a token",
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
        how: "Two base64 strings separated by `|`: a new AES key, encrypted with RSA-OAEP, SHA-256 and `publicKey`, and a 16-byte IV followed by the envelope, encrypted with AES-256-CBC.",
        always: false,
      },
      description:
        "Returns a token. A body with `aesKey` is an encrypted log-in: its response is encrypted and also contains a session id. Failures are not encrypted.",
      errors: [205, 206, 208, 209, 210, 301, 302, 306, 309, 310, 315, 318, 340, 341, 342, 403, 711],
      handle: async (context, { body }) => {
        if (!("aesKey" in body))
          return { data: await logInWithToken.logInWithToken(context, await logInInput(context, body), "token") };
        const { fields, checkReplay, seal } = await logInMessages.openHybrid(context, body);
        const input = {
          ...(await logInInput(context, parseFields(logInCredentials, fields, logInFaultOrder))),
          checkReplay,
        };
        return { data: await logInWithToken.logInWithToken(context, input, "session"), seal };
      },
    }),
  ];
}

/** Route of the RSA key for one of the encrypted log-ins. */
interface ServerKeyPlace {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** Accepted paddings of this log-in. */
  readonly paddings: (settings: HttpSettings) => readonly RsaPadding[];
}

/** Both encrypted log-ins use the same key. */
function serverKeyRoute(keyRings: KeyRings, { path, operation, summary, paddings }: ServerKeyPlace): Route {
  return defineRoute({
    method: "GET",
    path,
    excludedFromMulti: true,
    operation,
    summary,
    description: "Returns the RSA key of the server. Fetch it over HTTPS.",
    access: "appKey",
    data: serverKeyResponse,
    errors: [],
    handle: async ({ database }, { settings }) => {
      const { publicKey, keyId } = await keyRings.current("rsa", database);
      return { data: { key: publicKey, keyId, paddings: paddings(settings) } };
    },
  });
}

/** Routes of secure log-in. */
export function secureRoutes({ logIn, logInSecurely, logInMessages, keyRings }: UseCases): Route[] {
  return [
    serverKeyRoute(keyRings, {
      path: "/v2/login/secure/key",
      operation: "getSecureLogInKey",
      summary: "Get the key for the secure log-in",
      paddings: ({ legacyPkcs1 }) => rsaPaddings.filter((padding) => legacyPkcs1 || padding !== "PKCS1-v1_5"),
    }),
    defineRoute({
      method: "POST",
      path: "/v2/login/secure",
      excludedFromMulti: true,
      operation: "logInSecurely",
      summary: "Log in securely",
      access: "secrets",
      body: { schema: secureLogInRequest, faultOrder: secureLogInFaultOrder },
      data: secureLogInResponse,
      sealed: {
        data: secureLogInResponse,
        how: "Base64 of the envelope, encrypted block by block with RSA and `publicKey`, with the padding of the request.",
        always: true,
      },
      description: [
        "Opens a session with encrypted traffic. `credentials` contains the fields of `LogInRequest`. A message with the right password is accepted only from the same client, at most three times within a minute.",
        "Failures are not encrypted. All later request and response bodies of the session are encrypted, see `EncryptedMessage`.",
      ].join(" "),
      errors: [205, 206, 208, 209, 210, 301, 302, 306, 309, 310, 315, 318, 340, 341, 342, 403, 711],
      handle: async (context, { body, settings }) => {
        const { fields, checkReplay, seal } = await logInMessages.openCredentials(context, body);
        const parsed = parseFields(logInCredentials, fields, logInFaultOrder);
        const input = { ...(await logInInput(context, parsed)), checkReplay };
        const plain = settings.plainAfterSecureLogin && parsed["furtherencryption"] === false;
        if (plain) return { data: await logIn.logIn(context, input), seal };
        const { symmetricKey, ivPrefix, ...data } = await logInSecurely.logInSecurely(context, input);
        return { data: { ...data, symmetricKey: encodeBase64(symmetricKey), ivPrefix: encodeBase64(ivPrefix) }, seal };
      },
    }),
  ];
}
