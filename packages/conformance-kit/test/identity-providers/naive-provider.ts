import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { ServiceError } from "@sallyport/storage";
import {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  type IdentityProvider,
  type ProviderData,
  type ProviderProfile,
} from "@sallyport/core";

/** The steps that a provider can omit. */
export const holes = [
  "trustsSignatures",
  "takesAnyAlgorithm",
  "takesAnyKey",
  "ignoresAudience",
  "ignoresParty",
  "ignoresIssuer",
  "ignoresExpiry",
  "needsNoExpiry",
  "ignoresNonce",
  "needsNoSubject",
  "ignoresState",
  "sendsNoChallenge",
  "sendsNoVerifier",
  "begetsStates",
  "showsSecret",
  "takesAnyCallback",
  "identifiesByMail",
  "followsRedirects",
  "readsAnything",
  "readsRepetitions",
  "readsAnyType",
  "waitsForEver",
  "repeatsRefusals",
  "blamesTheUser",
  "fallsSilentAfterFailure",
  "asksTwice",
  "acceptsAnything",
  "acceptsNothingTwice",
  "repeatsData",
  "checksNothing",
  "failsInItsOwnWords",
] as const;

export type Hole = (typeof holes)[number];

const refused = (detail: string) => new ServiceError(324, { detail });

/** A minimal provider for Google's fake, with selectable holes. */
export class NaiveProvider implements IdentityProvider {
  readonly type = "google";
  private readonly base: string;
  private readonly timeout: number;
  private readonly holes: ReadonlySet<Hole>;
  private readonly profiles = new Map<string, ProviderProfile>();
  private hasFailed = false;

  constructor(base: string, timeout: number, wanted: readonly Hole[]) {
    this.base = `${base}/google`;
    this.timeout = timeout;
    this.holes = new Set(wanted);
  }

  accept(data: unknown): ProviderData {
    const { clientId, clientSecret, accepted } = Object(data) as Record<string, unknown>;
    if (this.has("acceptsAnything")) return { clientId: String(clientId), clientSecret: String(clientSecret) };
    if (this.has("acceptsNothingTwice") && accepted !== undefined) throw new ServiceError(608);
    for (const text of [clientId, clientSecret]) {
      const detail = this.has("repeatsData")
        ? `${clientSecret} is not a secret`
        : "clientId or clientSecret is missing";
      if (typeof text !== "string" || !/^[!-~]{1,100}$/.test(text)) throw new ServiceError(608, { detail });
    }
    return {
      clientId: clientId as string,
      clientSecret: clientSecret as string,
      ...(this.has("acceptsNothingTwice") ? { accepted: "yes" } : {}),
    };
  }

  async check(): Promise<void> {
    if (this.has("checksNothing")) throw new ServiceError(706);
    await this.keys();
  }

  async begin({ data, redirectUri, state, nonce, codeVerifier }: AuthorizationRequest): Promise<string> {
    const challenge = createHash("sha256")
      .update(this.has("sendsNoChallenge") ? "verifier" : codeVerifier)
      .digest("base64url");
    const parameters = {
      response_type: "code",
      client_id: data["clientId"] ?? "",
      redirect_uri: redirectUri,
      state: this.has("begetsStates") ? "state" : state,
      nonce,
      scope: "openid",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...(this.has("showsSecret") ? { client_secret: data["clientSecret"] ?? "" } : {}),
    };
    return `${this.base}/authorize?${new URLSearchParams(parameters)}`;
  }

