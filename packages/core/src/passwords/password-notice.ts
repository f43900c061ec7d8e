import type { Account } from "../accounts/account-repository.ts";
import type { MailLanguage } from "../mail/mail.ts";
import type { OrderMail } from "../mail/order-mail.ts";
import type { RequestContext } from "../request/request-context.ts";

/** Tells users that their password was changed, so that they notice when it was somebody else. */
export class PasswordNotice {
  constructor(
    private readonly orderMail: OrderMail,
    private readonly language: MailLanguage,
  ) {}

  /** Does nothing where there is no address or no mail, and never fails: the change is done, whether anybody hears of it or not. */
  async send(
    { database, r }: RequestContext,
    { email, loginName: name }: Pick<Account, "email" | "loginName">,
    language: MailLanguage | null,
  ): Promise<void> {
    if (email === null || !this.orderMail.configured) return;
    const order = { kind: "passwordChanged", to: email, name, language: language ?? this.language } as const;
    await this.orderMail.run({ alias: database.alias, r }, order).catch(() => {});
  }
}
