import type { ProviderType } from "@sallyport/storage";
import type {
  AuthorizationAnswer,
  AuthorizationRequest,
  CallbackParameters,
  IdentityProvider,
  ProviderData,
  ProviderProfile,
} from "@sallyport/core";
import { type JsonObject, misconfigured, type ProviderAnswer, unanswered, logInFailed } from "./guarded-client.ts";
import { KeySet, verifyIdToken } from "./id-token.ts";
import { codeOf, StrategyLogIn } from "./oauth-strategy.ts";
import type { ProviderEnvironment } from "./provider-data.ts";

/** The differences between OpenID Connect providers. */
export interface OpenIdKind {
  readonly type: ProviderType;
  readonly scope: string;
  readonly hasPkce: boolean;
  /** Additional parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly endpoints: (data: ProviderData) => {
    readonly authorize: string;
    readonly token: string;
    readonly keys: string;
  };
  readonly accept: (data: unknown) => ProviderData;
  /** The secret for the token endpoint. */
  readonly clientSecret: (data: ProviderData) => Promise<string>;
  /** A strategy class based on `passport-oauth2`. */
  readonly Strategy: unknown;
  /** The issuer that identifies the account, from token claims or a callback's `iss`. `null` if not acceptable. */
  readonly issuerOf: (claims: JsonObject, data: ProviderData) => string | null;
  /** The user's name and e-mail address. */
  readonly profileOf: (
    claims: JsonObject,
    parameters: CallbackParameters,
  ) => Pick<ProviderProfile, "name" | "surname" | "email">;
}

/** An OpenID Connect provider. The profile comes from the id token alone. */
export class OpenIdProvider implements IdentityProvider {
  readonly type: ProviderType;
  private readonly kind: OpenIdKind;
  private readonly environment: ProviderEnvironment;
  /** By key set address. */
  private readonly keys = new Map<string, KeySet>();

  constructor(kind: OpenIdKind, environment: ProviderEnvironment) {
    this.type = kind.type;
    this.kind = kind;
    this.environment = environment;
  }

  accept(data: unknown): ProviderData {
    return this.kind.accept(data);
  }

  async begin(request: AuthorizationRequest): Promise<string> {
    return this.logInOf(request, "").authorizationAddress(this.kind.parameters);
  }

  async finish(answer: AuthorizationAnswer): Promise<ProviderProfile> {
    const { kind, environment } = this;
    const { data, parameters, state } = answer;
    const code = codeOf(parameters, state);
    const iss = parameters.get("iss");
    if (iss !== undefined && kind.issuerOf({ iss }, data) === null)
      throw logInFailed("The callback comes from another provider.");

    const signal = AbortSignal.timeout(environment.timeout);
    const logIn = this.logInOf(answer, await kind.clientSecret(data));
    const { id_token: token } = await logIn.exchangeCode(code, { client: environment.client, signal, blamesData });
    const verified = verifyIdToken(token, {
      keys: this.keysAt(kind.endpoints(data).keys),
      clientId: data["clientId"] ?? "",
      nonce: answer.nonce,
      issuerOf: (claims) => kind.issuerOf(claims, data),
    });
    const { issuer, subject, claims } = await inTime(verified, signal);
    return { issuer, subject, ...kind.profileOf(claims, parameters) };
  }

  async check(data: ProviderData): Promise<void> {
    const { client, timeout } = this.environment;
    const { keys, token } = this.kind.endpoints(data);
    const signal = AbortSignal.timeout(timeout);
    await inTime(this.keysAt(keys).reload(), signal);
    // With an unknown code: providers check the client before the code.
    const form = {
      grant_type: "authorization_code",
      code: "none",
      redirect_uri: "https://localhost/",
      client_id: data["clientId"] ?? "",
      client_secret: await this.kind.clientSecret(data),
    };
    const { json } = await client.post(token, form, signal);
    if (refusesClient.has(String(json["error"])))
      throw misconfigured("The provider does not accept the client id or its secret.");
  }

  private logInOf(request: AuthorizationRequest, clientSecret: string): StrategyLogIn {
    return new StrategyLogIn({ ...this.kind, ...this.kind.endpoints(request.data), clientSecret }, request);
  }

  private keysAt(address: string): KeySet {
    const { client, timeout, unknownKeyPause } = this.environment;
    // Half the time limit leaves enough to continue with the cached keys.
    const keys = this.keys.get(address) ?? new KeySet({ client, address, timeout: timeout / 2, unknownKeyPause });
    this.keys.set(address, keys);
    return keys;
  }
}

const refusesClient = new Set(["invalid_client", "unauthorized_client"]);

const blamesData = ({ json }: ProviderAnswer) =>
  refusesClient.has(String(json["error"])) || json["error"] === "redirect_uri_mismatch";

/** Waits for shared work, at most until the signal aborts. */
function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(unanswered("The provider did not respond in time."));
    if (signal.aborted) late();
    signal.addEventListener("abort", late);
    work
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", late))
      .catch(reject);
  });
}