  async finish(answer: AuthorizationAnswer): Promise<ProviderProfile> {
    if (this.has("fallsSilentAfterFailure") && this.hasFailed) throw new ServiceError(706);
    try {
      return await this.trade(answer);
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  private async trade({
    data,
    redirectUri,
    state,
    nonce,
    codeVerifier,
    parameters,
  }: AuthorizationAnswer): Promise<ProviderProfile> {
    if (!this.has("ignoresState") && parameters.get("state") !== state) throw refused("another log-in");
    const code = parameters.get("code") ?? "";
    if (parameters.has("error") || code === "" || code.length > 1_000) throw refused("no code");
    const before = this.has("asksTwice") ? this.profiles.get(code) : undefined;
    if (before !== undefined) return before;
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: this.has("takesAnyCallback") ? redirectUri.replace("/other", "") : redirectUri,
      client_id: data["clientId"] ?? "",
      client_secret: data["clientSecret"] ?? "",
      ...(this.has("sendsNoVerifier") ? {} : { code_verifier: codeVerifier }),
    };
    const answer = await this.ask("/token", form);
    const profile = await this.read(String(answer["id_token"] ?? ""), data["clientId"] ?? "", nonce);
    this.profiles.set(code, profile);
    return profile;
  }

  private async read(token: string, clientId: string, nonce: string): Promise<ProviderProfile> {
    const [head = "", body = "", signature = ""] = token.split(".");
    const header = decoded(head);
    const claims = decoded(body);
    if (!this.has("trustsSignatures") && !(this.has("takesAnyAlgorithm") && header["alg"] !== "RS256")) {
      const keys = await this.keys();
      const key = keys.find(({ kid }) => kid === header["kid"]);
      if (key === undefined && this.has("takesAnyKey")) return profileOf(claims);
      if (header["alg"] !== "RS256" || key === undefined) throw refused("unsigned");
      const isGood = verify(
        "sha256",
        Buffer.from(`${head}.${body}`),
        createPublicKey({ key, format: "jwk" }),
        Buffer.from(signature, "base64url"),
      );
      if (!isGood) throw refused("forged");
    }
    if (!this.has("ignoresAudience") && claims["aud"] !== clientId) throw refused("audience");
    if (!this.has("ignoresParty") && claims["azp"] !== undefined && claims["azp"] !== clientId) throw refused("party");
    if (!this.has("ignoresIssuer") && claims["iss"] !== "https://google.fake.invalid") throw refused("issuer");
    if (!this.has("ignoresExpiry") && Number(claims["exp"] ?? Number.POSITIVE_INFINITY) * 1_000 < Date.now())
      throw refused("expired");
    if (!this.has("needsNoExpiry") && claims["exp"] === undefined) throw refused("expiry");
    if (!this.has("ignoresNonce") && claims["nonce"] !== nonce) throw refused("nonce");
    if (!this.has("needsNoSubject") && typeof claims["sub"] !== "string") throw refused("subject");
    return this.has("identifiesByMail") ? { ...profileOf(claims), subject: "" } : profileOf(claims);
  }

  private async keys(): Promise<readonly (JsonWebKey & { readonly kid?: string })[]> {
    const { keys } = await this.ask("/keys", null);
    return keys as JsonWebKey[];
  }

  private async ask(
    path: string,
    form: Readonly<Record<string, string>> | null,
  ): Promise<Readonly<Record<string, unknown>>> {
    const time = this.has("waitsForEver") ? 4_000 + this.timeout : this.timeout;
    const init: RequestInit = {
      redirect: this.has("followsRedirects") ? "follow" : "manual",
      signal: AbortSignal.timeout(time),
    };
    try {
      const answer = await fetch(
        this.base + path,
        form === null ? init : { ...init, method: "POST", body: new URLSearchParams(form) },
      );
      if (answer.status >= 500) throw new ServiceError(this.has("blamesTheUser") ? 324 : 706);
      if (answer.status >= 300 && answer.status < 400) throw refused("redirect");
      if (!this.has("readsAnyType") && !(answer.headers.get("content-type") ?? "").startsWith("application/json"))
        throw refused("type");
      const text = await this.textOf(answer);
      if (answer.status >= 400) throw this.refusal(text);
      if (!this.has("readsRepetitions") && (text.match(/"access_token"/g)?.length ?? 1) > 1)
        throw refused("repetition");
      return JSON.parse(text) as Record<string, unknown>;
    } catch (error) {
      if (error instanceof ServiceError || this.has("failsInItsOwnWords")) throw error;
      throw error instanceof SyntaxError ? refused("no JSON") : new ServiceError(706);
    }
  }

  private async textOf(answer: Response): Promise<string> {
    let text = "";
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString("latin1");
      if (text.length > 1_048_576 && !this.has("readsAnything")) throw refused("too much");
    }
    return text;
  }

  private refusal(text: string): ServiceError {
    const code = text.includes("invalid_client") ? 608 : 324;
    return new ServiceError(code, this.has("repeatsRefusals") ? { detail: text } : {});
  }

  private has(hole: Hole): boolean {
    return this.holes.has(hole);
  }
}

function profileOf(claims: Readonly<Record<string, unknown>>): ProviderProfile {
  const text = (name: string) => String(claims[name] ?? "");
  return {
    issuer: text("iss"),
    subject: text("sub"),
    name: text("given_name"),
    surname: text("family_name"),
    email: text("email"),
  };
}

function decoded(segment: string): Readonly<Record<string, unknown>> {
  return Object(JSON.parse(Buffer.from(segment, "base64url").toString() || "{}")) as Record<string, unknown>;
}
