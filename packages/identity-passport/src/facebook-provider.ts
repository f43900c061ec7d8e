import { createHmac } from "node:crypto";
import { strictJsonObject } from "@sallyport/storage";
import {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  type IdentityProvider,
  type ProviderData,
  type ProviderProfile,
} from "@sallyport/core";
import { Strategy } from "passport-facebook";
import { type JsonObject, misconfigured, type ProviderAnswer, logInFailed } from "./guarded-client.ts";
import { codeOf, StrategyLogIn } from "./oauth-strategy.ts";
import { acceptedTexts, fakeIssuer, profileText, type ProviderEnvironment, secretRule } from "./provider-data.ts";

const version = "v24.0";

const real = {
  authorize: `https://www.facebook.com/${version}/dialog/oauth`,
  graph: `https://graph.facebook.com/${version}`,
  issuer: "https://www.facebook.com",
};

const fake = (base: string): typeof real => ({
  authorize: `${base}/facebook/dialog/oauth`,
  graph: `${base}/facebook`,
  issuer: fakeIssuer("facebook"),
});

/**
 * Facebook. `debug_token` returns the user of the access token. PKCE and the nonce of the id token bind the code to
 * this log-in.
 */
export class FacebookProvider implements IdentityProvider {
  readonly type = "facebook";
  private readonly environment: ProviderEnvironment;
  private readonly endpoints: typeof real;

  constructor(environment: ProviderEnvironment) {
    this.environment = environment;
    this.endpoints = environment.fakeProviders === null ? real : fake(environment.fakeProviders);
  }

  accept(data: unknown): ProviderData {
    return acceptedTexts(data, { clientId: { pattern: /^\d{1,32}$/ }, clientSecret: secretRule });
  }

  async begin(request: AuthorizationRequest): Promise<string> {
    return this.logInOf(request).authorizationAddress({});
  }

  async finish(answer: AuthorizationAnswer): Promise<ProviderProfile> {
    const { data, parameters } = answer;
    const { client, timeout } = this.environment;
    const code = codeOf(parameters, answer.state);
    const signal = AbortSignal.timeout(timeout);
    const tokens = await this.logInOf(answer).exchangeCode(code, { client, signal, blamesData });
    const token = tokens["access_token"];
    if (typeof token !== "string") throw logInFailed("The provider sent no access token.");
    const subject = await this.userOf(token, data, signal);
    requireOwnLogIn(tokens["id_token"], { clientId: data["clientId"] ?? "", nonce: answer.nonce, subject });
    const profile = await this.profileOf(token, data, signal);
    if (profile["id"] !== subject) throw logInFailed("The profile belongs to another user.");
    return {
      issuer: this.endpoints.issuer,
      subject,
      name: profileText(profile["first_name"]),
      surname: profileText(profile["last_name"]),
      email: profileText(profile["email"]),
    };
  }

  async check({ clientId = "", clientSecret = "" }: ProviderData): Promise<void> {
    const { client, timeout } = this.environment;
    const own = `${clientId}|${clientSecret}`;
    const url = `${this.endpoints.graph}/debug_token?${new URLSearchParams({ input_token: own, access_token: own })}`;
    const { status } = await client.get(url, AbortSignal.timeout(timeout));
    if (status >= 400) throw misconfigured("The provider does not accept the client id or its secret.");
  }

  /** The user of an access token of this application. The profile endpoint also accepts foreign tokens. */
  private async userOf(
    token: string,
    { clientId = "", clientSecret = "" }: ProviderData,
    signal: AbortSignal,
  ): Promise<string> {
    const answer = await this.graph(
      "/debug_token",
      { input_token: token, access_token: `${clientId}|${clientSecret}` },
      signal,
    );
    const debugData = answer["data"];
    if (typeof debugData !== "object" || debugData === null)
      throw logInFailed("The provider did not describe the access token.");
    const { app_id: app, is_valid: isValid, type, user_id: user, expires_at: end } = debugData as JsonObject;
    if (app !== clientId) throw logInFailed("The access token was issued for another application.");
    if (isValid !== true || type !== "USER" || typeof end !== "number")
      throw logInFailed("The access token is invalid.");
    // 0 means no expiry.
    if (end !== 0 && end * 1_000 <= Date.now()) throw logInFailed("The access token has expired.");
    if (typeof user !== "string" || !/^\d{1,255}$/.test(user)) throw logInFailed("The access token has no user.");
    return user;
  }

  private profileOf(token: string, { clientSecret = "" }: ProviderData, signal: AbortSignal): Promise<JsonObject> {
    const proof = createHmac("sha256", clientSecret).update(token).digest("hex");
    return this.graph(
      "/me",
      { fields: "id,first_name,last_name,email", appsecret_proof: proof, access_token: token },
      signal,
    );
  }

  private async graph(
    path: string,
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const url = `${this.endpoints.graph}${path}?${new URLSearchParams(parameters)}`;
    const { status, json } = await this.environment.client.get(url, signal);
    if (status >= 400) throw logInFailed("The provider does not accept its own access token.");
    return json;
  }

  private logInOf(request: AuthorizationRequest): StrategyLogIn {
    const { authorize, graph } = this.endpoints;
    const kind = {
      Strategy,
      scope: "openid,email,public_profile",
      hasPkce: true,
      authorize,
      token: `${graph}/oauth/access_token`,
      clientSecret: request.data["clientSecret"] ?? "",
    };
    return new StrategyLogIn(kind, request);
  }
}

/** Graph API errors: unknown application, wrong secret. */
const faultsOfData = new Set([1, 101]);

function blamesData({ json }: ProviderAnswer): boolean {
  const { error } = json;
  if (typeof error !== "object" || error === null) return error === "invalid_client";
  return faultsOfData.has(Number((error as JsonObject)["code"]));
}

interface OwnLogIn {
  readonly clientId: string;
  readonly nonce: string;
  /** The user of the access token. */
  readonly subject: string;
}

const maxTokenLength = 16_384;

/**
 * 324 unless the id token was issued for this log-in, which refuses an injected code. The signature is not verified:
 * the token comes directly from the provider over TLS (OpenID Connect Core 1.0, 3.1.3.7).
 */
function requireOwnLogIn(token: unknown, { clientId, nonce, subject }: OwnLogIn): void {
  const claims = claimsOf(token);
  if (claims["aud"] !== clientId) throw logInFailed("The id token was issued for another application.");
  if (claims["nonce"] !== nonce) throw logInFailed("The id token belongs to another log-in.");
  if (claims["sub"] !== subject) throw logInFailed("The id token belongs to another user.");
}

function claimsOf(token: unknown): JsonObject {
  const [, payload, signature] = typeof token === "string" && token.length <= maxTokenLength ? token.split(".") : [];
  if (payload === undefined || signature === undefined) throw logInFailed("The provider sent no id token.");
  const claims = strictJsonObject(Buffer.from(payload, "base64url").toString());
  if (claims === null) throw logInFailed("The id token is not an object or has a duplicate member.");
  return claims;
}
