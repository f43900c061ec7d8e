export { DeliverMail, type DeliverMailParts, type Delivery } from "./deliver-mail.ts";
export { type LetterWriter, type Mailer, type MailerTrouble, MailerUnusable, type MailOutcome } from "./mailer.ts";
export { type Letter, type Mail, mailAddress, type MailLanguage, mailLanguages, type MailOrder } from "./mail.ts";
export {
  type MailDesk,
  type MailSettings,
  OrderMail,
  type OrderMailParts,
  type OutboxContent,
  SealedOrders,
} from "./order-mail.ts";
export type { MailHindrance, OutboxEntry, OutboxRepository, WaitingMail } from "./outbox-repository.ts";
export type { PreparedReset, ResetMail, ResetOrder } from "./reset-mail.ts";
