import { entryEvent } from "../audit/entry-event.ts";
import type { MailLanguage } from "../mail/mail.ts";
import type { OrderMail } from "../mail/order-mail.ts";
import type { AppKeyContext } from "../request/request-context.ts";

export interface AskForResetInput {
  readonly user: string;
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
  ) {}

  async run(context: AppKeyContext, { user, language }: AskForResetInput): Promise<void> {
    const { database, appKey, origin, r } = context;
    await this.orderMail.run({ alias: database.alias, r }, { kind: "passwordReset", user, language: language ?? this.language });
    // Anybody can ask, as often as he likes.
    await r.audit.tally(`reset asked ${appKey.id} ${origin.network}`, entryEvent(context, { type: "password.reset.asked", outcome: 0 }));
  }
}
