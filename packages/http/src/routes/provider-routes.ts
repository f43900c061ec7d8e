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
    access: "callback",
    carriesSecrets: true,
    mayRedirect: true,
    data: providerLogInResponse,
    description: [
      "The app key is that of the request that began the log-in. Whatever does not belong to that, or comes a second time: 324.",
      "A log-in that began with `returnTo` is answered with a redirect there: with `code`, or with `error`, which is the code of the failure.",
    ].join(" "),
  } as const;
  return [
    defineRoute({
      method: "GET",
      path: "/v1/auth/{providerName}",
      excludedFromMulti: true,
      operation: "startProviderLogIn",
      summary: "Begins a log-in with an external provider: sends the browser there.",
      access: "secrets",
      keyInQuery: true,
      redirects: true,
      query: providerLogInParameters,
      data: emptyResponse,
      description: [
        "What follows is a page of the provider's, and then its callback here. The cookie that comes with the answer has to come back with that.",
        "307 for a `returnTo` that the app key does not list, or without a `challenge`.",
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
      summary:
        "Where a provider sends the browser back to: opens a session, or tells what the account can be bound to a database user with.",
      query: providerCallbackParameters,
      errors: [101, 208, 210, 302, 315, 324, 340, 341, 342, 608, 698, 710],
      handle: (context, input) => finish(context, input.query, input),
    }),
    defineRoute({
      ...finishing,
      method: "POST",
      path: callback,
      operation: "finishAppleLogIn",
      summary: "The same of Apple, which has the browser post a form; other providers: 207.",
      body: {
        schema: providerCallbackParameters,
        faultOrder: [],
        form: (parameter) => providerTypeOf(parameter("providerName")) === "apple",
      },
      errors: [101, 208, 210, 302, 315, 324, 340, 341, 342, 608, 698, 710],
      handle: (context, input) => finish(context, input.body, input),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/auth/code",
      excludedFromMulti: true,
      operation: "tradeReturnCode",
      summary: "Trades the code that a return address was given for what the callback would have answered.",
      access: "secrets",
      body: { schema: returnCodeRequest, faultOrder: [324] },
      data: providerLogInResponse,
      description:
        "The code is good once, for 60 seconds, with the same app key. 340, 341 and 342 do not spend it: show it again with a `2faToken`.",
      errors: [302, 315, 324, 340, 341, 342, 608, 698, 710],
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
      operation: "logInLinking",
      summary: "Logs in with the credentials of a database user, and binds an account of a provider to him.",
      access: "secrets",
      body: { ...logInBody, schema: linkingLogInRequest },
      data: sessionLogInResponse,
      description: "The credentials are judged before the `dfUuid`, which only success spends.",
      errors: [208, 209, 210, 301, 302, 315, 324, 340, 341, 342],
      handle: async (context, { body, language }) => {
        const input = await logInInput(context, body);
        return { data: await logInAndLink.logInAndLink(context, { ...input, dfUuid: body.dfUuid, language }) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/auth/links",
      operation: "listOwnLinks",
      summary: "The accounts of providers that are bound to the caller.",
      access: "session",
      data: linksResponse,
      description: "Whoever shares the user with others sees his own only.",
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
      summary: "Takes the caller's links to a provider away, and ends the sessions that they opened.",
      description:
        "307 while one of them has a second factor of its own that is confirmed: that is switched off first, or an administrator takes the link away.",
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
