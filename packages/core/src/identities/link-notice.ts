import type { Account } from "../accounts/account-repository.ts";
import type { MailLanguage } from "../mail/mail.ts";
import type { OrderMail } from "../mail/order-mail.ts";
import type { RequestContext } from "../request/request-context.ts";
import type { ProviderType } from "./identity-link.ts";

export interface NewLink {
  readonly account: Pick<Account, "email" | "loginName">;
  readonly provider: ProviderType;
}

/** Tells users that an account of a provider was bound to them, so that they notice when it is somebody else's. */
export class LinkNotice {
  constructor(
    private readonly orderMail: OrderMail,
    private readonly language: MailLanguage,
  ) {}

  /** Does nothing where there is no address or no mail, and never fails: the link is there, whether anybody hears of it or not. */
  async send(
    { database, r }: RequestContext,
    { account: { email, loginName: name }, provider }: NewLink,
    language: MailLanguage | null,
  ): Promise<void> {
    if (email === null || !this.orderMail.configured) return;
    const order = { kind: "accountLinked", to: email, name, provider, language: language ?? this.language } as const;
    await this.orderMail.run({ alias: database.alias, r }, order).catch(() => {});
  }
}
