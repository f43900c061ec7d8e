import { errors, type JWSHeaderParameters, jwtVerify } from "jose";
import { unproven } from "./http/provider-failure.ts";
import { type JsonObject, strictJsonObject } from "./http/strict-json.ts";
import type { KeySet } from "./key-set.ts";

export interface IdTokenExpectations {
  readonly keys: KeySet;
  readonly clientId: string;
  readonly nonce: string;
  /** The issuer by which an identity is known, if the token comes from one that the provider may name; `null` if not. */
  readonly issuerOf: (claims: JsonObject) => string | null;
}

export interface VerifiedIdToken {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: JsonObject;
}

/** What providers sign with. Neither `none` nor a secret that is shared proves anything here. */
const algorithms = ["RS256", "ES256"];

const longestToken = 16_384;

/** How far the clocks may be apart, in seconds. */
const clockTolerance = 120;

/** In seconds; the token was made for this log-in. */
const greatestAge = 600;

/** Whom an id token is about, once everything in it is proven: signature, issuer, audience, times and nonce. Otherwise 324. */
export async function verifyIdToken(token: unknown, expected: IdTokenExpectations): Promise<VerifiedIdToken> {
  if (typeof token !== "string" || token.length > longestToken) throw unproven("the provider sent no id token");
  let keyIssuer: string | null = null;
  const options = {
    algorithms,
    audience: expected.clientId,
    clockTolerance,
    maxTokenAge: greatestAge,
    requiredClaims: ["iss", "sub", "aud", "iat", "exp"],
    currentDate: new Date(Date.now()),
  };
  const { payload, protectedHeader } = await jwtVerify(
    token,
    async (header: JWSHeaderParameters) => {
      const found = await expected.keys.find(header);
      keyIssuer = found.issuer;
      return found.key;
    },
    options,
  ).catch((error: unknown) => {
    throw refusalOf(error);
  });

  if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== "JWT")
    throw unproven("the token is no id token");
  if (strictJsonObject(segment(token, 0)) === null || strictJsonObject(segment(token, 1)) === null)
    throw unproven("the id token has a member twice");
  if (payload.nonce !== expected.nonce) throw unproven("the id token belongs to another log-in");
  if (!isParty(payload, expected.clientId)) throw unproven("the id token was made for another application");
  const issuer = expected.issuerOf(payload);
  if (issuer === null || !signsFor(keyIssuer, payload)) throw unproven("the id token has another issuer");
  // Nothing has looked at its type yet, and a pattern takes numbers and lists for texts.
  const { sub: subject } = payload as JsonObject;
  if (typeof subject !== "string" || !/^[\x21-\x7E]{1,255}$/.test(subject)) throw unproven("the id token names nobody");
  return { issuer, subject, claims: payload };
}

const segment = (token: string, index: number) =>
  Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8");

/** Who asked for the token is known when it is for several. */
const isParty = ({ aud, azp }: JsonObject, clientId: string) =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId;

const signsFor = (keyIssuer: string | null, { iss, tid }: JsonObject) =>
  keyIssuer === null || keyIssuer.replace("{tenantid}", () => String(tid)) === iss;

function refusalOf(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return unproven("the id token is over");
  if (error instanceof errors.JWTClaimValidationFailed)
    return unproven(
      error.claim === "aud"
        ? "the id token was made for another application"
        : "the id token lacks a claim, or one is wrong",
    );
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return unproven("the id token is not signed as providers sign");
  if (error instanceof errors.JWSSignatureVerificationFailed) return unproven("the signature of the id token is wrong");
  if (error instanceof errors.JOSEError || !(error instanceof Error) || error.name !== "ServiceError")
    return unproven("the id token is malformed");
  return error;
}
