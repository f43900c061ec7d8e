import { emptyResponse, encryptedMessage, envelopeOf, failureEnvelope } from "@sallyport/contract";
import { type ErrorCode, errorEntry } from "@sallyport/core";
import { declaredErrors, takesSession } from "../routes/declared-errors.ts";
import type { Route, SealedSuccess } from "../routes/route.ts";
import type { Content, Reference, ResponseObject, SchemaObject } from "./open-api.ts";
import type { SchemaComponents } from "./schema-components.ts";

const json = "application/json";

/** Codes whose answer can say when to try again: lockouts, and every 503. */
const withRetryAfter: ReadonlySet<ErrorCode> = new Set<ErrorCode>([302, 326, 339, 342, 607, 706, 800]);

const withAllow: ReadonlySet<ErrorCode> = new Set<ErrorCode>([305]);

/** All that a route can answer, by HTTP status: the success and, per status, the failures that it declares. */
export function responsesOf(route: Route, components: SchemaComponents): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {
    [route.redirects === true ? 302 : 200]: success(route, components),
  };
  if (route.mayRedirect === true)
    responses[302] = success({ ...route, data: emptyResponse, redirects: true }, components);
  for (const [status, codes] of byStatus(declaredErrors(route))) responses[status] = failure(route, codes, components);
  return responses;
}

function success(route: Route, components: SchemaComponents): ResponseObject {
  const { data, sealed, isDocument = false } = route;
  return {
    description: isDocument
      ? "Success, in no envelope."
      : `Success: \`status.internalStatus\` is \`0\`.${route.redirects === true ? " The browser is sent elsewhere." : ""}`,
    headers: {
      ...headers([], isEncrypted(route)),
      ...named("ETag", route.versioned),
      ...named("Location", route.redirects),
      ...named("Set-Cookie", route.redirects),
    },
    content: {
      ...(sealed?.always
        ? {}
        : { [json]: { schema: components.describe(isDocument ? data : envelopeOf(data), "output") } }),
      ...(sealed === undefined ? {} : { "text/plain": { schema: sealedText(sealed, components) } }),
      ...messages(route, components),
    },
  };
}

function named(name: string, present: true | undefined): Record<string, Reference> {
  return present === true ? { [name]: { $ref: `#/components/headers/${name}` } } : {};
}

/** A text that is an envelope when it is decrypted. */
function sealedText({ data, how }: SealedSuccess, components: SchemaComponents): SchemaObject {
  const contentSchema = components.describe(envelopeOf(data), "output");
  return { type: "string", description: `${how} It is decrypted to:`, contentMediaType: json, contentSchema };
}

/** What stands in the place of JSON in a secure session. */
function messages(route: Route, components: SchemaComponents): Content {
  return takesSession(route) ? { "application/text": { schema: components.describe(encryptedMessage, "output") } } : {};
}

function isEncrypted(route: Route): boolean {
  return takesSession(route) || route.sealed !== undefined;
}

function failure(route: Route, codes: readonly ErrorCode[], components: SchemaComponents): ResponseObject {
  const lines = codes.map((code) => `- \`${code}\` ${errorEntry(code).name}: ${errorEntry(code).condition}`);
  const internalStatus = { enum: codes.map(String) };
  return {
    description: lines.join("\n"),
    headers: headers(codes, takesSession(route)),
    content: {
      [json]: {
        schema: {
          allOf: [
            components.describe(failureEnvelope, "output"),
            { properties: { status: { properties: { internalStatus } } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
      ...messages(route, components),
    },
  };
}

function headers(codes: readonly ErrorCode[], encrypted: boolean): Record<string, Reference> {
  const names = ["X-Request-Id"];
  if (encrypted) names.push("Encrypted");
  if (codes.some((code) => withRetryAfter.has(code))) names.push("Retry-After");
  if (codes.some((code) => withAllow.has(code))) names.push("Allow");
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorEntry(code);
    grouped.set(status, [...(grouped.get(status) ?? []), code]);
  }
  return grouped;
}
