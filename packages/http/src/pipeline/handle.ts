import { headerNames, parseIfMatch } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import { type MailLanguage, mailLanguages, type OnEnd } from "@sallyport/core";
import { writeCompressible, writeSuccess } from "../answer.ts";
import { sendFile } from "../files/send-file.ts";
import { objectOfAnswer } from "../named-object.ts";
import { keyedRequest } from "../keyed-request.ts";
import { nothing, type RouteInput } from "../route.ts";
import { cookieValue } from "../exchange/credentials.ts";
import type { Exchange, PipelineParts, Step } from "../exchange/exchange.ts";
import { contextOf, whenDisconnected } from "../exchange/request-context.ts";

/** Calls the use case of the route and writes the result. */
export const handle: Step = async (exchange, parts) => {
  const { settings } = parts;
  const { route, request, body, query, matched } = exchange;
  const { [headerNames.ifMatch]: ifMatch } = request.headers;
  const keyed = route.idempotent === true ? keyedRequest(exchange) : null;
  const run = keyed === null ? route.handle : (route.handleOnce ?? route.handle);
  const input: RouteInput = {
    body,
    query,
    settings,
    appKeyDigest: exchange.appKeyDigest,
    parameter: (name) => matched?.parameters.get(name) ?? "",
    expectedVersions: ifMatch === undefined ? null : parseIfMatch(ifMatch),
    get language() {
      return mailLanguage(request.headers[headerNames.acceptLanguage]);
    },
    stream: exchange.stream,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join() : value;
    },
    cookie: (name) => cookieValue(request.headers.cookie, name),
    note: (items) => {
      exchange.items = items;
    },
    position: exchange.admission.position,
    keyed,
    suspend: (wait) => suspended(exchange, parts, wait),
  };
  exchange.hasBegun = true;
  const success = (await run(contextOf(exchange, parts.services), input)) ?? nothing;
  // The answer comes after the last use of the body.
  exchange.stream?.close();
  if ("file" in success) await sendFile(exchange, parts, success);
  else if ("document" in success) await writeCompressible(exchange, 200, [success.document]);
  else {
    exchange.failure = success.failure;
    exchange.answered = objectOfAnswer(success.data);
    await writeSuccess(exchange, success);
  }
};

/** Waits without load, until the client disconnects, the server begins to shut down, or the database is withdrawn. */
async function suspended<T>(
  { response, share, use }: Exchange,
  { load }: PipelineParts,
  wait: (onEnd: OnEnd) => Promise<T>,
): Promise<T> {
  share.pause();
  try {
    const outcome = await wait((call) => {
      const endings = [whenDisconnected(response, call), load.onDrain(call), use?.onWithdrawal(call)];
      return () => {
        for (const end of endings) end?.();
      };
    });
    if (response.destroyed) throw new ServiceError(699, { detail: "The client has disconnected." });
    return outcome;
  } finally {
    share.resume();
  }
}

/** The mail language that `Accept-Language` prefers; `null` if it names none of them. */
export function mailLanguage(header: string | undefined): MailLanguage | null {
  const accepted = (header ?? "").split(",").flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const language = mailLanguages.find((each) => range === each || range.startsWith(`${each}-`));
    const quality = parameters
      .map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1])
      .find((text) => text !== undefined);
    return language === undefined ? [] : [{ language, weight: Number(quality ?? 1) }];
  });
  const [first] = accepted.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return first?.language ?? null;
}
