import { ServiceError } from "../errors/service-error.ts";
import type { ProviderType } from "./identity-link.ts";
import type { ProviderData } from "./identity-provider.ts";

/** Where providers send browsers back to. No word of a request has a part in it. */
export class CallbackAddresses {
  /** @param publicUrl Address under which clients reach the server, with the base path; `null`: known for providers only that bring their own. */
  constructor(private publicUrl: string | null) {}

  /** Tells the address of a server that was configured without one. */
  listening(url: string): void {
    this.publicUrl ??= url;
  }

  /** The exact address for a provider and a database; 608 if there is none. */
  of(alias: string, type: ProviderType, { serverAddress }: ProviderData): string {
    const base = type === "apple" ? serverAddress : this.publicUrl;
    if (base === undefined || base === null)
      throw new ServiceError(608, {
        detail: "The address that the provider is to send browsers back to is not known.",
      });
    return [base.replace(/\/+$/, ""), ...(alias === "" ? [] : [alias]), "v1", type, "callback"].join("/");
  }
}
