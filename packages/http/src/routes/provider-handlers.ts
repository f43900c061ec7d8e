import { type providerOperations, splitAppNames, unassignedMessage } from "@sallyport/contract";
import {
  type ProviderOutcome,
  type UnadmittedContext,
  finishProviderLogIn,
  startProviderLogIn,
  exchangeReturnCode,
  logInAndLink,
  listOwnLinks,
  removeOwnLinks,
} from "@sallyport/core";
import type { Handlers, InputOf, Served } from "../route.ts";
import { logInInput } from "./session-handlers.ts";

type Fields = Readonly<Record<string, string | undefined>>;

const finish = async (
  context: Served<UnadmittedContext>,
  fields: Fields,
  { parameter, cookie }: Pick<InputOf<typeof providerOperations.finishProviderLogIn>, "parameter" | "cookie">,
) => {
  const parameters = new Map(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const arrived = { providerName: parameter("providerName"), parameters, cookie };
  const { outcome, cookie: forgotten } = await finishProviderLogIn(context, arrived);
  if (!("location" in outcome)) return { ...answerOf(outcome), cookie: forgotten };
  const { location, failure } = outcome;
  return { data: {}, location, cookie: forgotten, ...(failure === null ? {} : { failure }) };
};

/** Log-in with external providers, and links of accounts. */
export const providerHandlers: Handlers<typeof providerOperations> = {
  startProviderLogIn: async (context, { query, parameter, appKeyDigest }) => {
    const appNames = query.appNames === undefined ? null : splitAppNames(query.appNames);
    const given = {
      appNames,
      deviceId: query.deviceId?.trim() || null,
      secondFactor: { token: query["2faToken"] ?? null, enrol: query["2faEnrol"] === "true" },
    };
    const returnTarget = { returnTo: query.returnTo ?? null, challenge: query.challenge ?? null };
    const input = {
      providerName: parameter("providerName"),
      appKey: appKeyDigest ?? "",
      ...given,
      ...returnTarget,
    };
    const { location, cookie } = await startProviderLogIn(context, input);
    return { data: {}, location, cookie };
  },
  finishProviderLogIn: (context, input) => finish(context, input.query, input),
  finishAppleLogIn: (context, input) => finish(context, input.body, input),
  exchangeReturnCode: async (context, { body }) => {
    const { code, verifier, "2faToken": token = null, "2faEnrol": enrol = false } = body;
    return answerOf(await exchangeReturnCode(context, { code, verifier, secondFactor: { token, enrol } }));
  },
  logInAndLinkProvider: async (context, { body, language }) => {
    const input = await logInInput(context, body);
    return { data: await logInAndLink(context, { ...input, dfUuid: body.dfUuid, language }) };
  },
  listOwnLinks: async (context) => ({
    data: {
      links: (await listOwnLinks(context)).map(({ createdAt, value: { provider, displayName, email, shared } }) => ({
        provider,
        displayName,
        email,
        shared,
        linkedAt: new Date(createdAt).toISOString(),
      })),
    },
  }),
  removeOwnLinks: (context, { parameter }) => removeOwnLinks(context, parameter("providerName")),
};

function answerOf(outcome: ProviderOutcome) {
  return "dfUuid" in outcome ? { data: outcome, message: unassignedMessage } : { data: outcome };
}
