import {
  encodeBase64,
  logInCredentials,
  logInFaultOrder,
  parseFields,
  secureLogInFaultOrder,
  secureLogInRequest,
  secureLogInResponse,
} from "@sallyport/contract";
import { type KeyRings, type LogIn, type LogInMessages, type LogInSecurely, rsaPaddings } from "@sallyport/core";
import { logInInput } from "./session-routes.ts";
import { defineRoute, type Route } from "./route.ts";
import { serverKeyRoute } from "./token-routes.ts";

export interface SecureUseCases {
  readonly logIn: LogIn;
  readonly logInSecurely: LogInSecurely;
  readonly logInMessages: LogInMessages;
  readonly keyRings: KeyRings;
}

/** Coming in in secure mode. */
export function secureRoutes({ logIn, logInSecurely, logInMessages, keyRings }: SecureUseCases): Route[] {
  return [
    serverKeyRoute(keyRings, {
      path: "/v2/login/secure/key",
      operation: "getSecureLogInKey",
      summary: "The server's RSA key for the secure log-in. Fetch it over HTTPS.",
      paddings: ({ legacyPkcs1 }) => rsaPaddings.filter((padding) => legacyPkcs1 || padding !== "PKCS1-v1_5"),
    }),
    defineRoute({
      method: "POST",
      path: "/v2/login/secure",
      standsAlone: true,
      operation: "logInSecurely",
      summary:
        "Logs in with encrypted credentials and opens a session whose traffic is encrypted. The answer is encrypted.",
      access: "secrets",
      body: { schema: secureLogInRequest, faultOrder: secureLogInFaultOrder },
      data: secureLogInResponse,
      sealed: {
        data: secureLogInResponse,
        how: "Base64 of the envelope, encrypted block by block with RSA for `publicKey`, in the padding that the client used.",
        always: true,
      },
      description: [
        "`credentials` are the fields of `LogInRequest`. A message with the right password is taken from the same client only, at most three times within a minute.",
        "Failures are not encrypted. From then on every answer of the session is, and so is every body: see `EncryptedMessage`.",
      ].join(" "),
      errors: [205, 206, 208, 209, 210, 301, 302, 309, 310, 315, 340, 341, 342],
      handle: async (context, { body, settings }) => {
        const { fields, claim: claimMessage, seal } = await logInMessages.openCredentials(context, body);
        const parsed = parseFields(logInCredentials, fields, logInFaultOrder);
        const input = { ...(await logInInput(context, parsed)), claimMessage };
        const plain = settings.plainAfterSecureLogin && parsed["furtherencryption"] === false;
        if (plain) return { data: await logIn.run(context, input), seal };
        const { symmetricKey, ivPrefix, ...data } = await logInSecurely.run(context, input);
        return { data: { ...data, symmetricKey: encodeBase64(symmetricKey), ivPrefix: encodeBase64(ivPrefix) }, seal };
      },
    }),
  ];
}
