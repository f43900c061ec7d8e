import { type ProviderType, ServiceError } from "@sallyport/storage";
import {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  type IdentityProvider,
  type ProviderData,
  type ProviderProfile,
} from "../../src/index.ts";

/** A provider that vouches for the configured profile, and records its calls. */
export class FakeProvider implements IdentityProvider {
  profile: ProviderProfile = {
    issuer: "https://provider.example",
    subject: "s-1",
    name: "Ada",
    surname: "Lovelace",
    email: "ada@example.com",
  };
  refusal: ServiceError | null = null;
  readonly begun: AuthorizationRequest[] = [];
  readonly finished: AuthorizationAnswer[] = [];

  constructor(readonly type: ProviderType) {}

  accept(data: unknown): ProviderData {
    const { clientId } = (data ?? {}) as { clientId?: string };
    if (clientId === undefined) throw new ServiceError(608, { detail: "clientId is missing" });
    return data as ProviderData;
  }

  async check(): Promise<void> {}

  async begin(request: AuthorizationRequest): Promise<string> {
    this.begun.push(request);
    return `https://provider.example/authorize?state=${request.state}`;
  }

  async finish(answer: AuthorizationAnswer): Promise<ProviderProfile> {
    this.finished.push(answer);
    if (this.refusal !== null) throw this.refusal;
    return this.profile;
  }
}
