import { entryEvent } from "../audit/entry-event.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { MailLanguage } from "../mail/mail.ts";
import type { OrderMail } from "../mail/order-mail.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { PasswordReset } from "./password-reset.ts";

export interface AskForResetInput {
  readonly user: string;
  /** Whether it is the name of a custom user. */
  readonly custom: boolean;
  readonly language: MailLanguage | null;
}

/**
 * Promises whoever has this name a mail with which a new password can be set. Whether there is somebody is looked up when the mail is
 * sent, so the answer is the same for every name, and so is what has to be done for it.
 */
export class AskForReset {
  constructor(
    private readonly orderMail: OrderMail,
    private readonly language: MailLanguage,
    private readonly customReset: Pick<PasswordReset, "isPossible">,
  ) {}

  async run(context: AppKeyContext, { user, custom, language }: AskForResetInput): Promise<void> {
    const { database, appKey, origin, r } = context;
    if (custom && !(await this.customReset.isPossible(context))) throw new ServiceError(712, { detail: "A hook decides who custom users are; their passwords are kept elsewhere." });
    const order = { kind: "passwordReset", user, language: language ?? this.language } as const;
    await this.orderMail.run({ alias: database.alias, r }, custom ? { ...order, custom } : order);
    // Anybody can ask, as often as he likes.
    await r.audit.tally(`reset asked ${appKey.id} ${origin.network}`, entryEvent(context, { type: "password.reset.asked", outcome: 0 }));
  }
}
