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
  type Database,
  type LogInInput,
  type RsaPadding,
  rsaPaddings,
} from "@sallyport/core";
import type { z } from "zod";
import type { Handlers } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Log-in in every mode, and log-out. */
export const sessionHandlers = (useCases: UseCases): Handlers<typeof sessionOperations> => {
  const { logIn, logInSecurely, logInWithToken, logInMessages, keyRings, logOut } = useCases;
  const serverKey = async (database: Database, paddings: readonly RsaPadding[]) => {
    const { publicKey, keyId } = await keyRings.current("rsa", database);
    return { data: { key: publicKey, keyId, paddings } };
  };
  return {
    logIn: async (context, { body }) => ({ data: await logIn.logIn(context, await logInInput(context, body)) }),
    logOut: (context) => logOut.logOut(context),
    checkSession: async () => {},
    getLogInKey: ({ database }) => serverKey(database, ["OAEP-SHA-256"]),
    logInWithToken: async (context, { body }) => {
      if (!("aesKey" in body))
        return { data: await logInWithToken.logInWithToken(context, await logInInput(context, body), "token") };
      const { fields, checkReplay, seal } = await logInMessages.openHybrid(context, body);
      const input = {
        ...(await logInInput(context, parseFields(logInRequest, fields, logInFaultOrder))),
        checkReplay,
      };
      return { data: await logInWithToken.logInWithToken(context, input, "session"), seal };
    },
    getSecureLogInKey: ({ database }, { settings: { legacyPkcs1 } }) =>
      serverKey(
        database,
        rsaPaddings.filter((padding) => legacyPkcs1 || padding !== "PKCS1-v1_5"),
      ),
    logInSecurely: async (context, { body, settings }) => {
      const { fields, checkReplay, seal } = await logInMessages.openCredentials(context, body);
      const parsed = parseFields(logInRequest, fields, logInFaultOrder);
      const input = { ...(await logInInput(context, parsed)), checkReplay };
      const plain = settings.plainAfterSecureLogin && parsed.furtherencryption === false;
      if (plain) return { data: await logIn.logIn(context, input), seal };
      const { symmetricKey, ivPrefix, ...data } = await logInSecurely.logInSecurely(context, input);
      return { data: { ...data, symmetricKey: encodeBase64(symmetricKey), ivPrefix: encodeBase64(ivPrefix) }, seal };
    },
  };
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
export const customUserHandlers = ({
  logInCustomUser,
  confirmCustomPassword,
}: UseCases): Handlers<typeof customUserOperations> => ({
  logInCustomUser: async (context, { body }) => ({
    data: await logInCustomUser.logInCustomUser(context, await logInInput(context, body)),
  }),
  confirmChangePassword: (context, { body, language }) =>
    confirmCustomPassword.confirmCustomPassword(context, {
      confirmationCode: body.confirmationCode,
      language,
    }),
});
