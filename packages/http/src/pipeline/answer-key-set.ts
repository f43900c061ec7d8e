import { ServiceError } from "@sallyport/core";
import { writeAnswer } from "../answer.ts";
import type { Exchange, Step } from "./exchange.ts";
import { originForm, pathSegments, withoutBase } from "../routing/request-path.ts";

/** Seconds for which others may keep a set, and one that lacks the keys of some database. */
const maxAge = { complete: 60, incomplete: 5 };

export const keySetPath = "/.well-known/jwks.json";

export const keySetType = "application/jwk-set+json";

/** Whether a request is for the set of keys, which stands at the root of the server and below its base path. */
export function asksForKeySet({ url = "" }: { readonly url?: string | undefined }, basePath: string): boolean {
  if (!url.includes("well-known")) return false;
  const segments = pathSegments(originForm(url).split("?", 1)[0] ?? "");
  return [segments, withoutBase(segments, basePath)].some(
    (each) => each !== null && `/${each.join("/")}` === keySetPath,
  );
}

/** 305 for anything but `GET`. */
export const findKeySetMethod: Step = (exchange) => {
  exchange.matched = { pattern: keySetPath, methods: new Map(), parameters: new Map() };
  if (exchange.request.method === "GET") return;
  exchange.answerHeaders["Allow"] = "GET";
  throw new ServiceError(305);
};

/** Answers the set of keys (RFC 7517), which is for everybody, web pages of any origin included. */
export const answerKeySet: Step = async (exchange: Exchange, { publishedKeys }) => {
  const { keys, complete } = await publishedKeys.read();
  Object.assign(exchange.answerHeaders, {
    "Content-Type": keySetType,
    "Cache-Control": `public, max-age=${complete ? maxAge.complete : maxAge.incomplete}`,
    "Access-Control-Allow-Origin": "*",
  });
  writeAnswer(exchange, 200, JSON.stringify({ keys }));
};
