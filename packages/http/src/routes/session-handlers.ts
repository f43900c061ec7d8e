import {
  encodeBase64,
  type customUserOperations,
  logInFaultOrder,
  parseFields,
  type sessionOperations,
  logInRequest,
  valueOf,
} from "@sallyport/contract";
import {
  acceptAppNames,
  type AppKeyContext,
  type LogInInput,
  type RsaPadding,
  rsaPaddings,
  logIn,
  logOut,
  logInWithToken,
  logInSecurely,
  logInCustomUser,
  confirmCustomPassword,
} from "@sallyport/core";
import type { z } from "zod";
import type { Handlers, Served } from "../route.ts";

const serverKey = async ({ database, services }: Served<AppKeyContext>, paddings: readonly RsaPadding[]) => {
  const { publicKey, keyId } = await services.keyRings.current("rsa", database);
  return { data: { key: publicKey, keyId, paddings } };
};

/** Log-in in every mode, and log-out. */
export const sessionHandlers: Handlers<typeof sessionOperations> = {
  logIn: async (context, { body }) => ({ data: await logIn(context, await logInInput(context, body)) }),
  logOut: (context) => logOut(context),
  checkSession: async () => {},
  getLogInKey: (context) => serverKey(context, ["OAEP-SHA-256"]),
  logInWithToken: async (context, { body }) => {
    if (!("aesKey" in body)) return { data: await logInWithToken(context, await logInInput(context, body), "token") };
    const { fields, checkReplay, seal } = await context.services.logInMessages.openHybrid(context, body);
    const input = {
      ...(await logInInput(context, parseFields(logInRequest, fields, logInFaultOrder))),
      checkReplay,
    };
    return { data: await logInWithToken(context, input, "session"), seal };
  },
  getSecureLogInKey: (context, { settings: { legacyPkcs1 } }) =>
    serverKey(
      context,
      rsaPaddings.filter((padding) => legacyPkcs1 || padding !== "PKCS1-v1_5"),
    ),
  logInSecurely: async (context, { body, settings }) => {
    const { fields, checkReplay, seal } = await context.services.logInMessages.openCredentials(context, body);
    const parsed = parseFields(logInRequest, fields, logInFaultOrder);
    const input = { ...(await logInInput(context, parsed)), checkReplay };
    const plain = settings.plainAfterSecureLogin && parsed.furtherencryption === false;
    if (plain) return { data: await logIn(context, input), seal };
    const { symmetricKey, ivPrefix, ...data } = await logInSecurely(context, input);
    return { data: { ...data, symmetricKey: encodeBase64(symmetricKey), ivPrefix: encodeBase64(ivPrefix) }, seal };
  },
};

/** The fields of a log-in. An unusable app name (208, 210) precedes an error in another member. */
export async function logInInput(
  context: AppKeyContext,
  { user, pass, appNames, device, "2faToken": token, "2faEnrol": enrol }: z.output<typeof logInRequest>,
): Promise<LogInInput> {
  try {
    const described = valueOf(device);
    return {
      user,
      pass,
      appNames,
      deviceId: described?.deviceId?.trim() || null,
      device: describedBy(described),
      secondFactor: { token: valueOf(token) ?? null, enrol: valueOf(enrol) ?? false },
    };
  } catch (error) {
    await acceptAppNames(context, appNames);
    throw error;
  }
}

/** The description of the device by the client, without the id and absent members. */
function describedBy({ deviceId: _deviceId, ...device }: Readonly<Record<string, string | undefined>> = {}) {
  return Object.fromEntries(
    Object.entries(device).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Custom users: log-in and confirmation of a password change. */
export const customUserHandlers: Handlers<typeof customUserOperations> = {
  logInCustomUser: async (context, { body }) => ({
    data: await logInCustomUser(context, await logInInput(context, body)),
  }),
  confirmChangePassword: (context, { body, language }) =>
    confirmCustomPassword(context, {
      confirmationCode: body.confirmationCode,
      language,
    }),
};
