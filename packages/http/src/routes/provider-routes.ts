import {
  emptyResponse,
  linkingLogInRequest,
  linksResponse,
  providerCallbackParameters,
  providerLogInParameters,
  providerLogInResponse,
  returnCodeRequest,
  sessionLogInResponse,
  splitAppNames,
  unassignedMessage,
} from "@sallyport/contract";
import { type UnadmittedContext, type ProviderOutcome, providerTypeOf } from "@sallyport/core";
import { logInBody, logInInput } from "./session-routes.ts";
import { defineRoute, type Route, type RouteInput, type Success } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

type Given = Readonly<Record<string, string | undefined>>;

const callback = "/v1/{providerName}/callback";

/** Routes of log-in with external providers and of account links. */
export function providerRoutes(useCases: UseCases): Route[] {
  const { startProviderLogIn, finishProviderLogIn, exchangeReturnCode, logInAndLink, listOwnLinks, removeOwnLinks } =
    useCases;
  const finish = async (
    context: UnadmittedContext,
    given: Given,
    { parameter, cookie }: Pick<RouteInput<unknown, unknown>, "parameter" | "cookie">,
  ): Promise<Success> => {
    const parameters = new Map(
      Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const arrived = { providerName: parameter("providerName"), parameters, cookie };
    const { outcome, cookie: forgotten } = await finishProviderLogIn.finishProviderLogIn(context, arrived);
    if (!("location" in outcome)) return { ...answerOf(outcome), cookie: forgotten };
    const { location, failure } = outcome;
    return { data: {}, location, cookie: forgotten, ...(failure === null ? {} : { failure }) };
  };
  const finishing = {
    excludedFromMulti: true,
    access: "address",
    carriesSecrets: true,
    mayRedirect: true,
    data: providerLogInResponse,
    description: [
      "Opens a session, or returns a `dfUuid` to link the account to a database user. Uses the app key of the request that started the log-in. A callback that does not match that request or is repeated fails with 324.",
      "A log-in with `returnTo` redirects there, with `code`, or with `error` and the error code.",
    ].join(" "),
  } as const;
  return [
    defineRoute({
      method: "GET",
      path: "/v1/auth/{providerName}",
      excludedFromMulti: true,
      operation: "startProviderLogIn",
      summary: "Start a provider log-in",
      access: "secrets",
      keyInQuery: true,
      redirects: true,
      query: providerLogInParameters,
      data: emptyResponse,
      description: [
        "Redirects the browser to the log-in page of the provider, which redirects it to the callback. The callback requires the cookie of this response.",
        "Fails with 307 if the app key does not list `returnTo`, or if `challenge` is missing.",
      ].join(" "),
      errors: [208, 209, 210, 608, 698],
      handle: async (context, { query, parameter, appKeyDigest }) => {
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
        const { location, cookie } = await startProviderLogIn.startProviderLogIn(context, input);
        return { data: {}, location, cookie };
      },
    }),
    defineRoute({
      ...finishing,
      method: "GET",
      path: callback,
      operation: "finishProviderLogIn",
      summary: "Finish a provider log-in",
      query: providerCallbackParameters,
      errors: [101, 208, 210, 302, 306, 315, 318, 324, 340, 341, 342, 403, 608, 698, 710, 711],
      handle: (context, input) => finish(context, input.query, input),
    }),
    defineRoute({
      ...finishing,
      method: "POST",
      path: callback,
      operation: "finishAppleLogIn",
      summary: "Finish an Apple log-in",
      body: {
        schema: providerCallbackParameters,
        faultOrder: [],
        form: (parameter) => providerTypeOf(parameter("providerName")) === "apple",
      },
      errors: [101, 208, 210, 302, 306, 315, 318, 324, 340, 341, 342, 403, 608, 698, 710, 711],
      handle: (context, input) => finish(context, input.body, input),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/auth/code",
      excludedFromMulti: true,
      operation: "exchangeReturnCode",
      summary: "Exchange a code of a provider log-in",
      access: "secrets",
      body: { schema: returnCodeRequest, faultOrder: [324] },
      data: providerLogInResponse,
      description:
        "Exchanges the code from the redirect for the response of the callback. The code is valid once, for 60 seconds, with the same app key. The errors 340, 341 and 342 do not use it up: send it again with a `2faToken`.",
      errors: [302, 306, 315, 318, 324, 340, 341, 342, 403, 608, 698, 710, 711],
      handle: async (context, { body }) => {
        const { code, verifier, "2faToken": token = null, "2faEnrol": enrol = false } = body;
        return answerOf(
          await exchangeReturnCode.exchangeReturnCode(context, { code, verifier, secondFactor: { token, enrol } }),
        );
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/extLogin",
      excludedFromMulti: true,
      operation: "logInAndLinkProvider",
      summary: "Log in and link a provider account",
      access: "secrets",
      body: { ...logInBody, schema: linkingLogInRequest },
      data: sessionLogInResponse,
      description:
        "Logs in with the credentials of a database user and links the provider account to it. The credentials are checked before the `dfUuid`. Only a success uses up the `dfUuid`.",
      errors: [208, 209, 210, 301, 302, 306, 315, 318, 324, 340, 341, 342, 403, 711],
      handle: async (context, { body, language }) => {
        const input = await logInInput(context, body);
        return { data: await logInAndLink.logInAndLink(context, { ...input, dfUuid: body.dfUuid, language }) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/auth/links",
      operation: "listOwnLinks",
      summary: "List the linked accounts",
      access: "session",
      data: linksResponse,
      description:
        "Lists the provider accounts linked to the caller. A caller with a shared user sees the own account only.",
      errors: [],
      handle: async (context) => ({
        data: {
          links: (await listOwnLinks.listOwnLinks(context)).map(
            ({ createdAt, value: { provider, displayName, email, shared } }) => ({
              provider,
              displayName,
              email,
              shared,
              linkedAt: new Date(createdAt).toISOString(),
            }),
          ),
        },
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/auth/links/{providerName}",
      excludedFromMulti: true,
      operation: "removeOwnLinks",
      summary: "Remove the linked accounts",
      description:
        "Removes the links of the caller to the provider, and ends the sessions that they opened. Fails with 307 if a linked account has a confirmed second factor. Disable it first, or ask an administrator to remove the link.",
      access: "session",
      data: emptyResponse,
      errors: [304, 307, 698],
      handle: async (context, { parameter }) => {
        await removeOwnLinks.removeOwnLinks(context, parameter("providerName"));
        return { data: {} };
      },
    }),
  ];
}

function answerOf(outcome: ProviderOutcome): Success {
  return "dfUuid" in outcome ? { data: outcome, message: unassignedMessage } : { data: outcome };
}
